"""Prints the API's description as JSON: `python -m ragd.api.openapi`.

With `editor` behind it what is for other programs is left out, which the editor does not use: its types are made from that.
"""

from __future__ import annotations

import json
import sys
from typing import TextIO

from ragd.api.application import routes


def write(target: TextIO, *, service_contract: bool = True) -> None:
    """The description, the same text at every call."""
    json.dump(routes(service_contract=service_contract).openapi(), target, indent=2, sort_keys=True, ensure_ascii=False)
    target.write("\n")


if __name__ == "__main__":
    write(sys.stdout, service_contract=sys.argv[1:] != ["editor"])
