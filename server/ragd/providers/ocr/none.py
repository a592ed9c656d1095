"""No text recognition: pictures are kept and shown, but not read."""

from __future__ import annotations

from ragd.core.documents import OcrLine
from ragd.core.errors import ServiceUnavailable
from ragd.providers.protocols import Pixels


class NoOcr:
    """Refuses every picture, which readers of documents turn into `ocr_skipped`."""

    name = "none"
    profile = "none"

    def __init__(self, **ignored: object) -> None:
        """`threads` and what else an engine is built with mean nothing here."""

    @classmethod
    def installed_profile(cls) -> str:
        return cls.profile

    def recognize(self, pixels: Pixels) -> list[OcrLine]:  # noqa: ARG002
        raise ServiceUnavailable("text recognition is switched off (ocr.provider: none)")
