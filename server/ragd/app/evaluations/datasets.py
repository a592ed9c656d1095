"""The datasets of the daemon: those that it keeps and people edit, feedback, and in a checkout the golden questions.

What it keeps is the text of a file as `rag eval run --dataset` reads it, so that a run has the same digest, whoever made it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from ragd.config.loading import checkout_root
from ragd.core.errors import NotFound, ValidationFailed
from ragd.core.ids import canonical, hash32
from ragd.evaluation.datasets import Dataset
from ragd.evaluation.feedback import FEEDBACK, feedback_dataset
from ragd.evaluation.golden import GOLDEN, UNLABELLED, golden_files, items_of, questions_of, read_questions, require_questions
from ragd.store.collections import Collections
from ragd.store.evaluation.datasets import Datasets, DatasetVersion
from ragd.store.evaluation.feedback import Feedback

_ALL: Final = 1_000_000
WIDTH: Final = 120
"""Characters of a line of the files that are written."""

Item = Mapping[str, Any]
"""A question as it is written in a file."""


@dataclass(frozen=True, slots=True)
class EvaluationDatasets:
    """Reads and edits them."""

    stored: Datasets
    feedback: Feedback
    collections: Collections

    def names(self) -> list[str]:
        """Of everything that can be asked: what is kept, feedback where there is any, and the golden questions."""
        kept = [one.name for one in self.stored.page(1, _ALL)[0]]
        given = [FEEDBACK] if self.feedback.page(1, 1)[1] else []
        return [*kept, *given, *([GOLDEN] if checkout_root() else [])]

    def dataset(self, name: str, collection: str | None) -> Dataset:
        """The questions; of feedback, those that were asked of this collection, where one is named.

        Raises `NotFound`, and `ValidationFailed` where nothing of it can be asked.
        """
        if name == FEEDBACK:
            cases = [case for case in self.feedback.page(1, _ALL)[0] if collection in (None, case["collection"])]
            return feedback_dataset(cases, {one.name for one in self.collections.enabled()})
        if name == GOLDEN and checkout_root():
            return read_questions(golden_files(checkout_root())[0], name=GOLDEN)
        text = self.stored.text(name)
        return require_questions(questions_of(text, Path(name), name, digest_of(text)), f"The dataset '{name}'")

    def create(self, name: str, text: str, author: str) -> DatasetVersion:
        """Keep the text of a file under a name. Raises `ValidationFailed` for what can't be read and for a taken name."""
        if name in (FEEDBACK, GOLDEN):
            raise ValidationFailed.of_field("name", "taken", f"'{name}' means another dataset.")
        items = items_of(text, Path(name))
        return self.stored.add(name, text, digest_of(text), len(items), author)

    def items(self, name: str, digest: str | None = None) -> list[dict[str, Any]]:
        """The questions of a version, of the newest without a digest. Raises `NotFound`."""
        return items_of(self.stored.text(name, digest), Path(name))

    def put(self, name: str, base: str, item: Item, replaces: str | None, author: str) -> DatasetVersion:
        """Add a question, or set it in the place of another.

        Raises `ValidationFailed` for one that can't be read, for an id that is taken, and where somebody else has changed the
        dataset; `NotFound` for a dataset or a question that is not there.
        """
        items: list[Item] = [*self.items(name, base)]
        if replaces is None:
            items.append(item)
        else:
            items[_place_of(items, replaces)] = item
        return self._change(name, base, items, author)

    def take_out(self, name: str, base: str, question_id: str, author: str) -> DatasetVersion:
        """Leave a question out from now on. Raises as `put` does."""
        items = self.items(name, base)
        del items[_place_of(items, question_id)]
        return self._change(name, base, items, author)

    def take_labels(self, name: str, base: str, labelled: Mapping[str, Sequence[Item]], author: str) -> DatasetVersion:
        """Give unlabelled questions the places that people have labelled: those by the `question_key` of its text.

        Raises as `put` does, and `ValidationFailed` where no such question has any.
        """
        items = self.items(name, base)
        taken = 0
        for item in items:
            if item.get(UNLABELLED) and (places := labelled.get(question_key(item["query"]))):
                del item[UNLABELLED]
                item["relevant"] = [dict(place) for place in places]
                taken += 1
        if not taken:
            raise ValidationFailed("No question that waits for labels has a passage by now that was labelled with 1 or 2.")
        return self._change(name, base, items, author)

    def restore(self, name: str, base: str, digest: str, author: str) -> DatasetVersion:
        """Let an older version count again, as the newest. Raises as `put` does."""
        text = self.stored.text(name, digest)
        return self.stored.change(name, base, text, digest, len(items_of(text, Path(name))), author)

    def _change(self, name: str, base: str, items: Sequence[Item], author: str) -> DatasetVersion:
        text = yaml.safe_dump([dict(one) for one in items], allow_unicode=True, sort_keys=False, width=WIDTH)
        read = items_of(text, Path(name))
        return self.stored.change(name, base, text, digest_of(text), len(read), author)

    def versions(self, name: str) -> Iterator[DatasetVersion]:
        """Newest first, each digest once. Raises `NotFound`."""
        seen: set[str] = set()
        for version in self.stored.versions(name):
            if version.digest not in seen:
                seen.add(version.digest)
                yield version


def digest_of(text: str) -> str:
    """As a run names a dataset that was read from a file with this text."""
    return hash32(hashlib.sha256(text.encode()).hexdigest())


def question_key(text: str) -> str:
    """The same for a question however its blanks and characters are written, as with labels."""
    return " ".join(canonical(text).split())


def _place_of(items: Sequence[Item], question_id: str) -> int:
    for at, one in enumerate(items):
        if one["id"] == question_id:
            return at
    raise NotFound(f"There is no question '{question_id}' in this dataset.")
