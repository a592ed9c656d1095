"""Prints the API's description as JSON, from which the extension's types are made: `python -m ragd.api.openapi`."""

from __future__ import annotations

import json
import sys
from typing import TextIO

from ragd.api.application import routes


def write(target: TextIO) -> None:
    """The description, the same text at every call."""
    json.dump(routes().openapi(), target, indent=2, sort_keys=True, ensure_ascii=False)
    target.write("\n")


if __name__ == "__main__":
    write(sys.stdout)
