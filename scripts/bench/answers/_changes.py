"""Sentences of a document as they stand, and the same with one thing changed, by rules and without chance."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

_ABBREVIATION = re.compile(r"\b(?:Dr|Mr|Mrs|No|e\.g|i\.e)\.$")
_SPLIT = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_NO_PROSE = re.compile(r"\s*(?:#|\||```|:|[-*]\s|\d+[.)]\s|第\d+条|[A-Z]{4,}\b|.*  \S)")
_NUMBER = re.compile(r"(?<![\w.,:-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?![\d:]|[.,]\d)")
_STRANGERS = ("Wexmoor", "Petra Halvorsen", "Tessin & Roth", "Calvados")
_STRANGERS_JA = ("西園寺", "羽生田", "ゼファー", "久留米")

_UNITS = (
    *(
        (f"{one}s", f"{other}s")
        for one, other in (("minute", "hour"), ("hour", "day"), ("day", "week"), ("week", "month"), ("month", "year"))
    ),
    ("years", "months"),
    ("second", "minute"),
    ("m/s", "km/h"),
    ("kg", "g"),
    ("km", "m"),
    ("mm", "cm"),
    ("°C", "%"),
    ("litres", "m³"),
    ("ms", "seconds"),
    ("euros", "dollars"),
    ("francs", "euros"),
    ("kr", "euros"),
    ("knots", "m/s"),
    ("metres", "kilometres"),
    ("時間", "日間"),
    ("日間", "週間"),
    ("分", "時間"),
    ("秒", "分"),
    ("か月", "年"),
    ("年間", "か月"),
    ("円", "ドル"),
    ("メートル", "キロメートル"),
    ("キロメートル", "メートル"),
    ("mg/L", "g/L"),
    ("度", "パーセント"),
    ("パーセント", "倍"),
    ("cm", "mm"),
)
_DATES = (
    ("March", "June"),
    ("May", "November"),
    ("August", "February"),
    ("October", "January"),
    ("July", "December"),
    ("April", "September"),
    ("Tuesday", "Friday"),
    ("Saturdays", "Mondays"),
    ("Wednesdays", "Sundays"),
    ("木曜日", "火曜日"),
    ("土曜日", "水曜日"),
    ("日曜日", "月曜日"),
    ("令和5年", "令和2年"),
    ("平成31年", "平成26年"),
    ("昭和62年", "昭和51年"),
    ("10月", "4月"),
    ("6月", "11月"),
    ("2月", "9月"),
)
_COMPARISONS = (
    ("at least", "at most"),
    ("at most", "at least"),
    ("more than", "less than"),
    ("no less than", "no more than"),
    ("above", "below"),
    ("below", "above"),
    ("longer than", "shorter than"),
    ("faster than", "slower than"),
    ("warmer than", "colder than"),
    ("older than", "younger than"),
    ("younger than", "older than"),
    ("up to", "at least"),
    ("over ", "under "),
    ("before", "after"),
    ("after", "before"),
    ("within", "not before"),
    ("以上", "以下"),
    ("以下", "以上"),
    ("以内", "以上"),
    ("を超え", "を下回"),
    ("を下回", "を超え"),
    ("より前", "より後"),
    ("より小さい", "より大きい"),
    ("最大", "最小"),
    ("最長", "最短"),
    ("以降", "以前"),
)
_NEGATED = (
    (r"\b(must|may|can|does|do|is|are|was|were|has|have) not\b", r"\1"),
    (r"\bcannot\b", "can"),
    (r"\bnever ", ""),
    (r"\bnobody is\b", "everybody is"),
    (r"\bcan't\b", "can"),
    (r"\b(must|may|can|will) (?!not)(?=[a-z])", r"\1 not "),
    (r"\b(is|are|was|were) (?!not|no\b|never)(?=[a-z0-9])", r"\1 not "),
    (r"なければならない。", "なくてもよい。"),
    (r"ならない。", "よい。"),
    (r"ではない。", "である。"),
    (r"(対象と|支給|徴収|提供|払い戻しは|反映され|開室)しない。", r"\1する。"),
    (r"できない。", "できる。"),
    (r"さない。", "す。"),
    (r"使わない。", "使う。"),
    (r"作らない。", "作る。"),
    (r"反映されない。", "反映される。"),
    (r"禁止する。", "許可する。"),
    (r"できる。", "できない。"),
    (r"である。", "ではない。"),
    (r"ている。", "ていない。"),
    (r"する。", "しない。"),
    (r"れる。", "れない。"),
    (r"行う。", "行わない。"),
    (r"かかる。", "かからない。"),
    (r"送る。", "送らない。"),
    (r"停止する。", "停止しない。"),
    (r"保つ。", "保たない。"),
    (r"ある。", "ない。"),
)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a document's paragraphs, joined over line ends."""
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n", outside):
        lines = [line for line in block.split("\n") if line.strip()]
        while lines and lines[0].startswith(("第", "附則")):
            lines = lines[1:]
        if (
            not lines
            or any(_NO_PROSE.match(line) for line in lines)
            or len({len(line) - len(line.lstrip()) for line in lines}) > 1
        ):
            continue
        wide = any("\u3040" <= char <= "\u30ff" for char in block)
        joined = ("" if wide else " ").join(line.strip() for line in lines)
        before = ""
        for part in _SPLIT.split(joined):
            before = f"{before} {part}".strip()
            if before.endswith((".", "。")) and not _ABBREVIATION.search(before) and len(before) >= 12:
                yield before
            if before.endswith((".", "。")) and not _ABBREVIATION.search(before):
                before = ""


def changes_of(sentence: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """Kind and text of each change that a sentence allows: at most one of each kind."""
    for kind, changed in (
        ("number", _number(sentence)),
        ("unit or date", _replaced(sentence, _DATES) or _unit(sentence)),
        ("name", _name(sentence, names)),
        ("negation", _negation(sentence)),
        ("comparison", _replaced(sentence, _COMPARISONS)),
    ):
        if changed and changed != sentence:
            yield kind, changed


def _pick(sentence: str, number: int) -> int:
    return zlib.crc32(sentence.encode()) % number


def _number(sentence: str) -> str | None:
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return None
    match = found[_pick(sentence, len(found))]
    value = float(match[1].replace(",", ""))
    new = (value * 3 + 1, value + 2, value * 2, value / 2 + 0.5)[_pick(sentence + "n", 4)]
    if new == value:
        new = value + 3
    shown = (
        f"{new:.1f}"
        if "." in match[1]
        else f"{round(new):,}"
        if "," in match[1]
        else str(round(new) if round(new) != value else round(value) + 4)
    )
    return sentence[: match.start()] + shown + sentence[match.end() :]


def _unit(sentence: str) -> str | None:
    for match in _NUMBER.finditer(sentence):
        rest = sentence[match.end() :]
        for one, other in _UNITS:
            for gap in ("", " "):
                if (
                    rest.startswith(gap + one) and not rest[len(gap + one) :][:1].isascii() | rest[len(gap + one) :][:1].isalpha()
                ) or (rest.startswith(gap + one) and not rest[len(gap + one) :][:1].isalpha()):
                    return sentence[: match.end()] + gap + other + rest[len(gap + one) :]
    return None


def _name(sentence: str, names: list[str]) -> str | None:
    name = next((name for name in names if name in sentence), None)
    if name is None:
        return None
    pool = _STRANGERS if name.isascii() else _STRANGERS_JA
    return sentence.replace(name, pool[_pick(sentence, len(pool))])


def _negation(sentence: str) -> str | None:
    for pattern, replacement in _NEGATED:
        changed = re.sub(pattern, replacement, sentence, count=1)
        if changed != sentence:
            return changed
    return None


def _replaced(sentence: str, table: tuple[tuple[str, str], ...]) -> str | None:
    for one, other in table:
        pattern = rf"\b{re.escape(one)}\b" if one.isascii() and one[-1].isalpha() else re.escape(one)
        if re.search(pattern, sentence):
            return re.sub(pattern, other, sentence, count=1)
    return None
