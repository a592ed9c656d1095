"""What each picture of the golden set shows: drawn from this, or seen by somebody. A stand-in for a model that sees says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ragd.vision.description import ImageType


@dataclass(frozen=True, slots=True)
class Bars:
    """Upright bars from zero. `unit` is written at the upright axis."""

    title: str
    names: tuple[str, ...]
    values: tuple[int, ...]
    unit: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Curves over the same labels, each with its name in the legend."""

    title: str
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[int, ...]], ...]
    unit: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table; its first row holds the headings."""

    title: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """Steps by (text, column, row); a text that ends in a question mark is a diamond. Arrows by (from, to, label)."""

    title: str
    steps: tuple[tuple[str, int, int], ...]
    arrows: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class Window:
    """A dialog or a page of settings: a title, a message or fields with their values, buttons."""

    title: str
    message: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    buttons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What somebody saw who looked at a picture that nobody of the project made, in the language of its note."""

    kind: ImageType
    title: str
    summary: str
    points: tuple[str, ...] = ()


Truth: TypeAlias = Bars | Lines | Grid | Flow | Window | Seen


@dataclass(frozen=True, slots=True)
class Case:
    """A picture in a note of its own, and what is asked of it: each question with a pattern of the line that tells its answer.

    `topic` is the note's heading; other notes of the topic name `words` of the picture, too.

    `file` is a picture of data/samples, `""` for one that is drawn from `truth`, or was seen elsewhere.
    """

    name: str
    topic: str
    language: str
    truth: Truth
    questions: tuple[tuple[str, str], ...]
    words: tuple[str, ...] = field(default=())
    file: str = ""
