from __future__ import annotations

import pytest

from ragd.formats.common.text import followable, headers_left_out


@pytest.mark.parametrize(
    ("target", "link"),
    [
        (" https://docs.tarnwood.example/a b(1) ", "https://docs.tarnwood.example/a%20b%281%29"),
        ("HTTP://docs.tarnwood.example/<x>|y", "HTTP://docs.tarnwood.example/%3Cx%3E%7Cy"),
        ("mailto:ops@tarnwood.example", "mailto:ops@tarnwood.example"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("https://", None),
        ("https://docs.tarnwood.example/" + "a" * 2000, None),
        ("", None),
        (None, None),
    ],
)
def test_links_that_readers_may_follow_are_fit_for_markdown(target: str | None, link: str | None) -> None:
    assert followable(target) == link


def test_of_page_headers_the_first_are_quoted_once_and_shortened() -> None:
    assert headers_left_out([]) == []
    (warning,) = headers_left_out(["Kestrel", "Kestrel", "x" * 90, "c", "d"])
    assert warning == f"page headers and footers were left out: 'Kestrel', '{'x' * 60}', 'c', …"
