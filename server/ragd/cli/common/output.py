"""What goes to the terminal: JSON as the service gave it, tables and passages for people.

Results go to stdout, everything else (progress, warnings, questions) to stderr. What documents say is data: control characters
are taken out, so that no text can drive the terminal, and nothing is read as markup.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console

# A pipe has no width; lines of this many columns can be read.
_PIPE_WIDTH = 100

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def use_utf8() -> None:
    """Make every text printable: UTF-8 into files and pipes, and a sign in place of what a terminal's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def is_drawable(stream: TextIO) -> bool:
    """Whether a stream is a terminal that can move its cursor and show colours."""
    return stream.isatty() and os.environ.get("TERM", "") != "dumb"


def width() -> int:
    """Columns to fill."""
    return shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns


def console(stream: TextIO | None = None) -> Console:
    """A rich console that draws only on a terminal that can; elsewhere it writes plain lines."""
    from rich.console import Console

    stream = stream or sys.stdout
    drawable = is_drawable(stream)
    return Console(
        file=stream,
        width=width(),
        force_terminal=drawable,
        color_system="auto" if drawable else None,
        legacy_windows=None if drawable else False,
        markup=False,
        highlight=False,
        emoji=False,
    )


def clean(value: object) -> str:
    """A text without control characters (newline and tab stay) and without half characters."""
    text = _CONTROL.sub("", str(value).replace("\r\n", "\n"))
    return text.encode("utf-8", errors="replace").decode("utf-8")


def one_line(value: object) -> str:
    return " ".join(clean(value).split())


def echo_json(value: Any) -> None:
    """Print a value as JSON, characters as they are."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    click.echo(text.encode("utf-8", errors="replace").decode("utf-8"))


def note(message: str) -> None:
    """Say something that is not the result."""
    click.echo(clean(message), err=True)


def warn(message: str) -> None:
    note(f"Warning: {message}")


def table(headings: Sequence[str], rows: Sequence[Sequence[object]], *, numeric: Sequence[str] = ()) -> None:
    """Print rows under headings. On a terminal, long values are wrapped to its width; in a pipe, every row is one line."""
    texts = [[one_line(value) for value in row] for row in rows]
    if is_drawable(sys.stdout):
        _draw_table(headings, texts, numeric)
        return
    widths = [max(cells(row[index]) for row in [list(headings), *texts]) for index in range(len(headings))]
    for row in [[heading.upper() for heading in headings], *texts]:
        padded = [
            " " * (columns - cells(text)) + text if heading in numeric else text + " " * (columns - cells(text))
            for text, columns, heading in zip(row, widths, headings, strict=True)
        ]
        click.echo("  ".join(padded).rstrip())


def note_other_pages(answer: Mapping[str, Any]) -> None:
    """Say how many rows of a list are on other pages."""
    pages = -(-answer["total"] // answer["page_size"])
    if pages > 1:
        note(f"Page {answer['page']} of {pages} ({answer['total']:,} in all); see --page and --limit.")


def listing(
    headings: Sequence[str],
    row: Callable[[Mapping[str, Any]], Sequence[object]],
    *,
    empty: str = "",
    numeric: Sequence[str] = (),
) -> Callable[[Mapping[str, Any]], None]:
    """Prints a page of a list, a row for each item; `empty` stands for a list without items."""

    def show(answer: Mapping[str, Any]) -> None:
        if empty and not answer["total"]:
            click.echo(empty)
            return
        table(headings, [row(item) for item in answer["items"]], numeric=numeric)
        note_other_pages(answer)

    return show


def print_failed(items: Sequence[Mapping[str, Any]], heading: str = "failed") -> None:
    """The files or items that could not be read, if any, with the reason of each."""
    if items:
        click.echo()
        table((heading, "code", "reason"), [(item["source"], item["code"], item["message"]) for item in items])


def fields(pairs: Sequence[tuple[str, object]]) -> None:
    """Print names and values, one pair a line."""
    margin = max(len(name) for name, _ in pairs) + 2
    for name, value in pairs:
        click.echo(f"{name:<{margin}}{one_line(value)}".rstrip())


def cells(text: str) -> int:
    """Columns that a text takes: characters of East Asian scripts take two, combining ones none."""
    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def size(count: float) -> str:
    """A number of bytes as people say it."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def moment(timestamp: str | None) -> str:
    """An ISO 8601 time in UTC as the local time of day, to the second."""
    if not timestamp:
        return ""
    from datetime import datetime

    return datetime.fromisoformat(timestamp).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _draw_table(headings: Sequence[str], texts: Sequence[Sequence[str]], numeric: Sequence[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings:
        # What people copy must stay in one piece.
        whole = heading in ("id", "model", "queued")
        justify: Literal["right", "left"] = "right" if heading in numeric else "left"
        drawn.add_column(Text(heading.upper()), justify=justify, overflow="fold", no_wrap=whole)
    for row in texts:
        drawn.add_row(*(Text(text) for text in row))
    console().print(drawn)
