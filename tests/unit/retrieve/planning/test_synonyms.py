"""The user's synonyms: strict, found by analysed form, read again when the file changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.core.errors import SettingsError
from ragd.core.query import Filters
from ragd.providers.analyzers.sudachi import SudachiAnalyzer
from ragd.providers.analyzers.terms import BigramAnalyzer
from ragd.retrieve.planning.planner import Planner
from ragd.retrieve.planning.synonyms import Synonyms


def found(analyzer: SudachiAnalyzer | BigramAnalyzer, path: Path, content: str, text: str) -> tuple[str, ...]:
    path.write_text(content, encoding="utf-8")
    return Synonyms(path, analyzer).expand(text, analyzer.tokens(text)).synonyms


GROUPS = """
- [k8s, Kubernetes, container orchestration]
- [年休, 有給休暇, paid leave]
- [超时, timeout, タイムアウト]
- [404, not found]
"""


@pytest.mark.parametrize(
    ("text", "synonyms"),
    [
        ("KUBERNETES clusters", ("k8s", "container orchestration")),
        ("container orchestration", ("k8s", "Kubernetes")),
        ("paid leaves of absence", ("年休", "有給休暇")),
        ("年休の申請方法", ("有給休暇", "paid leave")),
        ("有給休暇の申請", ("年休", "paid leave")),
        ("数据库连接超时怎么办", ("timeout", "タイムアウト")),
        ("タイムアウトの設定", ("超时", "timeout")),
        ("error 404", ("not found",)),
        ("container of orchestration", ()),
        ("paid holidays", ()),
        ("k8s and kubernetes", ("container orchestration",)),
        ("🎉", ()),
    ],
)
def test_a_group_stands_for_each_of_its_terms(
    analyzer: SudachiAnalyzer, tmp_path: Path, text: str, synonyms: tuple[str, ...]
) -> None:
    assert found(analyzer, tmp_path / "s.yaml", GROUPS, text) == synonyms
    assert found(BigramAnalyzer(), tmp_path / "s.yaml", GROUPS, text) == synonyms


def test_a_mapping_goes_one_way(analyzer: SudachiAnalyzer, tmp_path: Path) -> None:
    content = "k8s: [kubernetes]\nvm: virtual machine\n"
    assert found(analyzer, tmp_path / "s.yaml", content, "k8s on a VM") == ("kubernetes", "virtual machine")
    assert found(analyzer, tmp_path / "s.yaml", content, "kubernetes") == ()


def test_of_terms_that_begin_together_the_longest_counts(analyzer: SudachiAnalyzer, tmp_path: Path) -> None:
    content = "- [new york, nyc]\n- [new york times, nyt]\n"
    assert found(analyzer, tmp_path / "s.yaml", content, "the New York Times office") == ("nyt",)


@pytest.mark.parametrize("content", ["", "# only a comment\n", "---\n"])
def test_an_empty_file_holds_no_synonyms(analyzer: SudachiAnalyzer, tmp_path: Path, content: str) -> None:
    assert found(analyzer, tmp_path / "s.yaml", content, "k8s") == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("- [a, b]\n- [c]\n", "line 2: at least 2"),
        ("- [a, a]\n", "line 1: at least 2"),
        ("- a\n", "line 1: a list of terms"),
        ("a: [b]\nc: {d: e}\n", "line 2: a list of terms"),
        ("a: [b]\na: [c]\n", "line 2: 'a' stands there twice"),
        ("- [a, '  ']\n", "line 1: a term must hold"),
        ("- [a, [b]]\n", "line 1: a term is expected"),
        ("just words\n", "line 1: a single text"),
        ("- [a, b\n", "not valid YAML.*line 2"),
        (f"- [a, {'b' * 101}]\n", "at most 100 characters"),
    ],
)
def test_a_file_that_can_not_be_used_is_an_error_with_its_name_and_line(
    analyzer: SudachiAnalyzer, tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(SettingsError, match=rf"s\.yaml.*{message}.*Write a list of groups|{message}"):
        found(analyzer, tmp_path / "s.yaml", content, "a")


def test_bytes_that_are_no_text_are_an_error(analyzer: SudachiAnalyzer, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="UTF-8"):
        Synonyms(tmp_path / "s.yaml", analyzer)


def test_a_changed_file_is_read_again_and_a_broken_one_leaves_the_last_good_one_in_force(
    planner: Callable[..., Planner], tmp_path: Path
) -> None:
    made = planner(synonyms="- [lease, lock]")
    path = tmp_path / "synonyms.yaml"

    def synonyms_after(content: str, time: int) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        path.write_text(content, encoding="utf-8")
        os.utime(path, (time, time))
        plan = made.plan("lease", mode="hybrid", filters=Filters())
        return plan.synonyms, plan.degraded, " ".join(plan.warnings)

    assert synonyms_after("- [lease, rent]", 1) == (("rent",), (), "")
    kept, degraded, warning = synonyms_after("- [lease", 2)
    assert (kept, degraded) == (("rent",), ("synonyms",))
    assert "synonyms.yaml" in warning
    assert synonyms_after("- [lease, lock]", 3) == (("lock",), (), "")
    path.unlink()
    assert made.plan("lease", mode="hybrid", filters=Filters()).synonyms == ()
