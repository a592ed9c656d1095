"""The section tree."""

from __future__ import annotations

from ragd.core.documents import Section
from ragd.core.ids import canonical, hash32
from ragd.core.sections import split_sections
from ragd.formats.markdown.loader import MarkdownLoader


def sections_of(text: str, doc_id: str = "doc") -> tuple[str, list[Section]]:
    document = MarkdownLoader().load(text.encode(), "a.md")
    return document.markdown, split_sections(document, doc_id)


def test_a_section_holds_its_own_text_and_not_its_subsections() -> None:
    facts, sections = sections_of("intro\n\n# A\n\na\n\n## B\n\nb\n\n# C\n\nc\n")
    assert [(section.path, facts[section.start : section.end].strip()) for section in sections] == [
        ((), "intro"),
        (("A",), "a"),
        (("A", "B"), "b"),
        (("C",), "c"),
    ]


def test_levels_that_jump_still_nest() -> None:
    _, sections = sections_of("### Deep\n\na\n\n# Top\n\nb\n\n#### Far\n\nc\n\n## Near\n\nd\n")
    assert [section.path for section in sections] == [("Deep",), ("Top",), ("Top", "Far"), ("Top", "Near")]


def test_a_document_without_headings_is_one_section_with_an_empty_path() -> None:
    _, sections = sections_of("just text")
    assert [(section.path, section.start, section.end) for section in sections] == [((), 0, 9)]


def test_a_blank_root_is_left_out_when_there_are_headings() -> None:
    _, sections = sections_of("\n\n# A\n\ntext")
    assert [section.path for section in sections] == [("A",)]


def test_ids_are_made_as_the_architecture_says() -> None:
    facts, sections = sections_of("# A\n\none\n\n## B\n\ntwo\n\n# A\n\nthree\n", doc_id="d1")
    assert [section.section_id for section in sections] == [
        hash32("d1", "A", "0"),
        hash32("d1", "A\x1fB", "0"),
        hash32("d1", "A", "1"),
    ]
    assert sections[0].section_hash == hash32(canonical(facts[sections[0].start : sections[0].end]))


def test_an_edit_in_one_section_leaves_the_others_ids_and_hashes() -> None:
    _, before = sections_of("# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n")
    _, after = sections_of("# A\n\none, with much more text\n\n# B\n\ntwo\n\n# C\n\nthree\n")
    assert [section.section_id for section in before] == [section.section_id for section in after]
    changed = [old.path for old, new in zip(before, after, strict=True) if old.section_hash != new.section_hash]
    assert changed == [("A",)]
