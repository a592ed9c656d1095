"""Runs another tool's metrics in that tool's environment: `python -I serve.py METRICS_FILE`.

It has nothing of ours and, until METRICS_FILE is run, nothing but the standard library. One JSON object a line goes each way:

    in   {"metrics": [NAME, ...]}                            once, first
    out  {"version": TEXT}
    in   {"case": {...}, "metrics": [NAME, ...]}             for each case
    out  {"prompt": TEXT}          in  {"reply": TEXT} or {"failed": TEXT}
    out  {"texts": [TEXT, ...]}    in  {"vectors": [[...], ...]} or {"failed": TEXT}
    out  {"values": {NAME: {"value": 0..1 or null, "reason": TEXT, "problem": TEXT}}}

So whoever starts it asks the models, and the tool has no keys and no addresses. It has no network either: a look-up or a
connection to anything but this machine raises.
"""

from __future__ import annotations

import json
import math
import os
import re
import runpy
import sys
from collections.abc import Callable, Mapping
from typing import Any

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
_SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
_HERE = ("", "localhost", "127.0.0.1", "::1", b"localhost", b"127.0.0.1", b"::1", None)
# Of a reply without the form: enough for the model to see what it wrote.
_SHOWN_AGAIN = 2000
_LONGEST_PROBLEM = 300

Measure = Callable[[Mapping[str, Any]], tuple[float, str]]


def no_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook (PEP 578): it can't be taken away again by the code that follows."""
    if event in _LOOKUPS:
        host = arguments[0]
    elif event in _SENDING and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if host not in _HERE:
        raise PermissionError(f"metrics may reach nothing but this machine: {host!r}")


class Pipe:
    """The other side."""

    def __init__(self) -> None:
        self._in = open(os.dup(0), encoding="utf-8")  # noqa: SIM115
        self._out = open(os.dup(1), "w", encoding="utf-8")  # noqa: SIM115
        # What a library prints goes where errors go.
        os.dup2(2, 1)

    def take(self) -> Any:
        """What comes next. Ends the program when nothing does."""
        line = self._in.readline()
        if not line:
            raise SystemExit(0)
        return json.loads(line)

    def give(self, **told: Any) -> None:
        self._out.write(json.dumps(told) + "\n")
        self._out.flush()

    def prompt(self, text: str) -> str:
        """What the judging model says."""
        return str(self._asked("reply", prompt=text))

    def vectors(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = self._asked("vectors", texts=texts)
        return found

    def _asked(self, wanted: str, **told: Any) -> Any:
        self.give(**told)
        answer = self.take()
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer[wanted]


def structured(prompt: Callable[[str], str], text: str, schema: Any) -> Any:
    """A reply as an object of a Pydantic model. One without the form is asked for once more; raises ValueError then."""
    said = prompt(text)
    try:
        return schema.model_validate_json(json_in(said))
    except ValueError as error:
        again = (
            f"{text}\n\nYou replied:\n{said[:_SHOWN_AGAIN]}\n\n"
            f"That is not what was asked for ({str(error)[:_LONGEST_PROBLEM]}).\n"
            f"Reply with one JSON object of this schema, and nothing else:\n{json.dumps(schema.model_json_schema())}"
        )
        return schema.model_validate_json(json_in(prompt(again)))


def json_in(reply: str) -> str:
    """The JSON object that a reply holds, without thinking aloud, fences and words around it."""
    plain = _THOUGHT.sub("", reply)
    start, end = plain.find("{"), plain.rfind("}")
    return plain[start : end + 1] if 0 <= start < end else plain


def measured(measure: Measure, case: Mapping[str, Any]) -> dict[str, Any]:
    """One metric of one case. Whatever the tool raises is a problem of this metric and case."""
    try:
        value, reason = measure(case)
    except Exception as error:  # noqa: BLE001
        return {"value": None, "reason": "", "problem": f"{type(error).__name__}: {error}"[:_LONGEST_PROBLEM]}
    if value is None or not math.isfinite(value):
        return {"value": None, "reason": reason, "problem": "the tool gave no value"}
    return {"value": min(1.0, max(0.0, float(value))), "reason": reason, "problem": ""}


def main() -> None:
    pipe = Pipe()
    sys.addaudithook(no_network)
    tool = runpy.run_path(sys.argv[1])
    wanted = pipe.take()["metrics"]
    known: Mapping[str, Measure] = tool["build"](wanted, pipe.prompt, pipe.vectors, structured)
    pipe.give(version=tool["VERSION"])
    while True:
        asked = pipe.take()
        pipe.give(values={name: measured(known[name], asked["case"]) for name in asked["metrics"]})


if __name__ == "__main__":
    main()
