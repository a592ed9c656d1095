#!/usr/bin/env python3
"""From a fresh clone to a first answer: environment, model, sample documents, one English and one Japanese question.

    python3 scripts/quickstart.py

It may be run from any folder and any number of times; what is done already is skipped. Exit status: 0 done; 1 a step failed;
2 the machine lacks something (the message says what to install); 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from setup.console import INTERRUPTED, Console, StopError
from setup.environment import BASE_LOCK, ROOT, Environment
from setup.installers import child_environment

COLLECTION = "samples"
SAMPLES = ROOT / "data" / "samples"
# Two of tests/golden/questions.yaml (`demo: true`); a test compares them.
DEMO_QUESTIONS = (
    "How long does the storage engine wait to group writes before forcing them to disk?",
    "社内の証明書を追加したら再起動が必要ですか",
)
STEPS = 4


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.parse_args(arguments)
    console = Console(STEPS)
    try:
        quickstart(console, Environment())
    except StopError as error:
        console.print(f"\n{error}")
        return error.exit_code
    except KeyboardInterrupt:
        console.print("\nStopped. Run the same command again to go on.")
        return INTERRUPTED
    return 0


def quickstart(console: Console, environment: Environment) -> None:
    console.step("Python environment in .venv/")
    environment.ensure(BASE_LOCK, console)
    rag = environment.program("rag")

    console.step("Embedding model")
    run([str(rag), "models", "pull"])

    console.step(f"Sample documents into the collection `{COLLECTION}`")
    run([str(rag), "ingest", str(SAMPLES), "--collection", COLLECTION, "--create"])

    console.step("One question in English, one in Japanese")
    for question in DEMO_QUESTIONS:
        command = [str(rag), "query", question, "--collection", COLLECTION, "--top-k", "3"]
        console.print(f'\n$ {shown(rag)} query "{question}" --collection {COLLECTION} --top-k 3')
        run(command)
    console.print(next_steps(shown(rag), console.elapsed()))


def run(command: Sequence[str]) -> None:
    """Run one command of ours, its output as it comes."""
    returncode = subprocess.run(command, env=child_environment(os.environ), cwd=ROOT, check=False).returncode
    if returncode < 0 or returncode == INTERRUPTED:
        raise KeyboardInterrupt
    if returncode != 0:
        again = " ".join(shlex.quote(word) for word in command)
        raise StopError(
            f"This command failed (exit status {returncode}); the lines above say why:\n  {again}\nThen run the script again."
        )


def shown(program: Path) -> str:
    """The program as one types it in the folder where one is."""
    try:
        return str(program.relative_to(Path.cwd()))
    except ValueError:
        return shlex.quote(str(program))


def next_steps(rag: str, seconds: float) -> str:
    return f"""
Ready after {seconds:.0f} s. What to type next:

  {rag} ingest ~/docs                 your own documents (any folder or file)
  {rag} query "your question"         search them
  {rag} serve                         the daemon: answers at once, and the REST API for programs
  {rag} --help                        everything else

The VS Code extension: `python3 scripts/package.py` makes dist/rag-assistant-*.vsix; install it by
`code --install-extension` and press Set Up in its view."""


if __name__ == "__main__":
    sys.exit(main())
