"""Texts of datasets and people, in reports."""

from __future__ import annotations

import re
from typing import Final

# What XML 1.0 can't hold, not even escaped.
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legible(text: str) -> str:
    """The text without the control characters that XML can't hold, on one line."""
    return " ".join(_ILLEGAL.sub("\ufffd", text).split())
