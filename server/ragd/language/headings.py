"""Headings as subjects: without the numbers that only say where they stand."""

from __future__ import annotations

import re
from typing import Final

# "3.2 Installing", "A.1 Terms", "3.2インストール"; "1. Setup", "2) Setup", "IV. Setup"; "3 Setup"; "(1) Setup"; "第三章 …";
# "Chapter 3: Setup". What may be a subject stays: "3D printing", "802.1X", "24 時間対応", "C. elegans", "5 ways out".
_NUMBER: Final = re.compile(
    r"(?:(?:\d{1,3}|[A-Z])(?:[.．]\d{1,3}){1,6}[.．]?(?:\s+|(?=[^\x00-\x7f]))"
    r"|(?:\d{1,3}[.．:：、)）]|[IVX]{1,5}[.)]|[A-Z]\))\s+"
    r"|\d{1,3}[.．:：、)）](?=[A-Z]|[^\x00-\x7f])"
    r"|\d{1,2}\s+(?=[A-Z])"
    r"|[(（]\d{1,3}[)）]\s*"
    r"|第[\d一二三四五六七八九十百]{1,4}[章節节條条部编][\s.、:：]*"
    r"|(?:Chapter|Section|Part|Appendix|Step)\s(?:\d{1,3}|[A-Z]|[IVX]{1,5})(?:\.\d{1,3}){0,5}[.:]?\s(?:[–—-]\s)?"
    r"|(?:付録|附录)\s?[A-Z\d]{1,2}[\s.、:：]+)"
)


def without_number(heading: str) -> str:
    """The heading without its number; the whole of one that is nothing else."""
    found = _NUMBER.match(heading)
    return heading[found.end() :].strip() or heading if found else heading
