"""What a judging model is asked, and how its reply is read.

Each question is one short task with examples as earlier turns, in the question's language, which a small model follows more
surely than a list of rules. The reply has two lines, the reason first. Everything judged is data: no text can end its own tags
or bring a line that looks like a verdict.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from ragd.core.ids import hash32
from ragd.providers.protocols import Message

Kind = Literal["statement", "answer", "passage", "correctness"]

WORDS: Final[Mapping[str, float]] = {"YES": 1.0, "PARTLY": 0.5, "NO": 0.0}
"""What a verdict says -> what it counts."""
_TWO: Final = ("YES", "NO")
_THREE: Final = ("YES", "PARTLY", "NO")
_KINDS: Final[Mapping[Kind, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "statement": (("passages", "statement"), _TWO),
    "answer": (("question", "answer"), _THREE),
    "passage": (("question", "passages"), _TWO),
    "correctness": (("question", "expected", "answer"), _THREE),
}
"""Kind -> the fields that are shown, in order, and the words that a verdict may be."""
_LANGUAGES: Final = ("en", "ja", "zh")
_TAG: Final = re.compile(r"<(?=\s*+(?:/\s*+)?(?:passage|statement|question|answer|expected|think)\b)", re.IGNORECASE)
_LABEL: Final = re.compile(r"\b(reason|verdict)(\W{0,4}?)[:：]", re.IGNORECASE)
_THOUGHT: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_REASON: Final = re.compile(r"[*_#>\s-]*REASON[*_\s]*:[*_\s]*(.*)", re.IGNORECASE)
_VERDICT: Final = re.compile(r"[*_#>\s-]*VERDICT[*_\s]*:[*_\s\"'`「]*([A-Z]+)[*_\s\"'`」.。]*", re.IGNORECASE)
_LONGEST_REASON: Final = 500
# Of a reply without the form: enough for the model to see what it wrote.
_SHOWN_AGAIN: Final = 500


@dataclass(frozen=True, slots=True)
class Task:
    """One question to a judge. `shown` maps the fields of the kind to texts; `passages` is a tuple of them."""

    kind: Kind
    language: str
    shown: Mapping[str, str | tuple[str, ...]]

    @property
    def key(self) -> str:
        """Hash of what is asked and of the wording in which it is."""
        fields, _ = _KINDS[self.kind]
        parts = [self.shown[name] for name in fields]
        flat = [text for part in parts for text in ("\x1e", *([part] if isinstance(part, str) else part))]
        return hash32(prompt_id(self.kind, self.language), *flat)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that has the form: one of `WORDS`, and why."""

    word: str
    reason: str


def language_of(code: str | None) -> str:
    """The language to ask in: the question's own where there are prompts in it, else English."""
    return code if code in _LANGUAGES else "en"


def prompt_id(kind: Kind, language: str) -> str:
    """Hash of the wording of a kind of question."""
    texts = _texts(language)
    return hash32(repr([texts["data"], texts["form"], texts["retry"], sorted(texts[kind].items()), _KINDS[kind]]))


def prompts_id() -> str:
    """Hash of all wordings, in all languages."""
    return hash32(*(prompt_id(kind, language) for kind in _KINDS for language in _LANGUAGES))


def messages(task: Task) -> list[Message]:
    """The task as a model gets it: rule and form, examples as earlier turns, and the question. It is no example of itself."""
    texts = _texts(task.language)
    own = texts[task.kind]
    built = [Message("system", f"{own['rule']}\n\n{texts['data']}\n{_with_words(texts['form'], task.kind)}")]
    for example in own["examples"]:
        if _shown(task.kind, example) == dict(task.shown):
            continue
        built += [Message("user", _asked(task.kind, example, own["ask"])), Message("assistant", example["reply"])]
    return [*built, Message("user", _asked(task.kind, task.shown, own["ask"]))]


def again(task: Task, reply: str) -> list[Message]:
    """What follows a reply that had not the form."""
    said = reply.strip()[:_SHOWN_AGAIN] or "-"
    return [Message("assistant", said), Message("user", _with_words(_texts(task.language)["retry"], task.kind))]


def controls(language: str) -> list[tuple[Task, str]]:
    """Tasks whose verdict is known, to see whether a model can judge at all: each example, asked with the others as examples."""
    return [
        (Task(kind, language, _shown(kind, example)), _said(example["reply"], kind))
        for kind in _KINDS
        for example in _texts(language)[kind]["examples"]
    ]


def read_reply(text: str, kind: Kind) -> Reply | None:
    """The verdict of a reply; None for one without the form: exactly one verdict, in the last line, and one reason before it.

    Signs of Markdown, upper and lower case and the width of characters do not count. Thinking aloud before the reply, between
    `<think>` and `</think>`, is left out.
    """
    plain = unicodedata.normalize("NFKC", _THOUGHT.sub("", text))
    lines = [line for line in plain.splitlines() if line.strip()]
    verdicts = [match for line in lines if (match := _VERDICT.fullmatch(line))]
    if len(lines) != 2 or len(verdicts) != 1 or (last := _VERDICT.fullmatch(lines[-1])) is None:
        return None
    reason, word = _REASON.fullmatch(lines[0]), last[1].upper()
    if reason is None or word not in _KINDS[kind][1]:
        return None
    return Reply(word, reason[1].strip()[:_LONGEST_REASON])


@cache
def _texts(language: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / f"{language}.toml").read_text(encoding="utf-8"))


def _said(reply: str, kind: Kind) -> str:
    read = read_reply(reply, kind)
    assert read is not None, f"an example of '{kind}' has not its own form"
    return read.word


def _shown(kind: Kind, values: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    return {name: tuple(values[name]) if name == "passages" else values[name] for name in _KINDS[kind][0]}


def _asked(kind: Kind, values: Mapping[str, Any], ask: str) -> str:
    blocks: list[str] = []
    for name in _KINDS[kind][0]:
        tag, texts = ("passage", values[name]) if name == "passages" else (name, [values[name]])
        blocks += [f"<{tag}>\n{as_data(text)}\n</{tag}>" for text in texts]
    return "\n\n".join([*blocks, ask])


def as_data(text: str) -> str:
    """A text to be judged, without tags and labels of ours."""
    return _LABEL.sub(r"\1\2 -", _TAG.sub("‹", text)).strip()


def _with_words(text: str, kind: Kind) -> str:
    words: Sequence[str] = _KINDS[kind][1]
    return text.replace("{words}", " | ".join(words))
