"""The Protocol of captioners, which say what pictures show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ragd.core.documents import OcrLine
from ragd.providers.protocols import Message
from ragd.vision.description import Description, ImageType, PictureContext, Usage
from ragd.vision.lending import Lending


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


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said of a picture, what it counted, and which model it was."""

    text: str
    usage: Usage
    model: str


@runtime_checkable
class LentCaptioner(Captioner, Protocol):
    """One whose model somebody lends: it describes only while a lender is there, and raises `NobodyLends` else.

    The subjects of `lending` are ids of pictures.
    """

    lending: Lending[Sequence[Message], ModelAnswer]
