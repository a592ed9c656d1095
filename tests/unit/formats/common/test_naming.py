from __future__ import annotations

import pytest

from ragd.formats.common.naming import metadata_of, tags_of


@pytest.mark.parametrize("sign", [",", ";  ", "，", "、", "；", "\n", ";;"])
def test_keywords_are_parted_by_the_signs_of_every_script_and_kept_once(sign: str) -> None:
    assert tags_of(sign.join(("queue", "lease", "queue", ""))) == ["queue", "lease"]


def test_a_file_without_keywords_or_with_thousands_has_few_tags() -> None:
    assert tags_of(None, "", " , ") == []
    assert len(tags_of(",".join(map(str, range(3000))))) == 50
    assert tags_of("x" * 9000) == ["x" * 500]


def test_what_is_not_stated_is_left_out() -> None:
    assert metadata_of(author="Mori", tags=[], pages=0, title=None) == {"author": "Mori"}
