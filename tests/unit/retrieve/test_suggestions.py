"""What completes what somebody types: by its beginning, by the beginning of a word, in Chinese and Japanese by any part."""

from __future__ import annotations

import pytest

from ragd.retrieve.suggestions import NameKind, SuggestionIndex, completions, named


def index(*names: str, kind: NameKind = "heading", version_id: str = "v1") -> SuggestionIndex:
    return SuggestionIndex(use for name in names if (use := named(kind, name, version_id)) is not None)


def found(typed: str, *indexes: SuggestionIndex) -> list[str]:
    return [name.text for name in completions(indexes, typed)]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("res", ["Restore", "Backup and restore"]),
        ("RES", ["Restore", "Backup and restore"]),
        ("ｒｅｓ", ["Restore", "Backup and restore"]),
        ("and rest", ["Backup and restore"]),
        ("store", []),
        ("backup ", ["Backup and restore"]),
        ("backupand", []),
        ("", []),
        (" \t", []),
        ("!?", []),
    ],
)
def test_latin_names_are_found_by_the_beginning_of_a_word(typed: str, expected: list[str]) -> None:
    assert found(typed, index("Backup and restore", "Restore", "Figures")) == expected


@pytest.mark.parametrize("typed", ["アップ", "ｱｯﾌﾟ", "手順", "バックアップの手順"])
def test_names_without_blanks_are_found_by_any_part(typed: str) -> None:
    assert found(typed, index("バックアップの手順", "設定")) == ["バックアップの手順"]


def test_chinese_names_are_found_by_any_part_and_a_name_that_begins_so_comes_first() -> None:
    assert found("备份", index("如何备份数据", "备份", "恢复")) == ["备份", "如何备份数据"]


@pytest.mark.parametrize("typed", ["getu", "user n", "name", "GETUSERNAME", "getusername get"])
def test_identifiers_are_found_by_the_words_inside_of_them(typed: str) -> None:
    assert found(typed, index("getUserName", kind="identifier")) == ["getUserName"]


def test_signs_between_words_do_not_matter() -> None:
    names = index("max_connections", "KES-000017", "sources.list", kind="identifier")
    assert found("max conn", names) == found("max_conn", names) == ["max_connections"]
    assert found("kes-0000", names) == ["KES-000017"]
    assert found("list", names) == ["sources.list"]


def test_titles_come_first_then_what_many_versions_hold() -> None:
    uses = [
        named("heading", "Setup of proxies", "v1"),
        named("heading", "Setup", "v1"),
        named("heading", "Setup of proxies", "v2"),
        named("title", "Setup of the whole machine", "v3"),
        named("identifier", "setup_all", "v3"),
    ]
    names = SuggestionIndex(use for use in uses if use is not None)
    assert found("setup", names) == ["Setup of the whole machine", "Setup of proxies", "Setup", "setup_all"]
    carriers = {name.text: name.carriers for name in completions([names], "setup")}
    assert carriers["Setup of proxies"] == ("v1", "v2")


def test_collections_are_merged_by_how_well_their_names_match() -> None:
    one, other = index("A guide", "Guide"), index("Guidelines", "The guide of guides", version_id="v2")
    assert found("gui", one, other) == ["Guide", "Guidelines", "A guide", "The guide of guides"]


def test_what_is_no_name_is_left_out() -> None:
    assert named("heading", " - ", "v1") is None
    assert named("heading", "x" * 201, "v1") is None
    spread = named("title", " Backup \n and  restore ", "v1")
    assert spread is not None
    assert spread.text == "Backup and restore"


def test_what_is_found_is_bounded() -> None:
    assert len(found("a", index(*(f"a{number} b" for number in range(500))))) <= 150
