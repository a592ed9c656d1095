"""What columns hold, of the same meaning in SQLite and PostgreSQL."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from pydantic_core import PydanticSerializationError, to_json


def text(length: int | None = None) -> sa.types.TypeEngine[str]:
    """Text; the length says what is meant, and no database checks it.

    On PostgreSQL it is compared by its characters' numbers, as on SQLite, whatever the database's locale is: moments would be
    ordered without their punctuation else, and pages would differ between the two.
    """
    plain = sa.String(length) if length else sa.Text()
    return plain.with_variant(sa.Text(collation="C"), "postgresql")


def size() -> sa.types.TypeEngine[int]:
    """A size in bytes. SQLite's integers have 64 bits anyway."""
    return sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def as_json(value: Any) -> str:
    """What a JSON column holds. A trace has 8 kB, and each question writes one: json.dumps takes three times as long."""
    try:
        return to_json(value).decode()
    except PydanticSerializationError:  # halves of characters, as in a file's name that is no UTF-8
        return json.dumps(value)
