"""Canonical text and hashes: the two functions that every id in the product is made of."""

from __future__ import annotations

import hashlib
import re
import unicodedata

TEXT_NORM_PROFILE = "nfkc-1"
"""Version of the rules in `canonical`; part of every vector's cache key. Change a rule, change this."""

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
)
_TRAILING_BLANKS = re.compile(r"(?<![ \t])[ \t]++(?=\n|$)")
_BLANK_LINES = re.compile(r"\n{3,}")


def canonical(text: str) -> str:
    """The form of a text that its identity is taken from.

    NFKC; newlines as ``\\n``; no BOM, control or zero-width characters but newline and tab; trailing blanks cut; runs of
    blank lines collapsed to one; trimmed.
    """
    text = unicodedata.normalize("NFKC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _INVISIBLE.sub("", text)
    if " \n" in text or "\t\n" in text:  # seldom, and looking at every character for it takes longer than all the rest
        text = _TRAILING_BLANKS.sub("", text)
    return _BLANK_LINES.sub("\n\n", text).strip()


def hash32(*parts: str | bytes) -> str:
    """First 32 hex digits of the SHA-256 of the parts, each preceded by its length so that no two lists of parts collide."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:32]
