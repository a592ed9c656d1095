"""Every regular expression takes time in proportion to its text: a file or a question must not be able to stop the daemon."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from ragd.language import identifiers
from ragd.retrieve.ranking import asked

from .patterns import Expression, collected
from .shapes import LIMIT, Shape, Slow, distinct, shapes_for, use, worst

pytestmark = pytest.mark.slow

# CPU seconds; what takes less for 1,500 characters does not take a second for a megabyte even where it grows a little faster.
_FLOOR_S: Final = 0.0006
# Each process of a run that takes one of them collects the expressions first.
_PARTS: Final = 2

_MADE_OF_ESCAPED_TEXT: Final = {
    "ragd.api.middleware.security:_Hosts.__init__": r"(?:localhost|\[::1\]|rag\.example\.com)(?::[0-9]{1,5})?",
    "ragd.answer.contradictions:_holds": r"(?<![a-z0-9_])k8s(?![a-z0-9_])",
    "ragd.cli.common.excerpt:matcher": r"\bleas\w*|KST\-12",
    "ragd.core.http:without_key": r"abcd[\w*.\-]*",
    "ragd.formats.jira.wiki_inline:_Line._positions": r"\{code\}",
    "ragd.formats.jira.wiki_markup:": r"(?<!\{)\{quote\}(?!\})",
    "ragd.providers.llms.calls:RemoteModel.adapts_to": r"\btemperature\b",
    "ragd.retrieve.planning.keywords:_in_order": r"(max_jobs|KST\-12)",
    "ragd.retrieve.planning.planner:_language": r"max_jobs|KST\-12",
    "ragd.retrieve.planning.synonyms:_holds": r"(?<!\w)k8s(?!\w)",
    "ragd.retrieve.ranking.asked:_number_of": rf"{asked._NUMBER} ?件",
    "ragd.retrieve.ranking.asked:_number_near": (
        rf"{asked._NUMBER}(?:[\s|,-]{{1,3}}\w{{1,20}}){{0,2}}[\s|,-]{{1,3}}days|days\w{{0,20}}(?:[\s|:,-]{{1,3}}\w{{1,20}}){{0,2}}[\s|:,-]{{1,3}}[0-9]"
    ),
    "ragd.retrieve.ranking.confidence:_holds": r"(?<![a-z0-9_])k8s(?![a-z0-9_])",
}
"""Calls whose pattern is put together when they are made, each with one that it makes."""
_KEPT_IN_TABLES: Final = {
    "ragd.answer.contradictions:",
    "ragd.retrieve.ranking.asked:",
    "ragd.diagrams.mermaid:_lines",
    "ragd.formats.code.lexing:_pattern",
    "ragd.formats.code.patterns:_patterns",
    "ragd.ingest.discovery.globs:compile_glob",
    "ragd.vision.routing:",
}
"""The same, whose patterns stand in a table of the module, or have a test of their own."""
_GIVEN_A_PART: Final[dict[str, tuple[Callable[[str], str], tuple[re.Pattern[str], ...]]]] = {
    "ragd.language.identifiers._ANY": (identifiers.without_long_runs, (identifiers._TOO_LONG,)),
    "ragd.answer.contradictions._SENTENCE_START": (lambda text: text[-8:], ()),
}
"""Patterns that are given part of a text only: the function that chooses the part, and the patterns that it chooses by."""


@pytest.fixture(scope="module")
def expressions() -> tuple[dict[tuple[Any, int], Expression], dict[str, str]]:
    return collected()


@pytest.mark.parametrize("part", range(_PARTS))
def test_no_expression_takes_the_square_of_a_texts_length(
    part: int,
    expressions: tuple[dict[tuple[Any, int], Expression], dict[str, str]],
) -> None:
    found, _ = expressions
    samples = [Expression(re.compile(pattern), [place]) for place, pattern in _MADE_OF_ESCAPED_TEXT.items()]
    assert len(found) > 300
    slow = []
    for expression in [*found.values(), *samples][part::_PARTS]:
        if shape := _worst_for(expression):
            slow.append(f"{expression.places[0]} {expression.pattern.pattern!r}: {shape}")
    assert not slow, "\n".join(slow)


def _worst_for(expression: Expression) -> Slow | None:
    pattern = expression.pattern
    measured, shapes = use(pattern, expression.methods), shapes_for(pattern)
    part = next((_GIVEN_A_PART[place] for place in expression.places if place in _GIVEN_A_PART), None)
    if not part:
        return worst(measured, distinct(shapes, pattern), _FLOOR_S)
    choose, chosen_by = part
    seen = set()

    def known(text: str) -> bool:
        # Most long texts are nothing but blanks then, of almost the same number.
        given = re.sub(" {257,}", " ", choose(text))
        found = given in seen
        seen.add(given)
        return found

    return worst(lambda text: measured(choose(text)), distinct(shapes, pattern, *chosen_by), _FLOOR_S, known)


def test_texts_that_an_expression_can_not_tell_apart_are_measured_once() -> None:
    def kept(pattern: str, *atoms: str) -> list[str]:
        return [shape.atom for shape in distinct([Shape(atom) for atom in atoms], re.compile(pattern))]

    assert kept(r"[0-9]+x", "1", "2", "12", "x", "y", "é", "x1", "1x") == ["1", "x", "y", "x1", "1x"]
    assert kept(r"\d+", "1", "\u0661", "a", "\n", "-") == ["1", "a", "\n", "-"]
    assert kept(r"(?a:\d+)(?i:k)", "1", "\u0661", "k", "K", "-") == ["1", "\u0661", "k", "-"]
    # Here it counts whether two are the same.
    assert kept(r"(.)\1", "a", "b", "ab") == ["a", "b", "ab"]


def test_no_call_of_an_expression_is_overlooked(
    expressions: tuple[dict[tuple[Any, int], Expression], dict[str, str]],
) -> None:
    _, made_later = expressions
    assert set(made_later) == {*_MADE_OF_ESCAPED_TEXT, *_KEPT_IN_TABLES}


@pytest.mark.parametrize(
    "pattern",
    [
        r"[ \t]+(?=\n|$)",
        r"\s*(?:\[\d{1,3}\])+",
        r"(?:(?<=\w)(\+\+|#)|[^\w])[^\w]*$",
        r"(?P<ticks>`+)(?P<code>[^`\n]{1,500}?)(?P=ticks)",
        r"<(?=\s*/?\s*passage\b)",
        r"([\w:-]+)\s*=\s*\"[^\"]*\"",
    ],
)
def test_an_expression_that_stopped_the_daemon_is_found(pattern: str) -> None:
    compiled = re.compile(pattern)
    found = worst(use(compiled, {"sub"}), shapes_for(compiled), _FLOOR_S)
    assert found
    assert found.ratio > LIMIT
