"""The demo of the cloud sources: what it tells people to type can be typed, and what it changes is changed."""

from __future__ import annotations

import random
import shlex
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from ragd.cli.sources.cloud import add

from ...atlassian_server import World, serve
from .loading import load

demo = load("demo_cloud")


@pytest.fixture
def world() -> World:
    return World(spaces=3, pages=90, projects=2, issues=20)


def test_every_line_to_add_a_source_is_one_that_the_program_takes(world: World, tmp_path: Path) -> None:
    tokens = demo.write_tokens(world, tmp_path)
    with serve(world) as served:
        told = demo.told(world, served, tokens)
    lines = [shlex.split(line) for line in told.splitlines() if line.startswith("  rag sources add ")]
    assert [line[3] for line in lines] == ["confluence", "jira", "confluence"]
    for line in lines:
        command = add.get_command(click.Context(add), line[3])
        assert command is not None
        given = command.make_context(line[3], line[4:], obj=SimpleNamespace()).params
        assert given["base_url"].startswith(served.base)
        assert set(given.get("spaces", ())) <= set(world.spaces)
        assert set(given.get("projects", ())) <= set(world.projects)
        assert Path(given["token"].removeprefix("file:")).read_text("utf-8") in world.accounts


def test_it_asks_for_what_the_sources_hold_in_both_languages(world: World) -> None:
    page_facts = {page.fact.question: page for page in world.pages.values() if page.fact}
    asked = demo.questions(world)
    assert {page_facts[question].language for question in asked if question in page_facts} == {"en", "ja"}
    assert len(asked) == 3
    assert demo.questions(World(spaces=3, pages=0, projects=2, issues=0)) == []


def test_a_guest_reads_one_space_and_nobody_what_is_restricted(world: World, tmp_path: Path) -> None:
    tokens = {name: path.read_text("utf-8").rpartition(":")[2] for name, path in demo.write_tokens(world, tmp_path).items()}
    assert {page.space for page in world.readable_pages(tokens["guest"])} == {"OPS"}
    assert any(page.readers is not None for page in world.pages.values())
    assert all(page.readers is None for page in world.readable_pages(tokens["cloud"]))


def test_each_round_changes_pages_and_says_which(world: World) -> None:
    before = {page.id: page.version for page in world.pages.values()}
    said = demo.change_some(world, random.Random(1))
    edited = [page for page in world.pages.values() if page.version > before.get(page.id, page.version)]
    assert len(edited) == demo.CHANGES
    for page in edited:
        assert f"edited page {page.id}: {page.title}" in said
