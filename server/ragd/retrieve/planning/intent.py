"""What a question wants done: passages found, a summary, a comparison, or documents listed. By rules, in three languages."""

from __future__ import annotations

import re
from typing import Final

from ragd.core.query import Intent

_DOCUMENTS: Final = r"(?:documents?|docs?|files?|pages?|papers?|reports?|pdfs?|spreadsheets?|presentations?|slides?)"
_RULES: Final[tuple[tuple[Intent, re.Pattern[str]], ...]] = (
    (
        "compare",
        re.compile(
            r"\bcompar(?:e[ds]?|ing|isons?)\b|\bdifferences? (?:between|from|to)\b|\bdiffers? (?:from|between)\b|\bvs\.?(?!\w)"
            r"|\bversus\b|\b(?:better|worse|faster|slower|safer) than\b|\bpros and cons\b"
            r"|比較|違い|違う[?？]|差異|どちらが|どっちが|比较|区别|差别|差异|对比|哪个更|有何不同|有什么不同",
            re.IGNORECASE,
        ),
    ),
    (
        "summarise",
        re.compile(
            r"\bsummari[sz](?:e|es|ing)\b|\b(?:a|the|short|brief|quick) summary\b|\bsummary of\b|\btl;?dr\b"
            r"|\boverview of\b|\bin a nutshell\b|\bsum up\b|\b(?:key|main) points\b"
            r"|要約|まとめて|概要を|要点を|总结|概括|概述|摘要|归纳",
            re.IGNORECASE,
        ),
    ),
    (
        "filter",
        re.compile(
            rf"\b(?:list|show|find|get|give)(?: me| us)?(?: all| every)?(?: of)?(?: the| our| my)?(?: \w+)? {_DOCUMENTS}\b"
            rf"|\bwhich (?:documents?|docs|pages|papers|reports|pdfs) "
            rf"|\ball {_DOCUMENTS} (?:about|by|from|in|of|on|since|tagged|that|with|written)\b"
            rf"|(?:文書|ドキュメント|資料|ファイル|ページ)(?:の一覧|一覧|を(?:一覧|列挙|すべて|全て|全部))|どの(?:文書|ドキュメント|資料)"
            rf"|列出.{{0,12}}(?:文档|文件|资料|页面)|哪些(?:文档|文件|资料)|(?:所有|全部).{{0,12}}(?:文档|文件|资料)",
            re.IGNORECASE,
        ),
    ),
)


def intent_of(text: str) -> Intent:
    """The first of compare, summarise and filter whose words stand in the text; else search."""
    return next((intent for intent, pattern in _RULES if pattern.search(text)), "search")
