"""Another tool's metrics in a process of their own, in the tool's environment: see `programs/serve.py` for what is said.

The process gets an empty folder as its home and as where it stands, none of this process's environment but what a program needs
to start, and no network: the judging model and the embedding model are asked by us.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

from ragd.core.errors import RagError, ServiceUnavailable
from ragd.evaluation.external.protocol import Advisor, Case, Value

PROGRAMS: Final = Path(__file__).parent / "programs"
_NEEDED: Final = {"PATH", "LANG", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "NUMBER_OF_PROCESSORS"}
_NEEDED_OF: Final = ("LC_", "OPENBLAS_", "OMP_", "MKL_")
# The tools' own words for "send nothing" and "look for nothing". That they are heard is tested where a packet would be seen.
SILENT: Final = {
    "RAGAS_DO_NOT_TRACK": "true",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "0",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_FILE_SYSTEM": "READ_ONLY",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}
_LAST_LINES: Final = 12


def measure(
    python: Path, metrics_file: Path, names: Sequence[str], cases: Iterable[tuple[Case, Sequence[str]]], advisor: Advisor
) -> Generator[dict[str, Value], None, None]:
    """The values of each case, as `MetricSet.measure` gives them; `names` are all that any case asks for.

    The process ends with the iterator. Raises `ServiceUnavailable` when the process fails, and what the advisor raises.
    """
    with (
        tempfile.TemporaryDirectory(prefix="rag-metrics-", ignore_cleanup_errors=True) as home,
        Path(home, "errors").open("w+b") as errors,
        _started(python, metrics_file, home, errors) as process,
    ):
        talk = _Talk(process, errors)
        try:
            talk.say(metrics=list(names))
            talk.hear()
            for case, wanted in cases:
                talk.say(case=asdict(case), metrics=list(wanted))
                yield talk.values(advisor)
        finally:
            process.kill()
            # What it did not read any more.
            with suppress(OSError):
                talk.close()


def _started(python: Path, metrics_file: Path, home: str, errors: IO[bytes]) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            [str(python), "-I", str(PROGRAMS / "serve.py"), str(metrics_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=home,
            env=environment(home, os.environ),
            encoding="utf-8",
        )
    except OSError as error:
        raise ServiceUnavailable(f"{python} can't be started: {error.strerror}.") from error


def environment(home: str, ours: Mapping[str, str]) -> dict[str, str]:
    """What the process gets of an environment: no keys, no addresses, no settings of other programs."""
    kept = {name: value for name, value in ours.items() if name.upper() in _NEEDED or name.upper().startswith(_NEEDED_OF)}
    places = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP"), home)
    return kept | places | SILENT


class _Talk:
    def __init__(self, process: subprocess.Popen[str], errors: IO[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out, self._errors = process.stdin, process.stdout, errors

    def say(self, **told: Any) -> None:
        try:
            self._in.write(json.dumps(told) + "\n")
            self._in.flush()
        except OSError as error:
            raise self._failed() from error

    def close(self) -> None:
        self._in.close()

    def hear(self) -> dict[str, Any]:
        line = self._out.readline()
        if not line.endswith("\n"):
            raise self._failed()
        told: dict[str, Any] = json.loads(line)
        return told

    def values(self, advisor: Advisor) -> dict[str, Value]:
        """Answer what is asked until the values come."""
        while "values" not in (told := self.hear()):
            try:
                answer = (
                    {"reply": advisor.reply(told["prompt"])} if "prompt" in told else {"vectors": advisor.vectors(told["texts"])}
                )
            except RagError as error:
                answer = {"failed": error.message}
            self.say(**answer)
        return {name: Value(**value) for name, value in told["values"].items()}

    def _failed(self) -> ServiceUnavailable:
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
        return ServiceUnavailable("The metrics' own program failed. It said:\n" + "\n".join(f"  {line}" for line in said))
