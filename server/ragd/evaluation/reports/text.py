"""Texts of datasets and people, in reports."""

from __future__ import annotations

import re
from typing import Final

# What XML 1.0 can't hold, not even escaped.
_ILLEGAL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def legible(text: str) -> str:
    """The text without the control characters that XML can't hold, on one line."""
    return " ".join(_ILLEGAL.sub("\ufffd", text).split())
