"""What a diagram says in words: one summary for the dense side, its labels for the sparse one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from ragd.diagrams.model import MAX_EDGES, Diagram, Edge

MAX_SUMMARY: Final = 2_000
"""Characters; a reader of so many has seen the drawing."""
_MOST_SENTENCES: Final = 60
_MOST_JOINTS: Final = 20
"""Silent boxes that one edge is followed through."""

_KINDS: Final = {
    "en": {
        "flowchart": "Flow chart with {n} steps", "sequence": "Sequence diagram of {n} participants",
        "class": "Class diagram of {n} classes", "state": "State diagram with {n} states",
    },
    "ja": {
        "flowchart": "{n}個のステップのフローチャート", "sequence": "{n}者のシーケンス図", "class": "{n}個のクラスのクラス図",
        "state": "{n}個の状態の状態遷移図",
    },
    "zh": {
        "flowchart": "有{n}个步骤的流程图", "sequence": "有{n}个参与者的时序图", "class": "有{n}个类的类图",
        "state": "有{n}个状态的状态图",
    },
}  # fmt: skip
_WORDS: Final = {
    "en": {
        "after": "After “{a}” comes {b}.", "quoted": "“{b}”", "if": "“{b}” ({label})", "or": " or ",
        "line": "“{a}” is connected to {b}.", "message": "“{a}” sends “{label}” to “{b}”.", "silent": "“{a}” calls “{b}”.",
        "inheritance": "“{a}” inherits from {b}.", "realization": "“{a}” implements {b}.",
        "composition": "“{a}” is part of {b}.", "aggregation": "“{a}” belongs to {b}.",
        "class": "“{a}” uses {b}.", "members": "“{a}” has {b}.", "state": "From “{a}” to {b}.", "inside": "In “{a}”: {b}.",
        "first": "Starts with {b}.", "last": "Ends with {b}.", "left_out": "Parts that could not be read: {n}.", "colon": ": ",
        "stop": ". ", "comma": ", ",
    },
    "ja": {
        "after": "「{a}」の次は{b}。", "quoted": "「{b}」", "if": "{label}なら「{b}」", "or": "または",
        "line": "「{a}」は{b}につながる。", "message": "「{a}」は「{b}」に「{label}」を送る。",
        "silent": "「{a}」は「{b}」を呼ぶ。",
        "inheritance": "「{a}」は{b}を継承する。", "realization": "「{a}」は{b}を実装する。",
        "composition": "「{a}」は{b}の一部。", "aggregation": "「{a}」は{b}に属する。", "class": "「{a}」は{b}を使う。",
        "members": "「{a}」には{b}がある。", "state": "「{a}」から{b}へ。", "inside": "「{a}」の中：{b}。",
        "first": "始まりは{b}。", "last": "終わりは{b}。", "left_out": "{n}個の部分は読み取れなかった。", "colon": "：",
        "stop": "。", "comma": "、",
    },
    "zh": {
        "after": "“{a}”之后是{b}。", "quoted": "“{b}”", "if": "“{b}”（{label}）", "or": "或",
        "line": "“{a}”与{b}相连。", "message": "“{a}”向“{b}”发送“{label}”。", "silent": "“{a}”调用“{b}”。",
        "inheritance": "“{a}”继承{b}。", "realization": "“{a}”实现{b}。",
        "composition": "“{a}”是{b}的组成部分。",
        "aggregation": "“{a}”属于{b}。", "class": "“{a}”使用{b}。", "members": "“{a}”有{b}。", "state": "从“{a}”到{b}。",
        "inside": "“{a}”之中：{b}。", "first": "从{b}开始。", "last": "到{b}结束。",
        "left_out": "有{n}个部分未能识别。", "colon": "：",
        "stop": "。", "comma": "、",
    },
}  # fmt: skip
_OF_CLASSES: Final = ("inheritance", "realization", "composition", "aggregation")


@dataclass(frozen=True, slots=True)
class Summary:
    """`text` tells the diagram in sentences; `labels` is all that is written in it, each label once."""

    text: str
    labels: tuple[str, ...]


def summarise(diagram: Diagram, language: str | None) -> Summary:
    """In the document's language where it is Japanese or Chinese, else in English."""
    diagram = _contracted(diagram)
    tongue = language if language in _WORDS else "en"
    words = _WORDS[tongue or "en"]
    named = sum(1 for node in diagram.nodes if node.label)
    head = _KINDS[tongue or "en"][diagram.kind].format(n=named)
    if tongue == "en" and named == 1:
        head = head.removesuffix("s")
    if diagram.title:
        head = f"{diagram.title}{words['stop']}{head}"
    parts = [f"{head}{words['colon']}{_chains(diagram, words)}{words['stop'].rstrip()}"]
    length = len(parts[0])
    for number, sentence in enumerate(_sentences(diagram, words)):
        length += len(sentence) + 1
        if length > MAX_SUMMARY or number == _MOST_SENTENCES:
            break
        parts.append(sentence)
    return Summary((" " if tongue == "en" else "").join(parts), labels_of(diagram))


def _contracted(diagram: Diagram) -> Diagram:
    """Without the boxes that say nothing (gateways, joints): who comes in there goes on to what follows."""
    silent = {node.id for node in diagram.nodes if not node.label}
    if not silent or diagram.kind in ("sequence", "class"):
        return diagram
    after: dict[str, list[Edge]] = {}
    for edge in diagram.edges:
        if edge.source in silent:
            after.setdefault(edge.source, []).append(edge)
    found: list[Edge] = []
    for edge in diagram.edges:
        if edge.source in silent:
            continue
        waiting, seen = [edge], set[str]()
        while waiting and len(seen) < _MOST_JOINTS and len(found) < MAX_EDGES:
            last = waiting.pop()
            if last.target not in silent:
                found.append(last)
            elif last.target not in seen:
                seen.add(last.target)
                more = reversed(after.get(last.target, []))
                waiting += [replace(last, target=on.target, label=f"{last.label} {on.label}".strip()) for on in more]
    return replace(diagram, edges=tuple(found))


def labels_of(diagram: Diagram) -> tuple[str, ...]:
    """All that is written in a diagram, each label once: title, groups, nodes with their members, edges."""
    labels = [diagram.title, *(group.label for group in diagram.groups)]
    for node in diagram.nodes:
        labels += [node.label, *node.members]
    labels += [edge.label for edge in diagram.edges]
    return tuple(dict.fromkeys(filter(None, labels)))


def _chains(diagram: Diagram, words: dict[str, str]) -> str:
    """The nodes along their edges: `A → B → C, D → C`. Each edge's beginning is one that was not told yet."""
    labels = {node.id: node.label for node in diagram.nodes if node.label}
    if diagram.kind in ("sequence", "class"):
        return words["comma"].join(_within(labels.values()))
    after: dict[str, list[str]] = {}
    entered: set[str] = set()
    for edge in diagram.edges:
        if edge.kind != "line" and edge.source != edge.target:
            after.setdefault(edge.source, []).append(edge.target)
            entered.add(edge.target)
    told: set[str] = set()
    chains: list[str] = []
    length = 0
    order = [node_id for node_id in labels if node_id not in entered] + list(labels)
    waiting = [[node_id] for node_id in reversed(order)]
    while waiting and length < MAX_SUMMARY // 2:
        chain = waiting.pop()
        if chain[-1] in told:
            continue
        while chain[-1] not in told:
            told.add(chain[-1])
            following = [node_id for node_id in after.get(chain[-1], ()) if node_id in labels]
            fresh = [node_id for node_id in following if node_id not in told]
            waiting.extend([chain[-1], node_id] for node_id in reversed(fresh[1:]))
            if fresh:
                chain.append(fresh[0])
        chains.append(" → ".join(labels[node_id] for node_id in chain if node_id in labels))
        length += len(chains[-1])
    return words["comma"].join(chain for chain in chains if chain)[: MAX_SUMMARY // 2]


def _within(labels: Iterable[str]) -> Iterator[str]:
    """The first of them, as many as a summary has room for."""
    length = 0
    for label in labels:
        length += len(label)
        if length > MAX_SUMMARY // 2:
            return
        yield label


def _sentences(diagram: Diagram, words: dict[str, str]) -> Iterator[str]:
    labels = {node.id: node.label for node in diagram.nodes if node.label}
    if diagram.left_out:
        yield words["left_out"].format(n=diagram.left_out)
    if diagram.kind == "sequence":
        yield from _messages(diagram.edges, labels, words)
    elif diagram.kind == "class":
        yield from _relations(diagram, labels, words)
    else:
        yield from _steps(diagram, labels, words)
    for group in diagram.groups:
        inside = [node.label for node in diagram.nodes if node.group == group.id and node.label]
        if inside and group.label:
            yield words["inside"].format(a=group.label, b=words["comma"].join(inside))


def _steps(diagram: Diagram, labels: dict[str, str], words: dict[str, str]) -> Iterator[str]:
    """After each node, what comes next; what has no arrow is only connected."""
    after: dict[tuple[str, bool], list[str]] = {}
    entered: set[str] = set()
    for edge in diagram.edges:
        if edge.source in labels and edge.target in labels and edge.source != edge.target:
            after.setdefault((edge.source, edge.kind == "line"), []).append(_target(edge, labels, words))
            entered.add(edge.target)
    for (node_id, is_line), targets in after.items():
        sentence = words["line"] if is_line else words["state"] if diagram.kind == "state" else words["after"]
        yield sentence.format(a=labels[node_id], b=words["or"].join(dict.fromkeys(targets)))
    joined = {node_id for node_id, is_line in after if not is_line}
    for name, found in (("first", joined - entered), ("last", entered - joined)):
        if found and joined:
            yield words[name].format(
                b=words["comma"].join(words["quoted"].format(b=label) for node_id, label in labels.items() if node_id in found)
            )


def _target(edge: Edge, labels: dict[str, str], words: dict[str, str]) -> str:
    return words["if" if edge.label else "quoted"].format(b=labels[edge.target], label=edge.label)


def _messages(edges: Iterable[Edge], labels: dict[str, str], words: dict[str, str]) -> Iterator[str]:
    for edge in edges:
        if edge.source in labels and edge.target in labels:
            sentence = words["message" if edge.label else "silent"]
            yield sentence.format(a=labels[edge.source], b=labels[edge.target], label=edge.label)


def _relations(diagram: Diagram, labels: dict[str, str], words: dict[str, str]) -> Iterator[str]:
    for edge in diagram.edges:
        if edge.source in labels and edge.target in labels:
            sentence = words[edge.kind if edge.kind in _OF_CLASSES else "line" if edge.kind == "line" else "class"]
            yield sentence.format(a=labels[edge.source], b=_target(edge, labels, words))
    for node in diagram.nodes:
        if node.members and node.label:
            yield words["members"].format(a=node.label, b=words["comma"].join(node.members))
