"""The grammar that CQL and JQL share: clauses joined by and, or, not and parentheses, then an order.

query   = [or] ["order by" field ["asc" | "desc"] {"," …}]
or      = and {"or" and};  and = not {"and" not};  not = {"not" | "!"} ("(" or ")" | clause)
clause  = field ("=" | "!=" | "~" | "!~" | ">" | ">=" | "<" | "<=") value | field ["not"] "in" "(" value {"," value} ")"
        | field "is" ["not"] ("empty" | "null")
value   = word | number | quoted | function "(" [value] ")"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Predicate = Callable[[Any], bool]


class QueryError(Exception):
    """What is wrong with a query, in the words of its product."""


class Word(NamedTuple):
    text: str
    quoted: bool = False
    function: bool = False
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    field: str
    operator: str
    values: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """`how` is `and`, `or` or `not`; the last has one part."""

    how: str
    parts: tuple[Any, ...]


@dataclass(slots=True)
class Query:
    where: Any = None
    order: list[tuple[str, bool]] = field(default_factory=list)


_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<sign>!=|!~|>=|<=|[=~<>!(),])|(?P<word>[^\s=~<>!(),"']+))"""
)
_OPERATORS = {"=", "!=", "~", "!~", ">", ">=", "<", "<="}
_RESERVED = {"and", "or", "not", "in", "is", "order"}


def parse(text: str) -> Query:
    """Raises QueryError."""
    return _Parser(text).query()


def compiled(where: Any, clause: Callable[[Clause], Predicate]) -> Predicate:
    """One function for the whole tree; `clause` makes that of a clause and refuses fields that the product doesn't have."""
    if isinstance(where, Clause):
        return clause(where)
    parts = [compiled(part, clause) for part in where.parts]
    if where.how == "not":
        return lambda item: not parts[0](item)
    if where.how == "and":
        return lambda item: all(part(item) for part in parts)
    return lambda item: any(part(item) for part in parts)


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise QueryError(f"The character '{text[at:].strip()[0]}' at position {at} can't be understood.")
            kind = str(found.lastgroup)
            self._tokens.append((kind, found[kind]))
            at = found.end()

    def query(self) -> Query:
        query = Query()
        if self._tokens and not self._is_word("order"):
            query.where = self._or()
        if self._take_word("order"):
            self._need_word("by")
            query.order.append(self._ordered())
            while self._take_sign(","):
                query.order.append(self._ordered())
        if self._tokens:
            raise QueryError(f"Expecting either 'OR' or 'AND' but got '{self._tokens[0][1]}'.")
        return query

    def _or(self) -> Any:
        parts = [self._and()]
        while self._take_word("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Joined("or", tuple(parts))

    def _and(self) -> Any:
        parts = [self._not()]
        while self._take_word("and"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else Joined("and", tuple(parts))

    def _not(self) -> Any:
        if self._take_word("not") or self._take_sign("!"):
            return Joined("not", (self._not(),))
        if self._take_sign("("):
            inner = self._or()
            self._need_sign(")")
            return inner
        return self._clause()

    def _clause(self) -> Clause:
        name = self._name()
        if self._take_word("is"):
            wanted = "is not" if self._take_word("not") else "is"
            value = self._value()
            if value.text.lower() not in ("empty", "null"):
                raise QueryError(f"The operator '{wanted}' expects EMPTY or NULL but got '{value.text}'.")
            return Clause(name, wanted)
        negated = self._take_word("not")
        if self._take_word("in"):
            self._need_sign("(")
            values = [self._value()]
            while self._take_sign(","):
                values.append(self._value())
            self._need_sign(")")
            return Clause(name, "not in" if negated else "in", tuple(values))
        kind, text = self._next("an operator")
        if negated or kind != "sign" or text not in _OPERATORS:
            raise QueryError(
                f"Expecting operator but got '{text}'. The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', 'IN'."
            )
        return Clause(name, text, (self._value(),))

    def _name(self) -> str:
        kind, text = self._next("a field")
        if kind == "sign" or (kind == "word" and text.lower() in _RESERVED):
            raise QueryError(f"Expecting a field name but got '{text}'.")
        return _unquoted(text) if kind == "quoted" else text

    def _value(self) -> Word:
        kind, text = self._next("a value")
        if kind == "quoted":
            return Word(_unquoted(text), quoted=True)
        if kind == "sign" or text.lower() in _RESERVED:
            raise QueryError(f"Expecting a value but got '{text}'.")
        if self._take_sign("("):
            argument = "" if self._tokens and self._tokens[0] == ("sign", ")") else self._value().text
            self._need_sign(")")
            return Word(text, function=True, argument=argument)
        return Word(text)

    def _ordered(self) -> tuple[str, bool]:
        name = self._name()
        descending = self._take_word("desc")
        if not descending:
            self._take_word("asc")
        return name.lower(), descending

    def _next(self, wanted: str) -> tuple[str, str]:
        if not self._tokens:
            raise QueryError(f"Expecting {wanted} but the query ended.")
        return self._tokens.pop(0)

    def _is_word(self, word: str) -> bool:
        return bool(self._tokens) and self._tokens[0][0] == "word" and self._tokens[0][1].lower() == word

    def _take_word(self, word: str) -> bool:
        if self._is_word(word):
            self._tokens.pop(0)
            return True
        return False

    def _need_word(self, word: str) -> None:
        if not self._take_word(word):
            raise QueryError(f"Expecting '{word.upper()}'.")

    def _take_sign(self, sign: str) -> bool:
        if self._tokens and self._tokens[0] == ("sign", sign):
            self._tokens.pop(0)
            return True
        return False

    def _need_sign(self, sign: str) -> None:
        if not self._take_sign(sign):
            raise QueryError(f"Expecting '{sign}' but got '{self._tokens[0][1] if self._tokens else 'the end of the query'}'.")


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])
