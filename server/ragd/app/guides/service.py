"""Guides to documents and collections, kept in memory by the version that they are about."""

from __future__ import annotations

import logging
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from ragd.app.guides.questions import Suggested, chosen, questions
from ragd.app.guides.summary import is_boilerplate, summary
from ragd.app.guides.written import written
from ragd.app.models import Models
from ragd.config.answering import LlmSettings
from ragd.core.errors import RagError
from ragd.evaluation.synthetic.rules import Chunk, place_of
from ragd.store.document_reader import DocumentReader

log = logging.getLogger(__name__)

_CHUNKS: Final = 200
_OUTLINE: Final = 200
_TOPICS: Final = 12
_QUESTIONS: Final = 6
_DOCUMENTS: Final = 12
"""Documents of a collection whose own guides make the collection's; they are taken from all over it."""
_LISTED: Final = 200
_KEPT: Final = 500
_CODE: Final = ("code", "notebook")

Readable = Callable[[Collection[str]], Collection[str]]
"""Which of these documents the user may see."""


class Guides:
    """Makes guides. Safe to use from several threads."""

    def __init__(self, reader: DocumentReader, models: Models, llm: LlmSettings) -> None:
        self._reader = reader
        self._models = models
        self._llm = llm
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], dict[str, Any]] = OrderedDict()

    def document(self, doc_id: str, *, by_model: bool = False) -> dict[str, Any]:
        """What a document is about. Raises as `DocumentReader.get` does.

        With `by_model` the language model writes the summary, where there is one and it answers in the form; else the rules do.
        """
        known = self._reader.get(doc_id)
        version = known["version_id"] or ""
        guide = self._once((version, "rules"), lambda: self._by_rules(doc_id, known))
        if not by_model:
            return guide
        model = f"model {self._llm.provider} {self._llm.model}"
        return self._once((version, model), lambda: self._by_model(doc_id, guide)) or guide

    def collection(self, name: str, kb_id: str, readable: Readable) -> dict[str, Any]:
        """What a collection is about, of the documents that the user may see."""
        rows, total = self._reader.page(kb_id, "ready", 1, _LISTED)
        allowed = readable([row["id"] for row in rows])
        rows = [row for row in rows if row["id"] in allowed]
        step = max(1, -(-len(rows) // _DOCUMENTS))
        guides: list[dict[str, Any]] = []
        for row in rows[::step]:
            try:
                guides.append(self.document(row["id"]))
            except RagError as error:  # deleted since it was listed
                log.debug("a document is left out of a guide", extra={"doc_id": row["id"], "code": error.code})
        topics: Counter[str] = Counter()
        for guide in guides:
            for place, topic in enumerate(guide["topics"]):
                topics[topic] += _TOPICS - place
        asked = [[Suggested(one["text"], one["kind"]) for one in guide["questions"]] for guide in guides]
        listed = [{"id": row["id"], "title": row["title"] or row["source"], "source": row["source"]} for row in rows]
        return {
            "collection": name,
            "document_count": total,
            "documents": listed[:_OUTLINE],
            "topics": [topic for topic, _ in topics.most_common(_TOPICS)],
            "questions": [one._asdict() for one in chosen(asked, _QUESTIONS)],
        }

    def _by_rules(self, doc_id: str, known: Mapping[str, Any]) -> dict[str, Any]:
        rows, _ = self._reader.chunks(doc_id, 1, _CHUNKS)
        texts = [(tuple(row["section_path"]), row["content"]) for row in rows]
        chunks = [
            Chunk(known["source"], section, text, place_of(row), known["language"])
            for row, (section, text) in zip(rows, texts, strict=True)
            # Names of functions are no subjects that people ask about.
            if known["doc_type"] not in _CODE
        ]
        keywords = [word for word in known["keywords"] if not is_boilerplate(word)]
        outline = [
            {"title": section["section_path"][-1], "level": len(section["section_path"])}
            for section in self._reader.sections(doc_id)
            if section["section_path"]
        ]
        return {
            "id": doc_id,
            "title": known["title"] or known["source"],
            "source": known["source"],
            "language": known["language"],
            # What has no sentences (a sheet, code) keeps the summary by its structure, which the ingestion made.
            "summary": summary(texts, keywords) or ("" if is_boilerplate(known["summary"] or "") else known["summary"] or ""),
            "by": "rules",
            "outline": outline[:_OUTLINE],
            "topics": keywords[:_TOPICS],
            "questions": [one._asdict() for one in questions(chunks, _QUESTIONS)],
        }

    def _by_model(self, doc_id: str, guide: Mapping[str, Any]) -> dict[str, Any]:
        """Empty where no model answers in the form: then the rules' guide is given, and it is tried again another time."""
        rows, _ = self._reader.chunks(doc_id, 1, _CHUNKS)
        texts = [row["content"] for row in rows if not is_boilerplate(row["content"][:500], row["section_path"])]
        try:
            model = self._models.language_model(self._llm)
            said = written(texts, guide["language"] or "en", model) if model and texts else None
        except RagError as error:
            log.warning("the language model wrote no guide", extra={"code": error.code, "reason": error.message})
            return {}
        if said is None:
            return {}
        by_model = [Suggested(text, "model") for text in said[1]]
        by_rules = [Suggested(one["text"], one["kind"]) for one in guide["questions"]]
        asked = chosen([by_model, by_rules], _QUESTIONS)
        return {**guide, "summary": said[0], "by": "model", "questions": [one._asdict() for one in asked]}

    def _once(self, key: tuple[str, str], make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return kept
        made = make()
        if made and key[0]:
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return made
