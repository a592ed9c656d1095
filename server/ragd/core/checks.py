"""What `rag doctor` reports, whoever looked: this machine's part by the command, the rest by the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """What one look found. `mend` says what to do; it is empty when nothing is to be done."""

    name: str
    level: Level
    message: str
    mend: str = ""
