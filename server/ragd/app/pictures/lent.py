"""Requests for a model that an editor lends, as its windows take and answer them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragd.access.context import AccessContext
from ragd.app.pictures.captioning import Captioning
from ragd.app.pictures.service import Pictures
from ragd.core.errors import AssetNotFound, RemoteRefused, RemoteUnavailable, ValidationFailed
from ragd.jobs.captions import DescribePictures
from ragd.providers.caption_protocol import LentCaptioner, ModelAnswer
from ragd.providers.protocols import Message
from ragd.vision.description import Usage
from ragd.vision.lending import LEASE_S, Lending

_PNG: Final = b"\x89PNG"


@dataclass(frozen=True, slots=True)
class LentModels:
    """What `/api/captions/requests` does. Every method raises `ValidationFailed` where the settings want no lent model."""

    pictures: Pictures
    captioning: Captioning
    job: DescribePictures

    def take(self, lender: str, access: AccessContext) -> dict[str, Any]:
        """The request that waits, leased to `lender`, and whether more is to come soon.

        A picture that only documents show which the lender may not see is not handed over.
        """

        def may_see(asset_id: str) -> bool:
            try:
                self.pictures.find(asset_id, "raw", access)
            except AssetNotFound:
                return False
            return True

        lending = self._lending()
        lent = lending.take(lender, may_see)
        # A job that missed a lender is put off only a little later: resumed before that, it would wait with nobody to wake it.
        if lent is None and lending.missed and not self.job.is_running:
            lending.missed = False
            self.job.resume()
        request = None
        if lent is not None:
            request = {
                "lease_id": lent.lease_id,
                "lease_s": LEASE_S,
                "timeout_s": lent.timeout_s,
                "asset_id": lent.subject,
                "messages": [_told(message) for message in lent.asked],
            }
        return {"request": request, "more": request is not None or self.job.is_due}

    def renew(self, lease_id: str) -> None:
        """A sign of life. Raises `NoSuchRequest`."""
        self._lending().renew(lease_id)

    def answer(self, lease_id: str, text: str, model: str) -> None:
        """What the model said; editors tell nothing of tokens. Raises `NoSuchRequest`."""
        self._lending().answer(lease_id, ModelAnswer(text, Usage(), model))

    def fail(self, lease_id: str, message: str, *, refused: bool) -> None:
        """The model failed, or `refused`, which another try can't mend. Raises `NoSuchRequest`."""
        error = RemoteRefused if refused else RemoteUnavailable
        self._lending().fail(lease_id, error(message))

    def withdraw(self, lender: str) -> None:
        """The lender lends no more; what it had waits for another one, and counts as never asked."""
        self._lending().withdraw(lender)

    def _lending(self) -> Lending[Sequence[Message], ModelAnswer]:
        captioner = self.captioning.captioner()
        if not isinstance(captioner, LentCaptioner):
            provider = self.captioning.settings.provider
            raise ValidationFailed(f"Nobody's model is wanted: captions.provider is {provider}, not editor.")
        return captioner.lending


def _told(message: Message) -> dict[str, Any]:
    picture = None
    if message.picture:
        mime = "image/png" if message.picture.startswith(_PNG) else "image/jpeg"
        picture = {"mime": mime, "data": base64.b64encode(message.picture).decode()}
    return {"role": message.role, "text": message.text, "picture": picture}
