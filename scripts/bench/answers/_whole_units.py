"""Whether what an answer quotes is a whole unit of its source, judged by the source alone and not by the code that quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BULLET = re.compile(r"^- ", re.MULTILINE)
_FENCE = re.compile(r"^ *(`{3,})[^\n]*\n(.*?)^ *\1 *$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r" *(?:\[\d+\])+$", re.MULTILINE)
_ENDED = re.compile(r"[.!?。！？][)\]」』）\"'*`]*\s*$")
_MARKER = re.compile(r"\s*(?:[-*+•・]|\d+[.)])\s*$")
_NEXT_BLOCK = re.compile(r"\s*$|\s*\n\s*(?:\n|[-*+•・]\s|\d+[.)]\s|#|```|\||第\d)|\s*\|")


def bullets(answer: str) -> list[str]:
    """What the answer quotes, without the lead-in and the numbers."""
    starts = [match.start() for match in _BULLET.finditer(answer)]
    return [answer[start + 2 : end].rstrip() for start, end in zip(starts, [*starts[1:], len(answer)], strict=True)]


def fragments(answer: str, sources: list[str]) -> list[str]:
    """The bullets of an answer that are no whole unit of any of these sources."""
    return [bullet for bullet in bullets(answer) if not any(_is_whole(bullet, source) for source in sources)]


def _is_whole(bullet: str, source: str) -> bool:
    code = _FENCE.search(bullet)
    if code:
        if not _is_code_block(code[2], source):
            return False
        bullet = bullet[: code.start()]
    return all(_stands_whole(part, source) for part in _parts(_MARK.sub("", bullet)) if part)


def _parts(bullet: str) -> Iterator[str]:
    """Its lines, and of a row each cell with its head."""
    for line in bullet.split("\n"):
        text = re.sub(r"^\s*(?:[-*+•・]|\d+[.)])\s+", "", line).strip()
        yield text


def _is_code_block(code: str, source: str) -> bool:
    """Whether these lines are the whole of a block that blank lines or fences close in."""
    lines = [line.strip() for line in code.strip("\n").split("\n")]
    have = [line.strip() for line in source.split("\n")]
    for at in range(len(have) - len(lines) + 1):
        if have[at : at + len(lines)] == lines:
            before = have[at - 1] if at else ""
            after = have[at + len(lines)] if at + len(lines) < len(have) else ""
            if before in ("", *filter(lambda line: line.startswith("```"), have)) and after in ("", "```"):
                return True
    return False


def _stands_whole(text: str, source: str) -> bool:
    squeezed, places = _squeezed(source)
    if any(_is_at(text, at, places, source) for at in _found(text, squeezed)):
        return True
    # A row: `head: cell; head: cell`.
    rows = [line for line in source.split("\n") if line.startswith("|")]
    said = {_no_blanks(pair) for pair in text.split("; ")}
    for head in rows:
        for row in rows:
            names, cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in (head, row))
            if len(names) == len(cells) and said == {_no_blanks(f"{n}: {c}") for n, c in zip(names, cells, strict=True)}:
                return True
    # A definition: `term: what it means`, each of which stands whole.
    term, colon, meaning = text.partition(": ")
    while colon:
        ends = [at for at in _found(meaning, squeezed) if _is_at(meaning, at, places, source)]
        if ends and all(_line_of(name, source) for name in term.split(", ")[:1]):
            return True
        further, colon, meaning = meaning.partition(": ")
        term = f"{term}: {further}"
    return False


def _line_of(name: str, source: str) -> bool:
    return any(line.strip().startswith(name) for line in source.split("\n"))


def _found(text: str, squeezed: str) -> Iterator[int]:
    wanted = _no_blanks(text)
    at = squeezed.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = squeezed.find(wanted, at + 1)


def _is_at(text: str, at: int, places: list[int], source: str) -> bool:
    first, last = places[at], places[at + len(_no_blanks(text)) - 1]
    before, after = source[:first], source[last + 1 :]
    line = before.rpartition("\n")[2]
    above = before[: len(before) - len(line)].rstrip("\n").rpartition("\n")[2].strip()
    begins = (
        not before.strip()
        or _ENDED.search(before)
        or _MARKER.fullmatch(line)
        or line.strip() == ":"
        or (line.endswith(("  ", "| ")) and line.strip() != "")
        or (not line.strip() and (not above or before.endswith("\n\n" + line) or above.startswith(("#", "|")) or _is_head(above)))
        or (not line.strip() and _indent(source, first) > _indent_of_line_above(before))
    )
    ended = _ENDED.search(text) or _NEXT_BLOCK.match(after) or _indent_changes(source, first, after)
    return bool(begins and ended)


def _is_head(line: str) -> bool:
    """A label: short, and without a full stop."""
    return len(line) < 40 and not _ENDED.search(line) and (line.startswith("第") or len(line) < 24)


def _indent(source: str, at: int) -> int:
    return at - (source.rfind("\n", 0, at) + 1)


def _indent_of_line_above(before: str) -> int:
    lines = before.split("\n")
    above = lines[-2] if len(lines) > 1 else ""
    return len(above) - len(above.lstrip())


def _indent_changes(source: str, first: int, after: str) -> bool:
    line = after.partition("\n")[2].partition("\n")[0]
    return after.startswith("\n") and len(line) - len(line.lstrip()) < _indent(source, first)


def _squeezed(source: str) -> tuple[str, list[int]]:
    places = [at for at, char in enumerate(source) if not char.isspace()]
    return "".join(source[at] for at in places), places


def _no_blanks(text: str) -> str:
    return "".join(text.split())
