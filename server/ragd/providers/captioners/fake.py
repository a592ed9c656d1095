"""A captioner for tests: it says what it was told to say, or the words that were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragd.core.documents import OcrLine
from ragd.core.errors import RagError
from ragd.vision.description import Description, ImageType, PictureContext, profile_of


class FakeCaptioner:
    """Stands in for a service that sees pictures. `answers` are by a word that the picture, or its context, holds."""

    name = "fake"
    prompt_id = "fake-1"
    asks_nobody = False
    max_side = 800

    def __init__(
        self,
        answers: Mapping[str, Description | RagError] | None = None,
        *,
        model: str = "",
        **ignored: object,  # noqa: ARG002
    ) -> None:
        self.model = model or "fake"
        self.answers = dict(answers or {})
        self.asked: list[tuple[bytes, PictureContext]] = []

    def describe(self, picture: bytes, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine]) -> Description:
        self.asked.append((picture, context))
        read = " ".join(line.text for line in words)
        known = " ".join((read, *context.as_dict().values()))
        answer = next((answer for word, answer in self.answers.items() if word in known), None)
        if isinstance(answer, RagError):
            raise answer
        said = answer or Description(profile_of(image_type), image_type, summary=f"A picture of: {read}.", low_quality=not read)
        return replace(said, provider=self.name, model=self.model, prompt_id=self.prompt_id)

    def close(self) -> None:
        """Nothing is held."""
