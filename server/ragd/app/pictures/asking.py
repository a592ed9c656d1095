"""A picture as a question: what it says is searched, and where it is shown comes first.

It is looked at in a process that reads files, as the pictures of documents are: its words are read, `rules` say what it shows,
and its hash finds it where it was kept, also in another size. It is not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ragd.access.context import AccessContext
from ragd.app.pictures.service import Pictures
from ragd.config.indexing import IngestSettings
from ragd.core.errors import ParseFailed, PayloadTooLarge, ValidationFailed
from ragd.core.query import QueryRequest
from ragd.ingest.workers.looks import Look, LookTask
from ragd.vision.description import PictureContext
from ragd.vision.likeness import same_shape

_CAPTIONER: Final = "rules"
_MAX_SIDE: Final = 2000
_MAX_BYTES: Final = 20_000_000
_MOST_WORDS: Final = 1000
"""Characters of what was read in a picture that are searched."""
_MOST_ALIKE: Final = 50
_NO_LANGUAGE: Final = PictureContext(language="")


@dataclass(frozen=True, slots=True)
class PictureQuestions:
    """Makes questions of pictures."""

    pictures: Pictures
    limits: IngestSettings

    def asked(
        self, request: QueryRequest, data: bytes | None, asset_id: str | None, access: AccessContext
    ) -> tuple[QueryRequest, Mapping[str, Any]]:
        """The request with what a picture says, and what that is. The picture is `data`, or a kept one that the user may see.

        Raises `PayloadTooLarge` and `ValidationFailed` for a picture that can't be looked at, `AssetNotFound`.
        """
        name, words = "image", None
        if asset_id is not None:
            data = Path(self.pictures.find(asset_id, "raw", access).path).read_bytes()
            words = self.pictures.assets.known([asset_id])[asset_id].words
        assert data is not None
        if len(data) > self.limits.max_picture_size:
            most = self.limits.max_picture_size / 2**20
            raise PayloadTooLarge(f"The picture has {len(data) / 2**20:.1f} MiB; at most {most:g} are looked at.")
        task = LookTask(name, data, _NO_LANGUAGE, words, _CAPTIONER, _MAX_SIDE, _MAX_BYTES)
        try:
            look = self.pictures.parser().look(task)
        except ParseFailed as error:
            raise ValidationFailed.of_field("image", "not_a_picture", error.message) from error
        near = self.pictures.assets.likenesses.near(look.phash)
        shaped = [one.asset_id for one in near if same_shape(look.size, (one.width, one.height))]
        alike = tuple(shaped)[:_MOST_ALIKE]
        text = _text(request.text, look)
        if not request.text.strip() and not look.words and not alike:
            raise ValidationFailed.of_field(
                "image", "says_nothing", "No words could be read in the picture, and none is like it."
            )
        said = look.description
        told: dict[str, Any] = {
            "image_type": look.image_type,
            "description": said.summary if said else "",
            "text": "\n".join(line.text for line in look.words),
            "alike": [one for one in alike if self._may_see(one, access)],
        }
        return replace(request, text=text or told["description"], pictures=alike), told

    def _may_see(self, asset_id: str, access: AccessContext) -> bool:
        return bool(access.readable(self.pictures.access.origins.showing(asset_id)))


def _text(question: str, look: Look) -> str:
    """What is searched: the question, what is said of the picture, and the words in it. "" where there is nothing of that."""
    said = look.description
    summary = said.summary if said and not said.low_quality else ""
    read = " ".join(line.text for line in look.words)[:_MOST_WORDS]
    # The summary repeats the words of a picture that is nothing but words.
    parts = (question.strip(), summary, "" if read and read in summary else read)
    return "\n".join(part for part in parts if part)
