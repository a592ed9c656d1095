"""Nothing is said of pictures: they are kept, shown and read."""

from __future__ import annotations

from collections.abc import Sequence

from ragd.core.documents import OcrLine
from ragd.core.errors import ServiceUnavailable
from ragd.vision.description import Description, ImageType, PictureContext


class NoCaptioner:
    """Refuses every picture; nobody asks it while the settings name it."""

    name = "none"
    model = ""
    prompt_id = "none"
    asks_nobody = True
    max_side = 1

    def __init__(self, **ignored: object) -> None:
        """What other captioners are built with means nothing here."""

    def describe(
        self,
        picture: bytes,  # noqa: ARG002
        context: PictureContext,  # noqa: ARG002
        image_type: ImageType,  # noqa: ARG002
        words: Sequence[OcrLine],  # noqa: ARG002
    ) -> Description:
        raise ServiceUnavailable("descriptions of pictures are switched off (captions.provider: none)")

    def close(self) -> None:
        """Nothing is held."""
