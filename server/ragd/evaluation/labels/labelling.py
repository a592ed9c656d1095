"""Marks of passages as people give them and see them: where what was judged stands today.

A passage that was judged is the same as long as its document holds a chunk with the same text, whatever that chunk's id is by
now. Where none has it and the document says the same as then, only its chunks were cut otherwise, and the place counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ragd.core.results import Passage
from ragd.evaluation.relevance import relevant_to
from ragd.store.labels.labels import Label, Labels, Mark, text_hash
from ragd.store.passages import Passages

State = Literal["there", "cut_otherwise", "changed", "gone"]
"""`there`: a chunk has the text; `cut_otherwise`: none has, and the document is as it was; `changed`: the document says something
else by now, and may not answer any more; `gone`: it is deleted, or its collection is disabled."""


@dataclass(frozen=True, slots=True)
class Labelling:
    """Takes marks, and finds their passages again."""

    labels: Labels
    passages: Passages

    def mark(self, passage: Passage, kb_id: str, question: str, author: str, grade: int | None, trace_id: str | None) -> Label:
        """Keep what somebody says of a live passage. Raises as `Labels.add`."""
        place = relevant_to(passage)
        # A document that is deleted this moment has none, and its label is seen to be gone.
        _title, content_hash = self.labels.live_hashes([passage.doc_id]).get(passage.doc_id, ("", ""))
        return self.labels.add(
            Mark(
                kb_id=kb_id,
                question=question,
                author=author,
                grade=grade,
                doc_id=passage.doc_id,
                source=place["source"],
                place=place["place"],
                section_path=passage.section_path,
                chunk_id=passage.chunk_id,
                text_hash=text_hash(passage.content),
                content_hash=content_hash,
                trace_id=trace_id,
            )
        )

    def shown(self, labels: Sequence[Label], readable: Collection[str], names: Mapping[str, str]) -> list[dict[str, Any]]:
        """Labels in the shape of `api.schemas.labels.Label`.

        `readable` are the documents, by id, that the user may see, `names` the names of collections by id.
        """
        documents = self.labels.live_hashes({label.doc_id for label in labels})
        found = self._passages(labels)
        return [
            _hidden(label, names)
            if label.doc_id not in readable
            else _shown(label, names, documents.get(label.doc_id), found.get((label.doc_id, label.text_hash)))
            for label in labels
        ]

    def _passages(self, labels: Iterable[Label]) -> dict[tuple[str, str], Passage]:
        """(doc_id, hash of the text) -> the live passage that says it."""
        live = self.passages.passages(list({label.chunk_id for label in labels}))
        lost = {label.doc_id for label in labels if label.chunk_id not in live}
        again = self.labels.chunks_by_text(lost)
        wanted = {(label.doc_id, label.text_hash) for label in labels} & again.keys()
        live = {**live, **self.passages.passages([again[key] for key in wanted])}
        return {(passage.doc_id, text_hash(passage.content)): passage for passage in live.values()}


def _shown(label: Label, names: Mapping[str, str], document: tuple[str, str] | None, passage: Passage | None) -> dict[str, Any]:
    title, content_hash = document or ("", "")
    state: State = "gone" if document is None else "cut_otherwise" if content_hash == label.content_hash else "changed"
    values = _common(label, names) | {"restricted": False, "doc_id": label.doc_id, "title": title, "state": state}
    if passage is None:
        section = label.section_path[-1] if label.section_path else ""
        return values | {"source": label.source, "place": label.place, "section": section, "chunk_id": None, "text": None}
    section = passage.section_path[-1] if passage.section_path else ""
    now = {"state": "there", "chunk_id": passage.chunk_id, "text": passage.content, "section": section}
    return values | relevant_to(passage) | now


def _hidden(label: Label, names: Mapping[str, str]) -> dict[str, Any]:
    nothing: dict[str, Any] = dict.fromkeys(("chunk_id", "text")) | dict.fromkeys(("doc_id", "title", "source", "section"), "")
    return _common(label, names) | nothing | {"place": {}, "restricted": True, "state": "there"}


def _common(label: Label, names: Mapping[str, str]) -> dict[str, Any]:
    kept = asdict(label)
    own = ("label_id", "question_id", "question", "author", "position", "grade", "trace_id", "created_at")
    return {name: kept[name] for name in own} | {"collection": names.get(label.kb_id, label.kb_id)}
