"""A judge by rule for the prompts of Ragas 0.4 and DeepEval 4, to try these without a model: a text says a statement when it has
most of the statement's words (of other scripts than Latin: pairs of characters). What it gives are no figures of quality.

It imports nothing of ours: the tools' own environments run it, too.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_WORD: Final = re.compile(r"[A-Za-z0-9_]{4,}|[0-9]+")
_PAIR: Final = re.compile(r"(?=([^\W\x00-\u024f]{2}))")
_LABEL: Final = re.compile(r"[A-Z][A-Za-z ]*+(?:\([^)]*\))?:")
_SENTENCE: Final = re.compile(r"[^.。!?\n]+[.。!?]?")
_RAGAS: Final = "Now perform the same with the following input\ninput: "
_MOST: Final = 0.7
_SOME: Final = 0.3
_DIMENSION: Final = 64


def reply_to(prompt: str) -> str:
    """The JSON object that a prompt asks for. Raises `ValueError` for a prompt of neither tool."""
    if _RAGAS in prompt:
        return json.dumps(_ragas(prompt), ensure_ascii=False)
    return json.dumps(_deepeval(prompt), ensure_ascii=False)


def vectors_of(texts: Sequence[str]) -> list[list[float]]:
    """Vectors of norm 1 by the words of each text."""
    found = []
    for text in texts:
        vector = [0.0] * _DIMENSION
        for word in words(text) or {text}:
            vector[hashlib.sha256(word.encode()).digest()[0] % _DIMENSION] += 1
        norm = math.sqrt(sum(value * value for value in vector))
        found.append([value / norm for value in vector])
    return found


def words(text: str) -> set[str]:
    """Words of four letters and more, numbers, and pairs of characters of scripts without blanks."""
    return {word.lower() for word in _WORD.findall(text)} | set(_PAIR.findall(text))


def share(statement: str, text: str) -> float:
    """The share of a statement's words that a text has."""
    wanted = words(statement)
    return len(wanted & words(text)) / len(wanted) if wanted else 1.0


def says(text: str, statement: str, least: float = _MOST) -> bool:
    return share(statement, text) >= least


def sentences(text: str) -> list[str]:
    return [found for match in _SENTENCE.finditer(text) if len(found := match[0].strip()) > 1] or [text]


def _ragas(prompt: str) -> dict[str, Any]:
    given: dict[str, Any] = json.JSONDecoder().raw_decode(prompt.rpartition(_RAGAS)[2])[0]
    match sorted(given):
        case ["context", "statements"]:
            return {"statements": [_of(one, given["context"], "verdict") for one in given["statements"]]}
        case ["answer", "context", "question"] if '"classifications"' in prompt:
            return {"classifications": [_of(one, given["context"], "attributed") for one in sentences(given["answer"])]}
        case ["answer", "context", "question"]:
            return {"reason": "by rule", "verdict": int(says(given["context"], given["answer"]))}
        case ["answer", "ground_truth", "question"]:
            return _classified(given["answer"], given["ground_truth"])
        case ["answer", "question"]:
            return {"statements": sentences(given["answer"])}
        case ["atomicity", "coverage", "response"]:
            return {"claims": sentences(given["response"])}
        case ["context", "user_input"]:
            return {"rating": _rating(share(given["user_input"], given["context"]))}
        case ["context", "response"]:
            return {"rating": _rating(share(given["response"], given["context"]))}
        case ["response"]:
            return {"question": f"Is it so that {given['response']}", "noncommittal": 0}
    raise ValueError(f"no prompt of Ragas that is known: {sorted(given)}")


def _of(statement: str, text: str, verdict: str) -> dict[str, Any]:
    return {"statement": statement, "reason": "by rule", verdict: int(says(text, statement))}


def _classified(answer: Sequence[str], truth: Sequence[str]) -> dict[str, Any]:
    said, true = "\n".join(answer), "\n".join(truth)
    return {
        "TP": [{"statement": one, "reason": "by rule"} for one in answer if says(true, one)],
        "FP": [{"statement": one, "reason": "by rule"} for one in answer if not says(true, one)],
        "FN": [{"statement": one, "reason": "by rule"} for one in truth if not says(said, one)],
    }


def _rating(found: float) -> int:
    return 2 if found >= _MOST else int(found >= _SOME)


def _deepeval(prompt: str) -> Mapping[str, Any]:
    key = next((name for name in ("claims", "truths", "statements") if f'with the "{name}" key' in prompt), "")
    if key:
        label = "AI Output" if key == "claims" else "Text"
        return {key: sentences(_section(prompt, label))}
    if "with the 'reason' key" in prompt:
        return {"reason": "by rule"}
    given = _section(prompt, "Input") if "\nInput:\n" in prompt else ""
    if "\nClaims:\n" in prompt:
        context = _section(prompt, "Retrieval Contexts")
        return _verdicts([says(context, claim) for claim in _listed(_section(prompt, "Claims"))])
    if "\nStatements:\n" in prompt:
        return _verdicts([says(one, given, _SOME) for one in _listed(_section(prompt, "Statements"))])
    if "\nExpected Output:\n" in prompt:
        context = _section(prompt, "Retrieval Context")
        return _verdicts([says(context, one) for one in sentences(_section(prompt, "Expected Output"))])
    if "\nExpected output:\n" in prompt:
        expected = _section(prompt, "Expected output")
        return _verdicts([says(one, expected) for one in _listed(_section(prompt, "Retrieval Context"))])
    if "\nContext:\n" in prompt:
        parts = sentences(_section(prompt, "Context"))
        return {"verdicts": [{"statement": one, **_verdict(says(one, given, _SOME))} for one in parts]}
    raise ValueError("no prompt of DeepEval that is known")


def _verdicts(found: Sequence[bool]) -> dict[str, Any]:
    return {"verdicts": [_verdict(one) for one in found]}


def _verdict(found: bool) -> dict[str, str]:
    return {"verdict": "yes" if found else "no", "reason": "by rule"}


def _section(prompt: str, label: str) -> str:
    """The text below the last label of this name, with a count behind it or without, up to the next label."""
    lines = prompt.split("\n")
    last = max(at for at, line in enumerate(lines) if _is_label(line, label))
    below = lines[last + 1 :]
    end = next((at for at, line in enumerate(below[1:]) if not below[at] and _LABEL.fullmatch(line)), len(below))
    return "\n".join(below[:end]).strip()


def _is_label(line: str, label: str) -> bool:
    return line.startswith(label) and line.endswith(":") and line[len(label) : -1].strip()[:1] in ("", "(")


def _listed(text: str) -> list[str]:
    """A list of texts as Python or JSON writes it."""
    found = ast.literal_eval(text)
    return [str(one) for one in found]
