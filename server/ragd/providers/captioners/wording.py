"""Sentences of the rules' descriptions, in English, Japanese and Chinese: the language of the document that shows the picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_EN: Final = {
    "table": "Table{title}: {rows} rows and {columns} columns ({headings}).",
    "chart": "Chart{title}{axes}{legend}.",
    "bars": "Bar chart{title}{axes}{legend}.",
    "lines": "Line chart{title}{axes}{legend}.",
    "axes": ", {y} by {x}",
    "axis": ", {name}",
    "legend": ", with {names}",
    "extremes": "{name}highest: {top} (about {most}), lowest: {low} (about {least}).",
    "grew": "{name}from {first} (about {start}) to {last} (about {end}).",
    "point": "{name}{label}: about {value}",
    "screenshot": "Screenshot{title}.",
    "errors": "It shows a message: {texts}.",
    "actions": "Buttons and menus: {texts}.",
    "chosen": "Checked: {texts}.",
    "unchosen": "Not checked: {texts}.",
    "photo": "Photograph{title}.",
    "diagram": "Diagram{title} with {names}.",
    "flowchart": "Flow chart{title} with {names}.",
    "unknown": "Picture{title}.",
    "reads": "It reads: {texts}.",
    "row": "{name}: {cells}",
    "values": "The values could not be measured.",
    "cells": "The cells could not be told apart.",
    "edges": "What leads where could not be read.",
    "unseen": "Only the words were looked at: OpenCV is not installed (rag extras add ocr).",
    "unread": "No words could be read in it.",
    "measured": "The values were measured against the axis and are about right.",
    "cell": "cell of the table",
    "colon": ": ",
    "comma": ", ",
    "stop": "; ",
    "title": " “{text}”",
}
_JA: Final = {
    "table": "表{title}:{rows}行{columns}列({headings})。",
    "chart": "グラフ{title}{axes}{legend}。",
    "bars": "棒グラフ{title}{axes}{legend}。",
    "lines": "折れ線グラフ{title}{axes}{legend}。",
    "axes": "、縦軸は{y}、横軸は{x}",
    "axis": "、軸は{name}",
    "legend": "、凡例は{names}",
    "extremes": "{name}最大は{top}(約{most})、最小は{low}(約{least})。",
    "grew": "{name}{first}(約{start})から{last}(約{end})へ。",
    "point": "{name}{label}:約{value}",
    "screenshot": "画面のスクリーンショット{title}。",
    "errors": "メッセージが表示されている:{texts}。",
    "actions": "ボタンとメニュー:{texts}。",
    "chosen": "チェックあり:{texts}。",
    "unchosen": "チェックなし:{texts}。",
    "photo": "写真{title}。",
    "diagram": "図{title}。要素は{names}。",
    "flowchart": "フローチャート{title}。要素は{names}。",
    "unknown": "画像{title}。",
    "reads": "書かれている文字:{texts}。",
    "row": "{name}:{cells}",
    "values": "値は読み取れなかった。",
    "cells": "セルを区別できなかった。",
    "edges": "矢印の行き先は読み取れなかった。",
    "unseen": "文字だけを調べた。OpenCV がインストールされていない(rag extras add ocr)。",
    "unread": "文字は読み取れなかった。",
    "measured": "値は軸の目盛りから測ったおおよその値である。",
    "cell": "表のセル",
    "colon": ":",
    "comma": "、",
    "stop": ";",
    "title": "「{text}」",
}
_ZH: Final = {
    "table": "表格{title}:{rows}行{columns}列({headings})。",
    "chart": "图表{title}{axes}{legend}。",
    "bars": "柱状图{title}{axes}{legend}。",
    "lines": "折线图{title}{axes}{legend}。",
    "axes": ",纵轴为{y},横轴为{x}",
    "axis": ",坐标轴为{name}",
    "legend": ",图例为{names}",
    "extremes": "{name}最高为{top}(约{most}),最低为{low}(约{least})。",
    "grew": "{name}从{first}(约{start})到{last}(约{end})。",
    "point": "{name}{label}:约{value}",
    "screenshot": "屏幕截图{title}。",
    "errors": "显示的消息:{texts}。",
    "actions": "按钮和菜单:{texts}。",
    "chosen": "已勾选:{texts}。",
    "unchosen": "未勾选:{texts}。",
    "photo": "照片{title}。",
    "diagram": "示意图{title},包含{names}。",
    "flowchart": "流程图{title},包含{names}。",
    "unknown": "图片{title}。",
    "reads": "文字内容:{texts}。",
    "row": "{name}:{cells}",
    "values": "未能读出数值。",
    "cells": "未能区分单元格。",
    "edges": "未能读出箭头的指向。",
    "unseen": "只查看了文字:未安装 OpenCV(rag extras add ocr)。",
    "unread": "未能读出文字。",
    "measured": "数值是按坐标轴测得的近似值。",
    "cell": "表格单元格",
    "colon": ":",
    "comma": "、",
    "stop": ";",
    "title": "“{text}”",
}
_LANGUAGES: Final[Mapping[str, Mapping[str, str]]] = {"en": _EN, "ja": _JA, "zh": _ZH}


class Wording:
    """The sentences of one language; English for one that has none."""

    def __init__(self, language: str) -> None:
        self.language = language[:2] if language[:2] in _LANGUAGES else "en"
        self._texts = _LANGUAGES[self.language]

    def say(self, sentence: str, /, **parts: object) -> str:
        """A sentence with its parts filled in."""
        return self._texts[sentence].format(**parts)

    def title(self, text: str) -> str:
        """A title as it stands in a sentence; "" for none."""
        return self.say("title", text=text) if text else ""

    def listed(self, texts: list[str] | tuple[str, ...], most: int = 12) -> str:
        """The first of some texts in one sentence."""
        return self._texts["comma"].join(texts[:most])
