"""The fields of a source's configuration as a person wrote them, each checked; what is wrong is gathered and told at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from ragd.core.errors import FieldProblem, ValidationFailed
from ragd.ingest.discovery.file_rules import check_globs
from ragd.sources.atlassian.client import Product
from ragd.sources.atlassian.site import parse_site

_SITE: Final = ("base_url", "deployment", "auth")
_SHARED: Final = ("attachments", "comments", "include", "exclude")
"""Fields that sources of both products have."""

_ORDER: Final = re.compile(r"\border\s+by\b", re.IGNORECASE)
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


class Fields:
    """The values of one configuration. Each method gives a usable value, and notes a problem where the given one is none."""

    def __init__(self, values: Mapping[str, Any], own: Sequence[str], product: Product) -> None:
        """`own` are the fields that sources of this product alone have."""
        self._values = values
        self._product: Product = product
        self._known = (*_SITE, *own, *_SHARED)
        self._problems = [self._unknown(str(name)[:80]) for name in values if name not in self._known]

    def site(self) -> dict[str, Any]:
        """Address, deployment and account: see `parse_site`."""
        return parse_site(
            {name: self._values[name] for name in _SITE if name in self._values}, self._problems, product=self._product
        )

    def shared(self) -> dict[str, Any]:
        """The fields of both products."""
        flags = {name: self.flag(name) for name in ("attachments", "comments")}
        return flags | {name: self.globs(name) for name in ("include", "exclude")}

    def texts(self, name: str) -> list[str]:
        """Texts without blanks around them, each once."""
        given = self._values.get(name, [])
        if not isinstance(given, list | tuple) or not all(isinstance(text, str) and text.strip() for text in given):
            self.note(name, f"'{name}' is a list of texts that are not empty.")
            return []
        return list(dict.fromkeys(text.strip() for text in given))

    def globs(self, name: str) -> list[str]:
        try:
            return list(check_globs(self.texts(name), f"config.{name}"))
        except ValidationFailed as error:
            self._problems.extend(error.details)
            return []

    def flag(self, name: str) -> bool:
        """True unless it is said to be false."""
        given = self._values.get(name, True)
        if not isinstance(given, bool):
            self.note(name, f"'{name}' is true or false.")
            return True
        return given

    def query(self, name: str, most: int, example: str) -> str:
        """A filter in the product's query language, of at most `most` characters and in no order of its own."""
        given = self._values.get(name, "")
        if not isinstance(given, str) or len(given) > most:
            self.note(name, f"'{name}' is a text of at most {most} characters, such as: {example}")
            return ""
        if _ORDER.search(_STRING.sub("", given)):
            self.note(name, f"'{name}' is a filter alone: leave out 'ORDER BY'.")
        return given.strip()

    def note(self, name: str, message: str) -> None:
        """One more problem, of the field `name`."""
        self._problems.append(FieldProblem(f"config.{name}", "invalid", message))

    def check(self) -> None:
        """Raises `ValidationFailed` that names every wrong field."""
        if self._problems:
            raise ValidationFailed(" ".join(problem.message for problem in self._problems), details=self._problems)

    def _unknown(self, name: str) -> FieldProblem:
        near = get_close_matches(name, self._known, 1)
        hint = f"Did you mean '{near[0]}'?" if near else f"It has: {', '.join(self._known)}."
        return FieldProblem(f"config.{name}", "unknown", f"A {self._product.capitalize()} source has no '{name}'. {hint}")
