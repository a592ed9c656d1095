"""A picture that a process of its own looks at: what is asked of it, and what it tells, as frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ragd.core.documents import OcrLine
from ragd.core.storage import pack_words, unpack_words
from ragd.vision.description import Description, ImageType, PictureContext


@dataclass(frozen=True, slots=True)
class LookTask:
    """A picture to look at. `words` are what was read in it, None when that is not known. `captioner`: which one describes it
    there; None: it is only made ready for one that asks a service, its longer side at most `max_side` pixels, the file at most
    `max_bytes`. A context without a language is described in that of the words."""

    name: str
    data: bytes
    context: PictureContext
    words: tuple[OcrLine, ...] | None
    captioner: str | None
    max_side: int
    max_bytes: int

    def packed(self) -> tuple[dict[str, Any], list[bytes]]:
        """As a frame's header and blobs."""
        header = {
            "op": "look",
            "name": self.name,
            "context": self.context.as_dict(),
            "words": pack_words(self.words),
            "captioner": self.captioner,
            "max_side": self.max_side,
            "max_bytes": self.max_bytes,
        }
        return header, [self.data]

    @staticmethod
    def unpacked(header: Mapping[str, Any], blobs: Sequence[bytes]) -> LookTask:
        """The inverse of `packed`."""
        names = ("name", "captioner", "max_side", "max_bytes")
        words, context = unpack_words(header["words"]), PictureContext(**header["context"])
        return LookTask(**{name: header[name] for name in names}, data=blobs[0], words=words, context=context)


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture was taken for and how sure that is (0..1), the words in it, and its description where one was asked for,
    else its file.

    `phash` and `size`, its width and height, tell whether another looks the same (`vision.likeness`).
    """

    image_type: ImageType
    certainty: float
    words: tuple[OcrLine, ...]
    picture: bytes
    phash: str
    size: tuple[int, int]
    description: Description | None = None

    def packed(self) -> tuple[dict[str, Any], list[bytes]]:
        """As a frame's header and blobs."""
        said = self.description.as_dict() if self.description else None
        header = {
            "kind": "look",
            "image_type": self.image_type,
            "certainty": self.certainty,
            "words": pack_words(self.words),
            "description": said,
            "phash": self.phash,
            "size": self.size,
        }
        return header, [self.picture]

    @staticmethod
    def unpacked(header: Mapping[str, Any], blobs: Sequence[bytes]) -> Look:
        """The inverse of `packed`."""
        said = header["description"]
        return Look(
            image_type=cast("ImageType", header["image_type"]),
            certainty=header["certainty"],
            words=unpack_words(header["words"]) or (),
            picture=blobs[0],
            phash=header["phash"],
            size=(header["size"][0], header["size"][1]),
            description=Description.from_dict(said) if said else None,
        )
