"""Datasets of our own format: questions with the places that answer them, as a YAML list or as JSON Lines with the same fields.

See `tests/golden/README.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from ragd.core.errors import RagError, ValidationFailed
from ragd.core.ids import hash32
from ragd.evaluation.datasets import Dataset, Question, Relevant, broken, digest_of, read_objects, text_of, unreadable
from ragd.evaluation.relevance import wrong_place
from ragd.retrieve.filters import parse_filters

JSON_LINES = ".jsonl"
GOLDEN: Final = "golden"
UNLABELLED: Final = "unlabelled"
"""The field of a question of which nobody has said yet what answers it."""
_KEYS = {
    *("id", "query", "lang", "type", "relevant", "filters", "hard", "demo", "facts", "answerable", "answer", "passages"),
    UNLABELLED,
}
_RELEVANT_KEYS = {"source", "place", "grade"}


def golden_files(root: Path | None) -> tuple[Path, Path]:
    """The golden questions and the folder of their documents, in a checkout. Raises `ValidationFailed` without one (None)."""
    if root is None:
        raise ValidationFailed(
            "The golden questions and their documents are in the project's checkout and not in an installed package. "
            "Run this from a checkout, or give --dataset a path."
        )
    return root / "tests" / "golden" / "questions.yaml", root / "data" / "samples"


def read_questions(path: Path, *, name: str | None = None) -> Dataset:
    """The questions of a file. Raises `ValidationFailed`, which names the line at which a question begins."""
    lines = read_objects(path) if path.suffix == JSON_LINES else _items(path, _text(path))
    return require_questions(_dataset(lines, path, name or path.stem, hash32(digest_of(path))), str(path))


def require_questions(found: Dataset, called: str) -> Dataset:
    """The dataset. Raises `ValidationFailed`, which says what it waits for, where nothing of it can be asked."""
    if not found.questions:
        waiting = f" that are labelled; {found.unanswerable} wait for labels" if found.unanswerable else ""
        raise ValidationFailed(f"{called} holds no questions{waiting}.")
    return found


def questions_of(text: str, where: Path, name: str, digest: str) -> Dataset:
    """The questions of a file's text, of which there may be none. `where` it stands is said with what is wrong.

    Raises `ValidationFailed`, which names the line at which a question begins.
    """
    return _dataset(_items(where, text), where, name, digest)


def _dataset(lines: Iterable[tuple[int, Any]], where: Path, name: str, digest: str) -> Dataset:
    """Those that nobody has labelled yet can't be asked: they are counted as `unanswerable`."""
    questions: dict[str, Question] = {}
    unlabelled: set[str] = set()
    for line, value in lines:
        question = _question(where, line, value)
        if question.id in questions:
            raise broken(where, line, f"the id '{question.id}' stands twice.")
        questions[question.id] = question
        if value.get(UNLABELLED):
            unlabelled.add(question.id)
    asked = tuple(question for question in questions.values() if question.id not in unlabelled)
    return Dataset(name, digest, asked, by_document=False, unanswerable=len(unlabelled))


def items_of(text: str, where: Path) -> list[dict[str, Any]]:
    """The questions of a text as they are written there. Raises `ValidationFailed` as `questions_of` does."""
    questions_of(text, where, where.stem, "")
    return [value for _, value in _items(where, text)]


def documents_hash(folder: Path) -> str:
    """Hash of the names and the contents of all files below a folder. Raises `ValidationFailed`."""
    if not folder.is_dir():
        raise ValidationFailed(f"{folder} is no folder of documents.")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return hash32(*(part for path in files for part in (path.relative_to(folder).as_posix(), digest_of(path))))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise ValidationFailed(f"{path} is no UTF-8.") from error


def _items(path: Path, text: str) -> list[tuple[int, Any]]:
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is not None and not isinstance(node, yaml.SequenceNode):
            raise broken(path, node.start_mark.line + 1, "a list of questions is expected.")
        return [(item.start_mark.line + 1, loader.construct_document(item)) for item in (node.value if node else ())]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise broken(path, line, f"this is no YAML ({error.problem}).") from error
    except (yaml.YAMLError, ValueError) as error:  # a character that YAML forbids, a date that is none
        raise broken(path, None, f"this is no YAML ({error}).") from error
    finally:
        loader.dispose()


def _question(path: Path, line: int, value: Any) -> Question:
    if not isinstance(value, dict):
        raise broken(path, line, "a question with 'id', 'query' and 'relevant' is expected.")
    _check_keys(path, line, value, _KEYS)
    answerable, unlabelled = value.get("answerable", True), value.get(UNLABELLED, False)
    if unlabelled and ("relevant" in value or "answerable" in value):
        raise broken(path, line, "'unlabelled' questions have neither 'relevant' nor 'answerable'.")
    # What carries its passages can be asked without a search.
    carried = _passages(path, line, value.get("passages", []))
    needed = answerable and not carried and not unlabelled
    listed = value.get("relevant", None if needed else [])
    if not isinstance(listed, list) or (needed and not listed) or (listed and not answerable):
        wanted = "must list at least one place" if answerable else "must be left out where 'answerable' is false"
        raise broken(path, line, f"'relevant' {wanted}.")
    groups = {kind: text_of(value, kind, path, line) for kind in ("type", "lang") if kind in value}
    for flag in ("hard", "demo", "answerable", UNLABELLED):
        if not isinstance(value.get(flag, False), bool):
            raise broken(path, line, f"'{flag}' must be true or false.")
    filters = value.get("filters")
    try:
        parse_filters(filters if filters is None or isinstance(filters, dict) else {"filters": filters})
    except RagError as error:
        raise broken(path, line, error.message) from error
    return Question(
        id=text_of(value, "id", path, line),
        text=text_of(value, "query", path, line),
        relevant=tuple(_relevant(path, line, item) for item in listed),
        groups=groups | {"hard": "yes" if value.get("hard") else "no"},
        filters=filters,
        facts=_facts(path, line, value.get("facts", [])),
        answerable=answerable,
        passages=carried,
        reference=text_of(value, "answer", path, line) if "answer" in value else "",
    )


def _facts(path: Path, line: int, listed: Any) -> tuple[tuple[str, ...], ...]:
    facts = [[one] if isinstance(one, str) else one for one in listed] if isinstance(listed, list) else [None]
    if not all(isinstance(one, list) and one and all(isinstance(text, str) and text.strip() for text in one) for one in facts):
        raise broken(path, line, "'facts' must be a list of texts, or of lists of wordings of which one is enough.")
    return tuple(tuple(one) for one in facts if one)


def _passages(path: Path, line: int, listed: Any) -> tuple[tuple[str, str], ...]:
    passages = [{"text": one} if isinstance(one, str) else one for one in listed] if isinstance(listed, list) else [None]
    for one in passages:
        if not isinstance(one, dict) or not set(one) <= {"text", "source"}:
            raise broken(path, line, "'passages' must be a list of texts, or of 'text' with 'source'.")
    return tuple(
        (text_of(one, "text", path, line), text_of(one, "source", path, line, required=False)) for one in passages if one
    )


def _relevant(path: Path, line: int, item: Any) -> Relevant:
    if not isinstance(item, dict):
        raise broken(path, line, "each of 'relevant' must have 'source' and 'place'.")
    _check_keys(path, line, item, _RELEVANT_KEYS)
    place, grade = item.get("place"), item.get("grade", 1)
    if not isinstance(place, dict):
        raise broken(path, line, "'place' is missing; '{}' is the whole document.")
    if problem := wrong_place(place):
        raise broken(path, line, problem)
    if not isinstance(grade, int) or isinstance(grade, bool) or grade < 1:
        raise broken(path, line, "'grade' must be a whole number from 1.")
    return Relevant(text_of(item, "source", path, line), place, grade)


def _check_keys(path: Path, line: int, value: Mapping[Any, Any], known: set[str]) -> None:
    if unknown := [str(key) for key in value if key not in known]:
        raise broken(path, line, f"'{unknown[0]}' is not known here. Known: {', '.join(sorted(known))}.")
