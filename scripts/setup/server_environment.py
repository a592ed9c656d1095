"""Sets up the daemon's environment for the extension: the lock with hashes, then the wheel, into a folder of its own.

What is done already is not repeated, and a set-up that was cut short is finished by the next one. Two at a time take turns: a
lock file beside the folder is held as long as one of our programs runs, also when the set-up itself was killed.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

from setup.console import INTERRUPTED, MACHINE_NOT_READY, STEP_FAILED, StopError
from setup.environment import BASE_LOCK, check_machine, fingerprint, make_environment, program_in, read_stamp, works
from setup.events import Events, Mask
from setup.extras import NOTED, note, noted, restore
from setup.failures import failure_in, stop
from setup.installers import Installation, child_environment, uv_on_path, uv_works, wheel
from setup.pip_settings import Network
from setup.processes import CommandFailedError

HERE = Path(__file__).resolve().parent
STAMP = "rag-assistant-stamp.json"
SECONDS_BETWEEN_TRIES = 0.5

_ADDRESS_VARIABLES = ("INDEX", "PROXY", "FIND_LINKS")
# What `venv` has made before it writes pyvenv.cfg.
_HALF_MADE = frozenset({".gitignore", "bin", "include", "lib", "lib64", "Include", "Lib", "Scripts"})


@dataclass(frozen=True)
class Carried:
    """What the extension carries beside this package."""

    lock: Path
    wheel: Path

    @classmethod
    def in_folder(cls, folder: Path) -> Carried:
        wheels = sorted(folder.glob("ragd-*.whl"))
        if len(wheels) != 1 or not (folder / BASE_LOCK).is_file():
            raise StopError(
                f"{folder} should hold {BASE_LOCK} and one wheel of RAG Assistant.", advice="Install the extension again."
            )
        return cls(folder / BASE_LOCK, wheels[0])

    @property
    def version(self) -> str:
        return self.wheel.name.split("-")[1]


class ServerEnvironment:
    def __init__(self, folder: Path, carried: Carried, events: Events, *, uv: str | None, network: Network) -> None:
        self._folder = folder
        self._carried = carried
        self._events = events
        self._uv = uv
        self._network = network
        self._stamp = folder / STAMP

    def ensure(self) -> None:
        self._events.step("check", "Checking this machine")
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        with turn(self._folder.with_name(f"{self._folder.name}.lock"), self._events):
            if not self._is_current():
                self._make()
        self._events.done(self._program("python"), self._program("rag"), self._carried.version)

    def _make(self) -> None:
        if self._uv and not uv_works(self._uv):
            self._events.note(f"{self._uv} does not start here; going on without it")
            self._uv = None
        check_machine(self._folder.parent, has_uv=bool(self._uv or uv_on_path()))
        self._check_folder()
        self._events.step("environment", "Making the Python environment")
        self._stamp.unlink(missing_ok=True)
        if not works(self._folder):
            extras = noted(self._folder)
            make_environment(self._folder, self._events)
            note(self._folder, extras)
        self._events.step("packages", "Installing the packages")
        project = wheel(self._carried.wheel)
        Installation(
            self._carried.lock, project, self._program("python"), self._events, uv=self._uv, network=self._network
        ).install()
        self._events.step("verify", "Starting RAG Assistant once")
        self._verify()
        restore(self._folder, self._program("rag"), self._events, self._network.over(child_environment(os.environ)))
        self._stamp.write_text(json.dumps(self._wanted_stamp(), indent=1) + "\n", "utf-8")

    def _verify(self) -> None:
        command = [str(self._program("rag")), "--version"]
        try:
            printed = self._events.run_quietly(command, env=child_environment(os.environ), cwd=self._folder)
        except CommandFailedError as error:
            raise stop("RAG Assistant was installed but does not start", error) from error
        if printed[-1:] != [f"rag {self._carried.version}"]:
            raise StopError(f"RAG Assistant {self._carried.version} was installed, but another one starts.", log=printed)

    def _is_current(self) -> bool:
        """Whether the stamp says so, and the package can be imported: its Python may have been replaced since."""
        if read_stamp(self._stamp) != self._wanted_stamp() or not self._program("rag").exists() or not works(self._folder):
            return False
        command = [str(self._program("python")), "-I", "-c", "import ragd; print(ragd.__version__)"]
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
        return done.returncode == 0 and done.stdout.strip() == self._carried.version

    def _wanted_stamp(self) -> dict[str, str]:
        return {"folder": str(self._folder), "carried": fingerprint([self._carried.lock, self._carried.wheel])}

    def _check_folder(self) -> None:
        """Making an environment empties its folder: only one that holds an environment, or a part of one, may be taken."""
        names = {entry.name for entry in self._folder.iterdir()} if self._folder.exists() else set()
        if "pyvenv.cfg" not in names and not names <= {*_HALF_MADE, STAMP, NOTED}:
            raise StopError(
                f"{self._folder} holds other files, so no environment is made there.", advice="Empty it, or choose another one."
            )

    def _program(self, name: str) -> Path:
        return program_in(self._folder, name)


@contextlib.contextmanager
def turn(path: Path, events: Events) -> Iterator[None]:
    """Wait until no other set-up works on the same folder; programs that are started meanwhile hold the lock too."""
    started = time.monotonic()
    with path.open("ab") as file:
        while not _try_lock(file):
            events.status("Another set-up works on the same environment: waiting for its end", time.monotonic() - started)
            time.sleep(SECONDS_BETWEEN_TRIES)
        events.inherited = [file.fileno()]
        yield


def _try_lock(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bootstrap.py", description="Make the environment of RAG Assistant's daemon.")
    parser.add_argument("--environment", type=Path, required=True, metavar="FOLDER", help="where it is made")
    parser.add_argument(
        "--index-url", default="", metavar="URL", help="package index, in place of the one that pip is set up with"
    )
    parser.add_argument("--proxy", default="", metavar="URL", help="proxy, in place of the one that pip is set up with")
    parser.add_argument("--uv", metavar="PROGRAM", help="the uv to install with, in place of the one on PATH")
    parser.add_argument("--python", metavar="PROGRAM", help="the Python to make it from, in place of the one that runs this")
    options = parser.parse_args(arguments)
    addresses = [value for name, value in os.environ.items() if any(word in name.upper() for word in _ADDRESS_VARIABLES)]
    events = Events(sys.stdout, Mask([options.index_url, options.proxy, *" ".join(addresses).split()]))
    try:
        return _run_by(options, events) if options.python else _set_up(options, events)
    except BrokenPipeError:
        # Nobody listens: what is still in the buffer has nowhere to go either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED


def _run_by(options: argparse.Namespace, events: Events) -> int:
    """Let another Python do all of it."""
    python = shutil.which(options.python)
    if python is None:
        message = f"There is no Python at {options.python}."
        events.failed(StopError(message, code="NO_VENV", advice="Choose another one in the setting `ragAssistant.python.path`."))
        return MACHINE_NOT_READY
    command = [python, str(HERE / "bootstrap.py"), "--environment", str(options.environment)]
    for name in ("index_url", "proxy", "uv"):
        if value := getattr(options, name):
            command += [f"--{name.replace('_', '-')}", value]
    if os.name == "posix":
        os.execv(python, command)  # the same process: a signal to it reaches the one that works
    return subprocess.run(command, check=False).returncode


def _set_up(options: argparse.Namespace, events: Events) -> int:
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    try:
        folder = options.environment.expanduser().absolute()
        network = Network(options.index_url, options.proxy)
        ServerEnvironment(folder, Carried.in_folder(HERE.parent), events, uv=options.uv, network=network).ensure()
    except KeyboardInterrupt:
        events.failed(
            StopError("The set-up was stopped.", code="INTERRUPTED", advice="Start it again: what was downloaded is kept.")
        )
        return INTERRUPTED
    except StopError as error:
        events.failed(error)
        return error.exit_code
    except BrokenPipeError:
        raise
    except OSError as error:
        events.failed(StopError(f"{error}.", code=failure_in(str(error)).code, advice=failure_in(str(error)).in_editor))
        return STEP_FAILED
    return 0


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # a second one must not disturb the tidying up
    raise KeyboardInterrupt
