"""Types of sources: each has a handler, and only the registry and a type's own modules know its name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ragd.core.errors import ValidationFailed
from ragd.providers.registry import names
from ragd.sources.registry import local_types

from .conftest import Place

PACKAGE = Path(__file__).resolve().parents[3] / "server" / "ragd"
LOOKED_AT = ("access", "api", "app", "jobs", "sources", "store")
OWN = {"sources/registry.py", "sources/folder", "sources/atlassian", "sources/confluence", "sources/jira"}


def named_types(path: Path) -> set[str]:
    """Types of sources that a module's code names."""
    constants = (node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)} & {*local_types(), *names("source")}


@pytest.mark.slow
def test_only_the_registry_and_a_type_itself_know_its_name() -> None:
    wrong = {
        relative: found
        for folder in LOOKED_AT
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        if not {(relative := path.relative_to(PACKAGE).as_posix()), path.parent.relative_to(PACKAGE).as_posix()} & OWN
        and (found := named_types(path))
    }
    assert wrong == {}


def test_a_type_that_nobody_registered_can_not_be_added_but_a_source_of_it_stays_remote(place: Place) -> None:
    handlers = place.service._handlers
    with pytest.raises(ValidationFailed, match="Known: folder, confluence, jira"):
        handlers.known("gone")
    assert handlers.of("gone").is_remote
    assert not handlers.known("folder").is_remote
    assert handlers.known("jira") is handlers.known("confluence")
