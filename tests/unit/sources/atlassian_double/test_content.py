"""What the double holds: the same for the same seed, in English and Japanese."""

from __future__ import annotations

from lxml import etree

from ....atlassian_server import World


def test_the_same_seed_gives_the_same_content() -> None:
    first, second = World(seed=3, pages=60, issues=30), World(seed=3, pages=60, issues=30)
    assert [(page.id, page.title, page.body) for page in first.pages.values()] == [
        (page.id, page.title, page.body) for page in second.pages.values()
    ]
    assert [(issue.key, issue.summary, issue.blocks) for issue in first.issues.values()] == [
        (issue.key, issue.summary, issue.blocks) for issue in second.issues.values()
    ]


def test_titles_are_unique_in_a_space_and_questions_everywhere() -> None:
    world = World(pages=2000, issues=2000)
    titles = [(page.space, page.title) for page in world.pages.values()]
    questions = [item.fact.question for item in (*world.pages.values(), *world.issues.values()) if item.fact]
    assert len(titles) == len(set(titles)) == 2000
    assert len(questions) == len(set(questions)) > 3800


def test_bodies_are_well_formed_and_hold_the_answer_of_their_page(world: World) -> None:
    for page in world.pages.values():
        text = "".join(etree.fromstring(f'<x xmlns:ac="a" xmlns:ri="r">{page.body}</x>').itertext())
        assert page.fact is None or page.fact.answer in text


def test_there_are_english_and_japanese_pages_in_trees_of_several_levels(world: World) -> None:
    assert {page.language for page in world.pages.values()} == {"en", "ja"}
    assert max(len(world.ancestors(page)) for page in world.pages.values()) >= 3
    assert {part.media_type.partition("/")[0] for part in world.attachments.values()} >= {"text", "image", "application"}
