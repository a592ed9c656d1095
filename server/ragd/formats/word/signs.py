"""Signs and formulas of Word documents as plain text: symbol fonts, OMML equations, and the EQ field that came before both."""

from __future__ import annotations

import re
from typing import Final

from ragd.formats.common.opc import Element
from ragd.formats.word.package import W

M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

SYMBOLS: Final = range(0xF000, 0xF100)
"""Where Word puts the characters of symbol fonts."""
# Letters of the font Symbol in the order of ASCII; a blank where there is no letter.
_GREEK_CAPITALS: Final = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_GREEK_SMALL: Final = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOL: Final[dict[int, str]] = {
    **{0x41 + index: letter for index, letter in enumerate(_GREEK_CAPITALS)},
    **{0x61 + index: letter for index, letter in enumerate(_GREEK_SMALL)},
    **dict(zip(range(0xA2, 0xBD), "′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…", strict=True)),
    0xC5: "⊕", 0xC6: "∅", 0xC7: "∩", 0xC8: "∪", 0xC9: "⊃", 0xCC: "⊂", 0xCD: "⊆", 0xCE: "∈", 0xCF: "∉", 0xD1: "∇", 0xD2: "®",
    0xD3: "©", 0xD4: "™", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xD8: "¬", 0xD9: "∧", 0xDA: "∨", 0xDB: "⇔", 0xDC: "⇐", 0xDE: "⇒",
    0x22: "∀", 0x24: "∃", 0xE5: "∑", 0xF2: "∫", 0xB7: "•", 0x2D: "−", 0x40: "≅", 0x5E: "⊥", 0x7E: "∼",
}  # fmt: skip
_WINGDINGS: Final[dict[int, str]] = {
    0x28: "☎", 0x2A: "✉", 0x3F: "✍", 0x41: "✌", 0x43: "👍", 0x44: "👎", 0x46: "☞", 0x4A: "☺", 0x4C: "☹", 0x4E: "☠", 0x6C: "●",
    0x6E: "■", 0x6F: "□", 0x71: "❑", 0x75: "◆", 0x76: "❖", 0x78: "☒", 0x80: "⓪", **{0x81 + n: chr(0x2460 + n) for n in range(10)},
    0x9E: "·", 0x9F: "•", 0xA1: "○", 0xA7: "▪", 0xA8: "☐", 0xAB: "★", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓",
    0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_WINGDINGS_2: Final[dict[int, str]] = {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0xA3: "☐"}
_UNKNOWN: Final[dict[int, str]] = {}
_FONTS: Final = {
    "symbol": _SYMBOL,
    "wingdings": _WINGDINGS,
    "wingdings 2": _WINGDINGS_2,
    **dict.fromkeys(("wingdings 3", "webdings", "mt extra"), _UNKNOWN),
}

_EQ_RUBY: Final = re.compile(
    r"\\o\s*+(?:\\a[clrjd]\s*+)?\(\s*+\\s\s*+\\up\s*+\d*+\s*+\(([^()]{0,100})\)\s*+[,;]\s*+([^()]{0,100})\)", re.IGNORECASE
)
_EQ_SWITCH: Final = re.compile(r"\\(?:\*|[a-z]+)\d*|\bjc\d+|\bhps\d+|\"Font:[^\"]*\"", re.IGNORECASE)
_DELETED: Final = (W + "del", W + "moveFrom")
_MAX_DEPTH: Final = 40


def symbol_font(properties: Element) -> str:
    """The font stated in run properties where it is one of symbols; else empty."""
    fonts = properties.find(W + "rFonts")
    font = "" if fonts is None else str(fonts.get(W + "ascii") or fonts.get(W + "hAnsi") or "")
    return font if font.lower() in _FONTS else ""


def symbol(font: str, code: int) -> str:
    """The character that `code` of a symbol font shows; empty when it isn't known. Word adds `SYMBOLS.start` to such codes."""
    table = _FONTS.get(font.lower())
    if table is None:  # any other font: what isn't in its private range is a character
        return chr(code) if 0x20 <= code < 0xD800 and not 0x7F <= code < 0xA0 else ""
    if code in SYMBOLS:
        code -= SYMBOLS.start
    return table.get(code, chr(code) if table is _SYMBOL and 0x20 <= code < 0x7F else "")


def field_formula(instruction: str) -> str:
    """What an EQ field shows, as text: `base（reading）` for a reading above its word, else its arguments."""
    if ruby := _EQ_RUBY.search(instruction):
        return with_reading(ruby[2].strip(), ruby[1].strip())
    return " ".join(_EQ_SWITCH.sub("", instruction.partition(" ")[2]).split())


def with_reading(base: str, reading: str) -> str:
    """A word and how it is read, in the brackets of its script."""
    if not base.strip() or not reading.strip():
        return base or reading
    return f"{base} ({reading})" if base.isascii() else f"{base}（{reading}）"


def equation(element: Element) -> str:
    """An OMML equation in one line, as one would type it: (a+b)/c, x^2, √(x), ∑_(i=1)^n …"""
    return " ".join(_formula(element, 0).split())


def _formula(element: Element, depth: int) -> str:
    """Each element is visited once: what its children give is put together by its kind."""
    if element.tag == M + "t":
        return str(element.text or "")
    if depth > _MAX_DEPTH:
        return "".join(text.text or "" for text in element.iter(M + "t"))
    texts: list[tuple[str, str]] = [
        (child.tag.removeprefix(M), _formula(child, depth + 1)) for child in element if child.tag not in _DELETED
    ]
    parts = dict(texts)
    arguments = [text for tag, text in texts if tag == "e"]
    scripts = "".join(sign + _grouped(parts[tag]) for tag, sign in (("sub", "_"), ("sup", "^")) if parts.get(tag))
    match element.tag.removeprefix(M):
        case "f":
            return f"{_grouped(parts.get('num', ''))}/{_grouped(parts.get('den', ''))}"
        case "rad":
            return f"{parts.get('deg', '')}√({parts.get('e', '')})"
        case "d":
            return f"{_sign(element, 'begChr', '(')}{', '.join(arguments)}{_sign(element, 'endChr', ')')}"
        case "m":
            return f"[{'; '.join(text for tag, text in texts if tag == 'mr')}]"
        case "mr":
            return ", ".join(arguments)
        case "eqArr":
            return "; ".join(arguments)
        case "nary":
            return f"{_sign(element, 'chr', '∫')}{scripts} {parts.get('e', '')}"
        case "sSub" | "sSup" | "sSubSup" | "sPre":
            return parts.get("e", "") + scripts
        case _:
            return "".join(text for _, text in texts)


def _grouped(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def _sign(element: Element, tag: str, default: str) -> str:
    found = element.find(f"{element.tag}Pr/{M}{tag}")
    return default if found is None else str(found.get(M + "val") or "")
