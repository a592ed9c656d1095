"""The user's synonyms: `config/synonyms.yaml`, put into the sparse side only.

The file is a list of groups, whose terms all stand for each other, or a mapping from a term to what is searched beside it:

    - [有給休暇, 年休, paid leave]      年休: [有給休暇, 年次休暇]

A term is found in a question when its analysed form stands there in one run, the longest first; one in a script without blanks
also by its characters. The file is read again when it changes; one that can't be read leaves the last good one in force.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from ragd.core.errors import SettingsError
from ragd.core.ids import canonical, hash32
from ragd.language.scripts import ALL_HAN, HANGUL, KANA
from ragd.language.stop_words import QUESTION_GRAMMAR
from ragd.providers.protocols import Analyzer

SYNONYMS_FILE: Final = "synonyms.yaml"
"""Name of the file in the folder of settings."""

MAX_TERM_CHARS: Final = 100
MAX_TERMS: Final = 20_000

_CJK: Final = re.compile(f"[{ALL_HAN}{KANA}{HANGUL}]")
_KANA: Final = re.compile(f"[{KANA}]")
_HELP: Final = "Write a list of groups, such as '- [k8s, kubernetes]', or a mapping, such as 'k8s: [kubernetes]'."


@dataclass(frozen=True, slots=True)
class _Expansion:
    """What a question's synonyms add: as they are written, and their index terms, each once and none of the question's own."""

    synonyms: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    term: str
    form: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """Entries by the first term of their form; those that are looked for by their characters are in `written`, too."""

    by_first: dict[str, tuple[_Entry, ...]]
    written: tuple[tuple[str, _Entry], ...]
    digest: str


_NONE: Final = _Table({}, (), hash32(""))


class Synonyms:
    """Finds the synonyms of questions. Safe to use from several threads."""

    def __init__(self, path: Path, analyzer: Analyzer) -> None:
        """Raises `SettingsError` for a file that can't be used, with its name and the line. No file: no synonyms."""
        self._path = path
        self._analyzer = analyzer
        self._lock = threading.Lock()
        self._stamp = self._seen()
        self._table = self._read()
        self._trouble: str | None = None

    @property
    def digest(self) -> str:
        """Hash of the file that is in force."""
        return self._table.digest

    def refresh(self) -> str | None:
        """Read the file again if it has changed. Returns a warning while the file on disk can't be used, else None."""
        with self._lock:
            stamp = self._seen()
            if stamp != self._stamp:
                self._stamp = stamp
                try:
                    self._table, self._trouble = self._read(), None
                except SettingsError as error:
                    self._trouble = f"{error.message} Until then the synonyms stay as they were before."
            return self._trouble

    def expand(self, text: str, terms: Sequence[str]) -> _Expansion:
        """The synonyms of a question in canonical form, whose index terms are `terms`."""
        table = self._table
        entries = {id(entry): entry for entry in _standing_in(text, terms, table)}
        folded = text.casefold()
        found: dict[str, str] = {}
        for entry in entries.values():
            for other in entry.others:
                if other.casefold() != entry.term.casefold() and not _holds(folded, other.casefold()):
                    found.setdefault(other.casefold(), other)
        own = set(terms)
        added: dict[str, None] = {}
        for synonym in found.values():
            analysed = self._analyzer.tokens(synonym)
            specific = [term for term in analysed if term not in QUESTION_GRAMMAR] or analysed
            added |= dict.fromkeys(term for term in specific if term not in own)
        return _Expansion(tuple(found.values()), tuple(added))

    def _seen(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:  # that it is missing, or why it can't be had, is found when it is read
            return None
        return status.st_mtime_ns, status.st_size

    def _read(self) -> _Table:
        try:
            text = self._path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            return _NONE
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{self._path} can't be read: {error}. Save it as UTF-8 text.") from error
        by_first: dict[str, list[_Entry]] = {}
        written: list[tuple[str, _Entry]] = []
        for term, others in _pairs(text, self._path):
            for form in forms(term, self._analyzer):
                entry = _Entry(term, form, others)
                by_first.setdefault(form[0], []).append(entry)
                if _CJK.search(term):
                    written.append((term.casefold(), entry))
        longest_first = {first: tuple(sorted(entries, key=lambda entry: -len(entry.form))) for first, entries in by_first.items()}
        return _Table(longest_first, tuple(written), hash32(text))


def forms(text: str, analyzer: Analyzer) -> list[tuple[str, ...]]:
    """The runs of index terms that a phrase can have in a text: one, or two where Japanese and Chinese are analysed apart.

    An analyzer may put further terms behind Chinese characters where no kana is near; a line of kana makes a text Japanese.
    """
    whole = tuple(analyzer.tokens(text))
    if _KANA.search(text) or not _CJK.search(text):
        return [whole] if whole else []
    japanese = tuple(analyzer.tokens(f"{text}\nの"))
    found = [japanese]
    if whole != japanese:
        found.append(whole[len(japanese) :] if whole[: len(japanese)] == japanese else whole)
    return [form for form in found if form]


def _standing_in(text: str, terms: Sequence[str], table: _Table) -> Iterator[_Entry]:
    position = 0
    while position < len(terms):
        matching = [
            entry
            for entry in table.by_first.get(terms[position], ())
            if tuple(terms[position : position + len(entry.form)]) == entry.form
        ]
        if matching:
            length = len(matching[0].form)
            yield from (entry for entry in matching if len(entry.form) == length)
            position += length
        else:
            position += 1
    if table.written:
        folded = text.casefold()
        yield from (entry for term, entry in table.written if _holds(folded, term))


def _holds(text: str, term: str) -> bool:
    """Whether a term stands in a text; one in a script with blanks, between the ends of words."""
    if _CJK.search(term):
        return term in text
    return re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text) is not None


def _pairs(text: str, path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`(term, what it adds)` for every term that may stand in a question."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise SettingsError(f"{path} is not valid YAML: {' '.join(str(error).split())}. {_HELP}") from error
    if root is None or (isinstance(root, yaml.ScalarNode) and not root.value):
        return
    count = 0
    if isinstance(root, yaml.SequenceNode):
        for group in root.value:
            terms = _terms(group, path, least=2)
            count += len(terms)
            for term in terms:
                yield term, tuple(other for other in terms if other != term)
    elif isinstance(root, yaml.MappingNode):
        known: set[str] = set()
        for key, value in root.value:
            term = _term(key, path)
            if term.casefold() in known:
                raise _wrong(path, key, f"'{term}' stands there twice")
            known.add(term.casefold())
            others = (_term(value, path),) if isinstance(value, yaml.ScalarNode) else _terms(value, path, least=1)
            count += 1 + len(others)
            yield term, others
    else:
        raise _wrong(path, root, "a single text is no synonyms")
    if count > MAX_TERMS:
        raise SettingsError(f"{path} holds {count:,} terms; {MAX_TERMS:,} are the most. Take out those that nobody asks for.")


def _terms(node: yaml.Node, path: Path, *, least: int) -> tuple[str, ...]:
    if not isinstance(node, yaml.SequenceNode):
        raise _wrong(path, node, "a list of terms is expected")
    terms = tuple(dict.fromkeys(_term(item, path) for item in node.value))
    if len(terms) < least:
        raise _wrong(path, node, f"at least {least} different {'term is' if least == 1 else 'terms are'} needed")
    return terms


def _term(node: yaml.Node, path: Path) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _wrong(path, node, "a term is expected")
    term = canonical(str(node.value))
    if not any(character.isalnum() for character in term):
        raise _wrong(path, node, "a term must hold a letter or a digit")
    if len(term) > MAX_TERM_CHARS or "\n" in term:
        raise _wrong(path, node, f"a term may have at most {MAX_TERM_CHARS} characters, in one line")
    return term


def _wrong(path: Path, node: yaml.Node, what: str) -> SettingsError:
    return SettingsError(f"{path}, line {node.start_mark.line + 1}: {what}. {_HELP}")
