"""What an evaluation asks: questions, with the documents or places that answer them. Reading is strict and guesses nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragd.core.errors import ValidationFailed


@dataclass(frozen=True, slots=True)
class Relevant:
    """Something that answers a question: a document, or a place in it, by the rules of `relevance`. `grade` counts from 1."""

    source: str
    place: Mapping[str, Any] = field(default_factory=dict)
    grade: int = 1


@dataclass(frozen=True, slots=True)
class Question:
    """A question and all that answers it. `groups` maps a kind of group (`type`, `lang`, `hard`) to the question's own.

    `collection` is set where a dataset is about several; `history` holds the turns before, as `POST /api/query` takes them.
    `facts` are what an answer must say, each in one of several wordings; what is not `answerable` has nothing relevant.
    `reference` is a right answer in words; `passages` are texts to answer from, each with its source.
    """

    id: str
    text: str
    relevant: tuple[Relevant, ...]
    groups: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, Any] | None = None
    collection: str | None = None
    history: tuple[Mapping[str, Any], ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    answerable: bool = True
    reference: str = ""
    passages: tuple[tuple[str, str], ...] = ()

    @property
    def expected(self) -> str:
        """A right answer: the reference, else the facts, each in its first wording; "" where neither is known."""
        return self.reference or "; ".join(wordings[0] for wordings in self.facts)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Questions about one corpus. `hash` is of everything that was read.

    `by_document`: relevance is by document; else by place, and each passage that is at none is an answer of its own.
    `unanswerable` counts questions that were left out, as nothing is known to answer them.
    """

    name: str
    hash: str
    questions: tuple[Question, ...]
    by_document: bool
    unanswerable: int = 0


def broken(path: Path, line: int | None, message: str) -> ValidationFailed:
    """The error for something wrong in a dataset's file."""
    return ValidationFailed(f"{path}{f', line {line}' if line else ''}: {message}")


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal. Raises `ValidationFailed` when it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> ValidationFailed:
    """The error for a file that is not there or may not be read."""
    return ValidationFailed(f"{path} can't be read: {error.strerror or error}.")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file that are not blank, with their numbers. Raises `ValidationFailed`."""
    try:
        with path.open("rb") as file:
            for number, data in enumerate(file, start=1):
                try:
                    line = data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise broken(path, number, "this is no UTF-8.") from error
                if line.strip():
                    yield number, line
    except OSError as error:
        raise unreadable(path, error) from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file that has one a line, with the numbers of their lines. Raises `ValidationFailed`."""
    for number, line in read_lines(path):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise broken(path, number, f"this is no JSON ({error}).") from error
        if not isinstance(value, dict):
            raise broken(path, number, "a JSON object is expected.")
        yield number, value


def text_of(value: Mapping[str, Any], key: str, path: Path, line: int, *, required: bool = True) -> str:
    """A text field of an object. Raises `ValidationFailed` when it is missing, blank or no text."""
    found = value.get(key, None if required else "")
    if not isinstance(found, str) or (required and not found.strip()):
        raise broken(path, line, f"'{key}' must be a text{' that is not empty' if required else ''}.")
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise broken(path, line, f"'{key}' holds half of a surrogate pair.") from error
    return found
