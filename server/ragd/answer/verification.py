"""Checks an answer that another program wrote from passages of ours, as our own are checked: its marks and its support."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ragd.answer.citations import CitationFilter
from ragd.answer.highlights import for_answer
from ragd.answer.phrases import says_not_found
from ragd.answer.support import SupportCheck
from ragd.core.errors import ValidationFailed
from ragd.core.results import Answer, Citation, Passage
from ragd.retrieve.ranking.neighbours import joined
from ragd.store.passages import Passages

Readable = Callable[[Iterable[str]], Collection[str]]
"""Those of some documents, by id, that the user may see."""


class AnswerCheck:
    """Checks answers of other programs. `support` opens the check of sentences."""

    def __init__(self, passages: Passages, support: Callable[[], SupportCheck]) -> None:
        self._passages = passages
        self._support = support

    def check(self, text: str, given: Sequence[tuple[int, Sequence[str]]], readable: Readable) -> Answer:
        """The answer without its wrong marks, which are counted. `provider` and `model` are not known here, and empty.

        `given` are the numbers that the model was given, each with the ids of the chunks that stood under it, best first. Raises
        `ValidationFailed` for a number that was given twice, for a chunk that is not there to be served or that the user may
        not see, and
        for chunks under one number that are not neighbours.
        """
        numbers = [number for number, _ in given]
        if twice := {number for number in numbers if numbers.count(number) > 1}:
            raise ValidationFailed.of_field(
                "citations", "twice", f"The number {min(twice)} stands twice. Give each citation a number of its own."
            )
        wanted = [chunk_id for _, chunk_ids in given for chunk_id in chunk_ids]
        found = live_passages(self._passages, wanted, "citations", readable)
        citations = [
            Citation(number, _together(index, [found[chunk_id] for chunk_id in chunk_ids]), tuple(chunk_ids))
            for index, (number, chunk_ids) in enumerate(given)
        ]
        marks = CitationFilter(set(numbers))
        cleaned = marks.feed(text) + marks.finish()
        by_number = {citation.id: citation for citation in citations}
        support = self._support().check(cleaned, citations) if citations else ()
        return Answer(
            cleaned,
            provider="",
            model="",
            found=not says_not_found(cleaned),
            citations=for_answer([by_number[number] for number in marks.cited], support),
            support=support,
            removed_citations=marks.removed,
        )


def live_passages(passages: Passages, chunk_ids: Sequence[str], field: str, readable: Readable) -> Mapping[str, Passage]:
    """chunk id -> passage, of all of these. Raises `ValidationFailed`, for `field`, when one can't be served or seen."""
    served = passages.passages(list(dict.fromkeys(chunk_ids)))
    allowed = readable({passage.doc_id for passage in served.values()})
    found = {chunk_id: passage for chunk_id, passage in served.items() if passage.doc_id in allowed}
    if missing := [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in found]:
        message = (
            f"{len(missing)} of the passages can't be found, the first is '{missing[0]}'. Their documents were changed or "
            "deleted since the question was asked; ask it again."
        )
        raise ValidationFailed.of_field(field, "not_live", message)
    return found


def _together(index: int, passages: Sequence[Passage]) -> Passage:
    """The passages as one, in the way and order in which the context joined them."""
    whole = passages[0]
    for passage in passages[1:]:
        both = joined(whole, passage)
        if both is None:
            message = "The chunk_ids of one citation must be neighbours in their document, in the order in which they came."
            raise ValidationFailed.of_field(f"citations[{index}].chunk_ids", "not_neighbours", message)
        whole = both
    return whole
