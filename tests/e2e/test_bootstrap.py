"""The set-up that the VSIX carries, run as the extension runs it, with small wheels from an index on loopback."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from ..unit.scripts.loading import SCRIPTS, load
from .package_index import Index, pinned, serving, wheel

pytestmark = pytest.mark.e2e

bundle = load("release.wheel")
extras = load("setup.extras")

VERSION = "0.0.7"
MODULE = f'__version__ = "{VERSION}"\ndef main():\n    print("rag", __version__)\n'

Event = dict[str, Any]


class Setup:
    """The folder of a VSIX, and the environment that is made from it."""

    def __init__(self, root: Path, index: Index) -> None:
        self.index = index
        self.folder = root / "server"
        self.environment = root / "global storage 設定" / "env"
        (self.folder / "setup").mkdir(parents=True)
        for name in bundle.SETUP_FILES:
            shutil.copy(SCRIPTS / name, self.folder / "setup")
        index.files = dict([wheel("kestrel", "1.0", "answer = 42\n")])
        (self.folder / "requirements.lock").write_text("".join(pinned(*file) for file in index.files.items()), "utf-8")
        (self.folder / "requirements-tools.lock").write_text(pinned("uv-9.9-py3-none-any.whl", b""), "utf-8")
        self.put_wheel(MODULE)
        # Nothing of how this machine is set up, and no uv.
        self.variables = {"PATH": "/usr/bin:/bin", "HOME": str(root), "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "1"}

    def put_wheel(self, module: str) -> None:
        name, data = wheel("ragd", VERSION, module, scripts="rag = ragd:main")
        (self.folder / name).write_bytes(data)

    def start(self, *options: str, python: str = sys.executable, **variables: str) -> subprocess.Popen[str]:
        command = [python, str(self.folder / "setup" / "bootstrap.py"), "--environment", str(self.environment)]
        return subprocess.Popen(
            [*command, *(options or ("--index-url", self.index.url))],
            env={**self.variables, **variables},
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *options: str, python: str = sys.executable, **variables: str) -> list[Event]:
        return finished(self.start(*options, python=python, **variables))

    def printed(self) -> str:
        """What the new daemon says."""
        return subprocess.run([self.program], env=self.variables, capture_output=True, encoding="utf-8", check=True).stdout

    @property
    def program(self) -> Path:
        return self.environment / "bin" / "rag"


def finished(process: subprocess.Popen[str]) -> list[Event]:
    """The events, once it has ended; nothing else may be printed."""
    printed, errors = process.communicate(timeout=120)
    assert errors == ""
    told = [json.loads(line) for line in printed.splitlines()]
    assert (process.returncode == 0) == (told[-1]["event"] == "done"), told
    return told


def steps(told: list[Event]) -> list[str]:
    return [event["step"] for event in told if event["event"] == "step"]


def failure(told: list[Event]) -> Event:
    last = told[-1]
    assert last["event"] == "failed"
    assert last["message"]
    assert last["advice"]
    return last


@pytest.fixture
def index() -> Iterator[Index]:
    with serving(Index()) as started:
        yield started


@pytest.fixture
def setup(tmp_path: Path, index: Index) -> Setup:
    return Setup(tmp_path, index)


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


class TestTheWayThrough:
    def test_from_nothing_to_a_daemon_that_starts_then_nothing_more_to_do(self, setup: Setup) -> None:
        told = setup.run()
        assert steps(told) == ["check", "environment", "packages", "verify"]
        assert told[-1] == {
            "event": "done",
            "python": str(setup.environment / "bin" / "python"),
            "executable": str(setup.program),
            "version": VERSION,
        }
        assert setup.printed() == f"rag {VERSION}\n"

        setup.index.status = 500
        again = setup.run()
        assert [event["event"] for event in again] == ["step", "done"], "nothing is done twice"

    def test_another_wheel_of_the_same_version_takes_its_place_and_what_was_deleted_comes_back(self, setup: Setup) -> None:
        setup.run()
        setup.put_wheel(MODULE.replace('print("rag"', 'print("newer"); print("rag"'))
        assert steps(setup.run()) == ["check", "environment", "packages", "verify"]
        assert setup.printed() == f"newer\nrag {VERSION}\n"
        shutil.rmtree(next(setup.environment.glob("lib/python*/site-packages/ragd")))
        assert steps(setup.run())[-1] == "verify"

    def test_extras_come_back_when_the_environment_is_made_again(self, setup: Setup) -> None:
        asked = setup.environment / "asked"
        setup.put_wheel(
            MODULE + f"    import sys; sys.argv[1:2] == ['extras'] and open({str(asked)!r}, 'a').write(sys.argv[-1])\n"
        )
        setup.run()
        (setup.environment / extras.NOTED).write_text('["llm", "eval"]')
        (setup.environment / "bin" / "python").unlink()
        assert steps(setup.run()) == ["check", "environment", "packages", "verify"]
        assert asked.read_text() == "llmeval"
        assert extras.noted(setup.environment) == ["llm", "eval"]

    def test_an_extra_that_can_not_be_had_again_is_said_and_fails_nothing(self, setup: Setup) -> None:
        setup.put_wheel(MODULE + "    import sys; sys.argv[1:2] == ['extras'] and sys.exit('no index')\n")
        setup.environment.mkdir(parents=True)
        (setup.environment / extras.NOTED).write_text('["llm"]')
        told = setup.run()
        assert told[-1]["event"] == "done"
        assert any("The extra llm was not installed again (no index)" in event.get("text", "") for event in told)

    def test_the_python_and_the_index_that_are_named_win_and_a_uv_that_does_not_start_is_passed_over(
        self, setup: Setup, tmp_path: Path
    ) -> None:
        named = tmp_path / "bin" / "python-of-the-user"
        named.parent.mkdir()
        named.symlink_to(sys.executable)
        settings = tmp_path / "pip.conf"
        settings.write_text(f"[global]\nno-index = true\nindex-url = http://127.0.0.1:{closed_port()}/simple\n", "utf-8")
        options = ("--index-url", setup.index.url, "--python", str(named), "--uv", str(tmp_path / "no-uv"))
        told = setup.run(*options, PIP_CONFIG_FILE=str(settings))
        assert told[-1]["event"] == "done"
        assert any("does not start here" in event["text"] for event in told if event["event"] == "note")

    def test_a_python_that_is_not_there_is_named(self, setup: Setup, tmp_path: Path) -> None:
        missing = failure(setup.run("--python", str(tmp_path / "nowhere")))
        assert missing["code"] == "NO_VENV"
        assert "nowhere" in missing["message"]


class TestFailures:
    def test_a_mirror_that_does_not_answer(self, setup: Setup) -> None:
        told = failure(setup.run("--index-url", f"http://127.0.0.1:{closed_port()}/simple"))
        assert told["code"] == "INDEX_UNREACHABLE"
        assert "ragAssistant.index.url" in told["advice"]
        assert told["log"]

    def test_a_mirror_that_lacks_a_package(self, setup: Setup) -> None:
        del setup.index.files["kestrel-1.0-py3-none-any.whl"]
        told = failure(setup.run())
        assert told["code"] == "PACKAGE_MISSING"
        assert any("kestrel" in line for line in told["log"])

    def test_a_mirror_that_wants_a_password(self, setup: Setup) -> None:
        setup.index.status = 401
        assert "password" in failure(setup.run())["advice"]

    def test_a_package_that_was_changed_on_the_mirror(self, setup: Setup) -> None:
        name, data = wheel("kestrel", "1.0", "answer = 43\n")
        setup.index.files[name] = data
        told = failure(setup.run())
        assert told["code"] == "HASH_MISMATCH"
        assert not setup.program.exists()

    def test_a_certificate_that_nobody_here_trusts(self, tmp_path: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
        with serving(Index(), tls=context) as index:
            assert failure(Setup(tmp_path, index).run())["code"] == "CERTIFICATE"

    def test_a_certificate_that_pips_settings_trust_is_no_problem(self, tmp_path: Path) -> None:
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        authority.cert_pem.write_to_path(str(tmp_path / "company.pem"))
        with serving(Index(), tls=context) as index:
            assert Setup(tmp_path, index).run(PIP_CERT=str(tmp_path / "company.pem"))[-1]["event"] == "done"

    def test_a_proxy_that_wants_a_password(self, setup: Setup) -> None:
        proxy = setup.index.url.removesuffix("/simple").replace("//", "//someone:hidden@")
        told = setup.run("--index-url", "https://mirror.example/simple", "--proxy", proxy)
        assert failure(told)["code"] == "PROXY"
        assert "hidden" not in json.dumps(told)

    def test_a_password_in_the_address_of_the_mirror_is_never_told(self, setup: Setup) -> None:
        address = setup.index.url.replace("//", "//someone:s3cret-word@")
        setup.index.status = 404
        told = setup.run("--index-url", address)
        assert failure(told)["log"]
        assert "s3cret-word" not in json.dumps(told)

    def test_a_folder_that_can_not_be_made(self, setup: Setup) -> None:
        setup.environment.parent.write_text("a file", "utf-8")
        told = failure(setup.run())
        assert told["code"] in ("PERMISSION", "INSTALL_FAILED")
        assert str(setup.environment.parent) in told["message"]

    def test_a_folder_with_other_things_in_it_is_left_alone(self, setup: Setup) -> None:
        setup.environment.mkdir(parents=True)
        (setup.environment / "thesis.docx").write_text("years of work", "utf-8")
        assert "holds other files" in failure(setup.run())["message"]
        assert (setup.environment / "thesis.docx").exists()

    def test_a_daemon_that_does_not_start_is_no_success(self, setup: Setup) -> None:
        setup.put_wheel("raise SystemExit('missing library')\n")
        told = failure(setup.run())
        assert "does not start" in told["message"]
        assert "missing library" in told["log"]


class TestAnExtensionInParts:
    def test_a_damaged_extension_says_so(self, setup: Setup) -> None:
        next(setup.folder.glob("*.whl")).unlink()
        told = failure(setup.run())
        assert told["code"] == "INSTALL_FAILED"
        assert "Install the extension again" in told["advice"]


class TestInterruptions:
    def hold_at_download(self, setup: Setup) -> subprocess.Popen[str]:
        """A set-up whose installer waits for a file."""
        setup.index.released.clear()
        process = setup.start()
        assert setup.index.file_requested.wait(60)
        return process

    def installers_hold_the_lock(self, setup: Setup) -> bool:
        with setup.environment.with_name("env.lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_stopped_by_the_extension_it_ends_its_installers_and_says_so(self, setup: Setup, number: int) -> None:
        process = self.hold_at_download(setup)
        process.send_signal(number)
        told = failure(finished(process))
        assert told["code"] == "INTERRUPTED"
        assert process.returncode == 130
        assert not self.installers_hold_the_lock(setup)

    def test_killed_midway_the_next_one_waits_for_the_installers_and_goes_on(self, setup: Setup) -> None:
        process = self.hold_at_download(setup)
        process.kill()
        process.communicate()
        assert self.installers_hold_the_lock(setup)
        after = setup.start()
        assert after.stdout is not None
        while "waiting for its end" not in (line := after.stdout.readline()):
            assert line, "it ended without waiting"
        setup.index.released.set()
        assert finished(after)[-1]["event"] == "done"
        assert setup.program.exists()

    def test_an_environment_that_is_half_made_is_made_again(self, setup: Setup) -> None:
        """Its Python runs, but as the one that it was made from: installing into it would change that one."""
        (setup.environment / "bin").mkdir(parents=True)
        (setup.environment / "bin" / "python").symlink_to(sys.executable)
        assert setup.run()[-1]["event"] == "done"

    def test_when_nobody_listens_any_more_it_ends(self, setup: Setup) -> None:
        process = self.hold_at_download(setup)
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(180) == 130
        assert process.stderr is not None
        process.stderr.close()
        assert not self.installers_hold_the_lock(setup)
