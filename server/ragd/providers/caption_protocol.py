"""The Protocol of captioners, which say what pictures show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ragd.core.documents import OcrLine
from ragd.vision.description import Description, ImageType, PictureContext


@runtime_checkable
class Captioner(Protocol):
    """Says what pictures show. `prompt_id` says what shapes its output beside the model. Safe to call from several threads.

    `asks_nobody`: it runs where files are read, in a process of its own, and costs nothing but its time. `max_side` is how many
    pixels the longer side of a picture may have.
    """

    name: str
    model: str
    prompt_id: str
    asks_nobody: bool
    max_side: int

    def describe(self, picture: bytes, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine]) -> Description:
        """What a PNG or JPEG shows. `image_type` is what it was taken for, `words` are the lines that were read in it.

        Raises `RemoteUnavailable` for what may work later, and another `RagError` for what a retry can't mend.
        """
        ...

    def close(self) -> None: ...
