"""Descriptions by the vision model of an editor, which its windows lend: nothing is sent before a person has agreed there."""

from __future__ import annotations

from collections.abc import Sequence

from ragd.config.captions import CaptionSettings
from ragd.core.errors import SettingsError
from ragd.providers.caption_protocol import ModelAnswer
from ragd.providers.captioners.asking import AskingCaptioner
from ragd.providers.protocols import Message
from ragd.vision.lending import Lending


class EditorCaptioner(AskingCaptioner):
    """Asks by `lending`. Which model answers is chosen in the editor, so descriptions of all of them count as this one's."""

    name = "editor"
    model = ""

    def __init__(self, options: CaptionSettings, *, api_key: str = "") -> None:
        """Raises `SettingsError` for settings that only a service could use."""
        given = {"model": options.model, "url": options.url, "api_key": options.api_key or api_key}
        if named := next((name for name, value in given.items() if value), None):
            raise SettingsError(
                f"captions.{named} means nothing to captions.provider editor: the model is chosen in the editor. Remove it."
            )
        self.max_side = options.max_side
        self.lending: Lending[Sequence[Message], ModelAnswer] = Lending(options.timeout_s)

    def close(self) -> None:
        self.lending.abandon()

    def _ask(self, messages: Sequence[Message]) -> ModelAnswer:
        return self.lending.ask(messages)
