"""The messages for a model: rules, earlier turns, fenced and numbered passages, and the question, within its limit of tokens.

Passages are data. No passage can end its own fence, forge the header of another, or bring marks that look like citations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from ragd.answer.wording import LANGUAGES, NOT_FOUND, language_of
from ragd.core.errors import SettingsError
from ragd.core.query import QueryPlan, Turn
from ragd.core.results import Citation
from ragd.formats.registry import shape_of
from ragd.language.boundaries import fenced_blocks
from ragd.providers.protocols import Message
from ragd.retrieve.context import place_label

PROMPT_FILE: Final = "answer.md"

# Tokens that a service puts around each message.
_MESSAGE_TOKENS: Final = 8
_FENCE: Final = re.compile(r"<(?=\s*/?\s*passage\b)", re.IGNORECASE)
_HEADER: Final = re.compile(r"^([ \t>*#-]*)[\[【［](\s*\d+\s*)[\]】］]", re.MULTILINE)
_MARK: Final = re.compile(r"[\[【［](\s*\d{1,3}(?:\s*[,，、;–~-]\s*\d{1,3})*\s*)[\]】］]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is sent, the passages that are in it, and the tokens that it takes by the model's own count."""

    messages: tuple[Message, ...]
    citations: tuple[Citation, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of a whole prompt, and of the earlier turns in it."""

    prompt: int
    history: int
    count: Callable[[str], int]


def read_rules(config_dir: Path) -> Template:
    """The rules for answers: `prompts/answer.md` of the configuration, else our own. Raises `SettingsError`."""
    own = config_dir / "prompts" / PROMPT_FILE
    source = own if own.is_file() else files(__package__) / "prompts" / PROMPT_FILE
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{own} can't be read: {error}. Write it as UTF-8, or delete it for the built-in rules.") from error
    rules = Template(text)
    unknown = set(rules.get_identifiers()) - {"not_found", "language"} if rules.is_valid() else {"$"}
    if unknown or not text.strip():
        raise SettingsError(
            f"{own} can't be used: it may name $not_found and $language alone, and must not be empty. A plain $ is written $$."
        )
    return rules


def build_prompt(
    rules: Template, plan: QueryPlan, history: Sequence[Turn], citations: Sequence[Citation], budget: Budget
) -> Prompt:
    """Earlier turns come in newest first and take at most half of the room; passages are left out whole, from the last one on.

    A prompt without any passage means that none fits.
    """
    language = language_of(plan.text, plan.language)
    named = LANGUAGES.get(plan.language or language, LANGUAGES[language])
    system = rules.substitute(not_found=NOT_FOUND[language], language=named).strip()
    question = f"Question: {plan.text}"
    used = budget.count(system) + budget.count(question) + 2 * _MESSAGE_TOKENS
    turns, taken = _newest(history, min(budget.history, max(0, budget.prompt - used) // 2), budget.count)
    used += taken
    blocks: list[str] = []
    for citation in citations:
        block = passage_block(citation)
        tokens = budget.count(block) + 1
        if used + tokens > budget.prompt:
            break
        used += tokens
        blocks.append(block)
    user = "\n\n".join([*blocks, question])
    messages = (Message("system", system), *turns, Message("user", user))
    return Prompt(messages, tuple(citations[: len(blocks)]), used)


def _newest(history: Sequence[Turn], limit: int, count: Callable[[str], int]) -> tuple[list[Message], int]:
    kept: list[Message] = []
    used = 0
    for turn in reversed(history):
        tokens = count(turn.text) + _MESSAGE_TOKENS
        if used + tokens > limit:
            break
        used += tokens
        kept.insert(0, Message(turn.role, turn.text))
    # Services want a conversation to begin with its user.
    while kept and kept[0].role != "user":
        used -= count(kept[0].text) + _MESSAGE_TOKENS
        kept.pop(0)
    return kept, used


def passage_block(citation: Citation) -> str:
    """A passage under its number, fenced."""
    passage = citation.passage
    place = place_label(passage)
    about = _one_line(f"{passage.title} ({passage.source}{', ' + place if place else ''})")
    pictures = "".join(
        f"\n(In the picture {image.alt or image.asset_id}: {image.text})" for image in passage.images if image.text
    )
    content = _as_data(passage.content + pictures, is_code=shape_of(passage.doc_type) == "code")
    return f"[{citation.id}] {about}\n<passage>\n{content}\n</passage>"


def _one_line(text: str) -> str:
    return neutral(_FENCE.sub("‹", " ".join(text.split())))


def _as_data(text: str, *, is_code: bool) -> str:
    text = _HEADER.sub(r"\1(\2)", _FENCE.sub("‹", text))
    return text if is_code else neutral(text)


def neutral(text: str) -> str:
    """Marks that look like citations in round brackets; what stands in fenced code is left as it is."""
    parts: list[str] = []
    end = 0
    for start, stop in fenced_blocks(text):
        parts += [_MARK.sub(r"(\1)", text[end:start]), text[start:stop]]
        end = stop
    return "".join([*parts, _MARK.sub(r"(\1)", text[end:])])
