"""The captioner of the settings, and what was said of pictures that views and answers show."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from ragd.config.captions import CaptionSettings
from ragd.config.secrets import resolve
from ragd.core.errors import RagError, SettingsError
from ragd.core.lazy import Lazy
from ragd.providers.caption_protocol import Captioner, LentCaptioner
from ragd.providers.registry import build
from ragd.store.pictures.descriptions import CaptionerKey, Descriptions, StoredDescription

log = logging.getLogger(__name__)

_NONE = "none"


class Captioning:
    """Opens the captioner when it is first needed."""

    def __init__(
        self, settings: CaptionSettings, descriptions: Descriptions, lock: AbstractContextManager[object], *, alone: bool = True
    ) -> None:
        """`alone`: one process for one person, who can lend a model of theirs."""
        self._alone = alone
        self.settings = settings
        self.descriptions = descriptions
        self._captioner: Lazy[Captioner] = Lazy(self._open, lock)

    def captioner(self) -> Captioner | None:
        """Who describes pictures; None when the settings want nobody. Raises `SettingsError` for settings that can't work."""
        return None if self.settings.provider == _NONE else self._captioner()

    def key(self) -> CaptionerKey | None:
        """What its descriptions are kept by. One that can't be opened has made none; what others said is shown then."""
        try:
            captioner = self.captioner()
        except RagError as error:
            log.warning("pictures are not described", extra={"reason": error.message})
            return CaptionerKey(self.settings.provider, self.settings.model, "")
        return CaptionerKey.of(captioner) if captioner else None

    def described(self, asset_ids: Sequence[str]) -> Mapping[str, StoredDescription]:
        """asset id -> what is said of it now."""
        return self.descriptions.current(asset_ids, self.key())

    def close(self) -> None:
        """Let go of what the captioner holds."""
        if captioner := self._captioner.opened:
            captioner.close()

    def _open(self) -> Captioner:
        key = resolve(self.settings.api_key, "captions.api_key")
        made: Captioner = build("captioner", self.settings.provider, options=self.settings, api_key=key)
        if isinstance(made, LentCaptioner) and not self._alone:
            raise SettingsError(
                f"captions.provider {self.settings.provider}: a model that a person lends is for that person's own daemon, "
                "not for security.mode server nor several processes."
            )
        return made
