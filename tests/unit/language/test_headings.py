from __future__ import annotations

import pytest

from ragd.language.headings import without_number


@pytest.mark.parametrize(
    ("heading", "subject"),
    [
        ("3.2 Installing", "Installing"),
        ("3.2. Installing", "Installing"),
        ("1 Introduction", "Introduction"),
        ("1. Introduction", "Introduction"),
        ("1.Introduction", "Introduction"),
        ("2) Backups", "Backups"),
        ("(1) Backups", "Backups"),
        ("IV. Backups", "Backups"),
        ("A.1 Terms", "Terms"),
        ("Chapter 3: Installing", "Installing"),
        ("Appendix B – Terms", "Terms"),
        ("第三章 安装", "安装"),
        ("第2節　設定", "設定"),
        ("3.2インストール", "インストール"),
        ("３．２　インストール", "インストール"),
        ("1、备份", "备份"),
        ("付録A 用語", "用語"),
        ("（１）準備", "準備"),
    ],
)
def test_the_number_of_a_section_is_no_part_of_its_subject(heading: str, subject: str) -> None:
    assert without_number(heading) == subject


@pytest.mark.parametrize(
    "heading",
    [
        "3D printing",
        "802.1X",
        "24 時間対応",
        "C. elegans",
        "5 ways out",
        "2024 results",
        "3.2",
        "第一章",
        "IPv6",
        "",
        "Part of it",
        "1.5x",
    ],
)
def test_what_may_be_the_subject_stays(heading: str) -> None:
    assert without_number(heading) == heading
