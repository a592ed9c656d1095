from __future__ import annotations

import pytest
from lxml import etree

from ragd.formats.common.opc import alt_of, core_properties


@pytest.mark.parametrize(
    ("attributes", "alt"),
    [
        ({"descr": "Rack 4"}, "Rack 4"),
        ({"title": "Rack 4"}, "Rack 4"),
        ({"descr": "Rack 4\n\nDescription automatically generated with low confidence"}, "Rack 4"),
        ({"descr": "棚\n自動的に生成された説明"}, "棚"),
        ({"descr": "scan_2026.JPG"}, ""),
        ({"descr": "Picture 12"}, ""),
        ({"descr": "図 3"}, ""),
        ({}, ""),
    ],
)
def test_of_alternative_texts_what_somebody_wrote_is_kept(attributes: dict[str, str], alt: str) -> None:
    assert alt_of(etree.Element("cNvPr", attributes)) == alt


def test_a_file_without_properties_states_nothing() -> None:
    assert alt_of(None) == ""
    assert core_properties(None) == {}
