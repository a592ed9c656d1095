#!/usr/bin/env python3
"""Makes docs/examples/gates/: what CI gets of a run that misses a gate.

    .venv/bin/python scripts/make_gate_example.py

The golden questions, found by words alone (`--strategy sparse_only`), against `config/gates.yaml`. No vector is
searched, so a fake embedder will do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "docs" / "examples" / "gates"
OPTIONS = ("--dataset", "golden", "--strategy", "sparse_only", "--gates", "../../../config/gates.yaml")
FILES = ("--junit", "gates.xml", "--report", "evaluation.md", "--summary", "summary.md")
LIGHT = {"RAG_EMBEDDING__PROVIDER": "fake", "RAG_TOKEN_INDEX__PROVIDER": "none"}
GATE_NOT_MET = 6


def main() -> int:
    EXAMPLE.mkdir(exist_ok=True)
    (EXAMPLE / "summary.md").unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="rag-example-") as data:
        command = [sys.executable, "-m", "ragd", "eval", "run", *OPTIONS, *FILES]
        code = subprocess.run(command, env=os.environ | LIGHT | {"RAG_DATA_DIR": data}, cwd=EXAMPLE, check=False).returncode
    print(f"exit status {code}")
    return 0 if code == GATE_NOT_MET else 1


if __name__ == "__main__":
    sys.exit(main())
