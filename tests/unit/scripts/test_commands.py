"""The scripts of the README: what they decide and say. Programs are stand-ins that note how they were called."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .loading import ROOT, SCRIPTS, load

LOCKS = ("requirements.lock", "requirements-test.lock", "requirements-tools.lock")

console = load("setup.console")
pip_settings = load("setup.pip_settings")
installers = load("setup.installers")
environment = load("setup.environment")
quickstart = load("quickstart")
checks = load("test", "scripts_test")
lock = load("lock")


def write_program(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def terminal(output: io.StringIO):
    return console.Console(steps=2, stream=output)


@pytest.fixture
def checkout(tmp_path: Path):
    """A project with locks and an environment whose Python is a stand-in."""
    for name in ("requirements.lock", "requirements-test.lock", "pyproject.toml"):
        (tmp_path / name).write_text(f"# {name}\n", "utf-8")
    made = environment.Environment(tmp_path)
    write_program(made.program("python"), "exit 0")
    return made


@pytest.fixture
def _no_pip_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*os.environ]:
        if name.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


class TestPipSettings:
    def test_the_environment_wins_over_the_install_section_and_that_over_the_global_one(self) -> None:
        listed = "global.index-url='https://a.example/simple'\ninstall.index-url='https://b.example/simple'\n"
        assert pip_settings.parse_config_list(listed) == {"index-url": "https://b.example/simple"}
        listed = ":env:.index-url='https://c.example/simple'\n" + listed
        assert pip_settings.parse_config_list(listed) == {"index-url": "https://c.example/simple"}

    def test_sections_of_other_pip_commands_and_empty_values_are_left_out(self) -> None:
        assert pip_settings.parse_config_list("freeze.timeout='10'\nglobal.proxy=''\nnonsense\n") == {}

    def test_without_pip_the_variables_alone_are_read(self) -> None:
        variables = {
            "PIP_EXTRA_INDEX_URL": "https://x.example/s",
            "PIP_DEFAULT_TIMEOUT": "9",
            "HOME": "/h",
        }
        assert pip_settings.from_environment(variables) == {"extra-index-url": "https://x.example/s", "timeout": "9"}

    def test_uv_is_told_where_packages_come_from(self) -> None:
        settings = {
            "index-url": "https://mirror.example/simple",
            "extra-index-url": "\nhttps://one.example/simple\nfile:///two/simple",
            "find-links": "/wheels https://links.example/",
            "no-index": "True",
            "trusted-host": "one.example\ntwo.example",
            "cert": "/etc/company.pem",
            "client-cert": "/etc/me.pem",
            "proxy": "proxy.example:3128",
            "timeout": "0.4",
        }
        told = pip_settings.for_uv(settings, {}, system_certificates="/etc/system.pem")
        assert told.untranslated == ()
        assert told.environment == {
            "UV_INDEX_STRATEGY": "unsafe-best-match",
            "UV_DEFAULT_INDEX": "https://mirror.example/simple",
            "UV_INDEX": "https://one.example/simple file:///two/simple",
            "UV_FIND_LINKS": "/wheels,https://links.example/",
            "UV_NO_INDEX": "true",
            "UV_INSECURE_HOST": "one.example two.example",
            "SSL_CERT_FILE": "/etc/company.pem",
            "SSL_CLIENT_CERT": "/etc/me.pem",
            "ALL_PROXY": "http://proxy.example:3128",
            "UV_HTTP_TIMEOUT": "1",
        }

    def test_what_the_user_set_for_uv_wins_under_its_old_name_too(self) -> None:
        settings = {"index-url": "https://pip.example/simple", "cert": "/pip.pem"}
        own = {"UV_INDEX_URL": "https://uv.example/simple", "SSL_CERT_FILE": "/own.pem"}
        told = pip_settings.for_uv(settings, own, system_certificates=None)
        assert told.environment == {"UV_INDEX_STRATEGY": "unsafe-best-match"}

    def test_the_systems_certificates_are_used_where_none_are_set(self) -> None:
        assert pip_settings.for_uv({}, {}, system_certificates="/sys.pem").environment["SSL_CERT_FILE"] == "/sys.pem"
        requests = {"REQUESTS_CA_BUNDLE": "/requests.pem"}
        assert pip_settings.for_uv({}, requests, system_certificates="/sys.pem").environment["SSL_CERT_FILE"] == "/requests.pem"

    def test_a_setting_that_uv_can_not_be_told_is_named(self) -> None:
        settings = {"only-binary": ":all:", "timeout": "soon", "constraint": "/etc/constraints.txt", "config-file": "f"}
        assert pip_settings.for_uv(settings, {}, system_certificates=None).untranslated == ("only-binary", "timeout")


class TestTheMachine:
    def test_an_old_python_is_told_apart_and_a_newer_one_on_path_is_named(self) -> None:
        assert environment.python_problem((3, 11, 0), lambda _: None) is None
        alone = environment.python_problem((3, 9, 2), lambda _: None)
        assert "3.11 or newer is needed; this is 3.9.2" in alone
        beside = environment.python_problem((3, 9, 2), lambda name: "/usr/bin/" + name if name == "python3.12" else None)
        assert "python3.12 scripts/" in beside

    @pytest.mark.parametrize("present", [{"venv", "pip"}, {"venv", "ensurepip"}])
    def test_pip_or_ensurepip_is_enough(self, present: set[str]) -> None:
        assert environment.modules_problem(present.__contains__, False, True) is None

    def test_uv_replaces_pip_but_not_venv(self) -> None:
        assert environment.modules_problem({"venv"}.__contains__, True, True) is None
        assert environment.modules_problem({"pip"}.__contains__, True, True) is not None

    def test_the_advice_fits_the_system(self) -> None:
        assert "apt-get install -y python3-venv" in environment.modules_problem({"venv"}.__contains__, False, True)
        assert "apt-get" not in environment.modules_problem({"venv"}.__contains__, False, False)

    def test_a_full_disk_is_said_with_both_numbers(self) -> None:
        assert environment.disk_problem(1_500_000_000) is None
        assert "1.5 GB of free disk space is needed here; there is 0.2 GB" in environment.disk_problem(200_000_000)

    def test_the_quick_start_on_a_debian_python_without_venv_and_pip_says_the_one_command_and_exits_with_2(
        self, tmp_path: Path
    ) -> None:
        shutil.copytree(SCRIPTS, tmp_path / "project" / "scripts", ignore=shutil.ignore_patterns("__pycache__", "bench"))
        for name in (*LOCKS, "pyproject.toml"):
            shutil.copy(ROOT / name, tmp_path / "project")
        write_program(tmp_path / "bin" / "apt-get", "exit 0")
        (tmp_path / "site").mkdir()
        # The finder of a Python whose packages `pip` and `ensurepip` are not installed.
        (tmp_path / "site" / "sitecustomize.py").write_text(
            "import sys\nfrom importlib.machinery import PathFinder\n"
            "class Debian(PathFinder):\n"
            "    @classmethod\n"
            "    def find_spec(cls, name, path=None, target=None):\n"
            "        return None if name in ('pip', 'ensurepip') else super().find_spec(name, path, target)\n"
            "sys.meta_path[sys.meta_path.index(PathFinder)] = Debian\n",
            "utf-8",
        )
        done = subprocess.run(
            [sys.executable, tmp_path / "project" / "scripts" / "quickstart.py"],
            env={"PATH": str(tmp_path / "bin"), "PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        assert done.returncode == 2, done.stdout + done.stderr
        assert "apt-get install -y python3-venv" in done.stdout
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "project" / ".venv").exists()


class TestTheStamp:
    def test_what_was_installed_is_current(self, checkout) -> None:
        assert not checkout.is_current("requirements.lock")
        checkout.write_stamp("requirements.lock")
        assert checkout.is_current("requirements.lock")
        assert not checkout.is_current("requirements-test.lock")

    def test_the_test_lock_covers_the_base_lock(self, checkout) -> None:
        checkout.write_stamp("requirements-test.lock")
        assert checkout.is_current("requirements-test.lock")
        assert checkout.is_current("requirements.lock")

    @pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
    def test_a_changed_lock_or_project_file_is_installed_again(self, checkout, changed: str) -> None:
        checkout.write_stamp("requirements.lock")
        (checkout.root / changed).write_text("# changed\n", "utf-8")
        assert not checkout.is_current("requirements.lock")

    def test_a_moved_checkout_is_installed_again(self, checkout, tmp_path: Path) -> None:
        checkout.write_stamp("requirements.lock")
        shutil.copytree(tmp_path, tmp_path.parent / "moved")
        assert not environment.Environment(tmp_path.parent / "moved").is_current("requirements.lock")

    def test_an_environment_without_its_python_is_installed_again(self, checkout) -> None:
        checkout.write_stamp("requirements.lock")
        checkout.program("python").unlink()
        assert not checkout.is_current("requirements.lock")

    @pytest.mark.parametrize("content", ["", "{", "[]"])
    def test_a_damaged_stamp_counts_as_none(self, checkout, content: str) -> None:
        checkout.stamp.write_text(content, "utf-8")
        assert not checkout.is_current("requirements.lock")

    def test_a_current_environment_is_left_alone(self, checkout, terminal, output: io.StringIO) -> None:
        checkout.write_stamp("requirements.lock")
        write_program(checkout.program("python"), "exit 1")
        checkout.ensure("requirements.lock", terminal)
        assert "up to date" in output.getvalue()


@pytest.mark.usefixtures("_no_pip_settings")
class TestInstalling:
    @pytest.fixture
    def calls(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
        """A uv and an environment's Python that note their arguments; `UV_FAILS` lets uv fail."""
        log = tmp_path / "calls"
        write_program(
            tmp_path / "bin" / "uv",
            f'[ "$1" = --version ] && exit 0\n[ -n "$UV_FAILS" ] && echo boom && exit 3\n'
            f'echo "uv $* [$UV_FIND_LINKS]" >> "{log}"',
        )
        write_program(tmp_path / "venv" / "python", f'echo "python $*" >> "{log}"')
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
        return lambda: log.read_text("utf-8").splitlines()

    def install(self, tmp_path: Path, terminal) -> None:
        project = installers.editable(tmp_path)
        installers.Installation(tmp_path / "requirements.lock", project, tmp_path / "venv" / "python", terminal).install()

    def test_uv_installs_the_lock_by_hash_and_then_the_project(self, tmp_path: Path, terminal, calls, monkeypatch) -> None:
        monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
        self.install(tmp_path, terminal)
        packages, project = calls()
        assert "--require-hashes -r" in packages
        assert packages.endswith("[/wheels]")
        assert "--no-deps --no-build-isolation --editable" in project

    def test_the_package_of_the_former_name_is_taken_out_first(self, tmp_path: Path, terminal, calls) -> None:
        packages = tmp_path / "lib" / "python3.11" / "site-packages"
        kept = ["ragd/__init__.py", "rag_assistant_static_site/__init__.py", "rag_assistant_static_site-0.1.0.dist-info/RECORD"]
        former = ["rag_assistant/__init__.py", "rag_assistant-0.1.0.dist-info/RECORD", "__editable__.rag_assistant-0.1.0.pth"]
        for name in (*kept, *former):
            (packages / name).parent.mkdir(parents=True, exist_ok=True)
            (packages / name).touch()
        write_program(tmp_path / "bin" / "rag", "exit 0")
        self.install(tmp_path, terminal)
        assert {path.relative_to(packages).as_posix() for path in packages.rglob("*") if path.is_file()} == set(kept)
        assert (tmp_path / "bin" / "rag").exists()
        assert len(calls()) == 2

    def test_when_uv_fails_pip_installs_and_the_reason_is_told(
        self, tmp_path: Path, terminal, calls, output, monkeypatch
    ) -> None:
        monkeypatch.setenv("UV_FAILS", "1")
        self.install(tmp_path, terminal)
        assert "uv could not install" in output.getvalue()
        assert "| boom" in output.getvalue()
        packages, project = calls()
        assert packages.startswith("python ")
        assert "--require-hashes -r" in packages
        assert "-m pip install --no-compile --no-deps --no-build-isolation --editable" in project

    def test_pip_settings_without_a_counterpart_in_uv_make_pip_install(
        self, tmp_path: Path, terminal, calls, output, monkeypatch
    ) -> None:
        monkeypatch.setenv("PIP_ONLY_BINARY", ":all:")
        self.install(tmp_path, terminal)
        assert "only-binary" in output.getvalue()
        assert [call.split()[0] for call in calls()] == ["python", "python"]

    def test_a_failed_install_ends_with_the_installers_words_and_advice(
        self, tmp_path: Path, terminal, calls, monkeypatch
    ) -> None:
        monkeypatch.setenv("UV_FAILS", "1")
        write_program(tmp_path / "venv" / "python", "echo 'OSError: No space left on device'; exit 1")
        with pytest.raises(
            console.StopError, match=r"(?s)Installing the packages failed.*No space left.*The disk is full"
        ) as raised:
            self.install(tmp_path, terminal)
        assert raised.value.exit_code == 1

    def test_a_mirror_without_uv_is_no_failure(self, tmp_path: Path, terminal, output: io.StringIO) -> None:
        pip = [sys.executable, "-c", "import sys; print('no such package'); sys.exit(1)"]
        assert installers.fetch_uv(pip, tmp_path / "requirements-tools.lock", tmp_path / "tools", terminal) is None
        assert "no such package" in output.getvalue()

    def test_nothing_of_another_environment_reaches_the_installers(self) -> None:
        leftovers = {"PYTHONPATH": "/x", "VIRTUAL_ENV": "/v", "UV_SYSTEM_PYTHON": "1", "PATH": "/bin"}
        assert installers.child_environment(leftovers) == {"PATH": "/bin"}


class TestTheConsole:
    def test_away_from_a_terminal_nothing_is_redrawn(self, terminal, output: io.StringIO, tmp_path: Path) -> None:
        terminal.step("One")
        assert terminal.run_quietly(["/bin/sh", "-c", "echo a; echo b"], env={}, cwd=tmp_path) == ["a", "b"]
        assert output.getvalue() == "[1/2] One  (0 s)\n"

    def test_on_a_terminal_the_status_is_one_line_that_goes_away(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        monkeypatch.setenv("TERM", "xterm")
        stream = Terminal()
        console.Console(steps=1, stream=stream).run_quietly(["/bin/sh", "-c", "echo Downloading"], env={}, cwd=tmp_path)
        assert "\r      0 s  Downloading" in stream.getvalue()
        assert stream.getvalue().endswith("\r\033[K")
        assert "\n" not in stream.getvalue()

    def test_a_failed_command_brings_its_last_lines(self, terminal, tmp_path: Path) -> None:
        with pytest.raises(console.CommandFailedError) as raised:
            terminal.run_quietly(
                ["/bin/sh", "-c", "for i in $(seq 40); do echo line $i; done; exit 7"], env=dict(os.environ), cwd=tmp_path
            )
        assert raised.value.returncode == 7
        assert raised.value.tail.splitlines() == [f"  | line {i}" for i in range(16, 41)]

    def test_a_terminal_that_can_not_show_japanese_gets_question_marks(self) -> None:
        raw = io.BytesIO()
        with io.TextIOWrapper(raw, encoding="ascii") as stream:
            console.Console(steps=1, stream=stream).print("休暇 ok")
            printed = raw.getvalue()
        assert printed == b"?? ok\n"


class TestTheQuickStart:
    def test_it_asks_the_demo_questions_of_the_golden_set(self) -> None:
        golden = yaml.safe_load((ROOT / "tests" / "golden" / "questions.yaml").read_text("utf-8"))
        assert tuple(entry["query"] for entry in golden if entry.get("demo")) == quickstart.DEMO_QUESTIONS

    def test_it_names_the_commands_to_type_next_and_the_way_to_the_extension(self) -> None:
        text = quickstart.next_steps(".venv/bin/rag", 42.4)
        for command in ("ingest ~/docs", 'query "', "serve"):
            assert f".venv/bin/rag {command}" in text
        assert "python3 scripts/package.py" in text

    def test_a_failed_command_is_shown_so_that_it_can_be_typed_again(self) -> None:
        with pytest.raises(console.StopError, match=r"exit status 3\).*\n.*sh -c 'exit 3'"):
            quickstart.run(["/bin/sh", "-c", "exit 3"])

    def test_programs_are_shown_as_one_types_them_where_one_is(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert quickstart.shown(tmp_path / ".venv" / "bin" / "rag") == ".venv/bin/rag"
        assert quickstart.shown(Path("/else where/rag")) == "'/else where/rag'"


class TestTheTestCommand:
    @pytest.fixture(autouse=True)
    def _npm(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_program(tmp_path / "npm-bin" / "npm", 'echo "npm $*"; [ "$3" = test ] && echo 7 passed; exit 0')
        monkeypatch.setenv("PATH", f"{tmp_path / 'npm-bin'}{os.pathsep}{os.environ['PATH']}")

    def run_all(self, checkout, *, ruff: int = 0, pytest_status: int = 0, fast: bool = True, extra: tuple[str, ...] = ()) -> int:
        write_program(checkout.program("ruff"), f"echo ruff says; exit {ruff}")
        write_program(checkout.program("mypy"), "exit 0")
        write_program(checkout.program("rag"), "exit 0")
        write_program(checkout.program("python"), f'[ "$2" = pytest ] || exit 0\necho "$*"; echo 3 passed; exit {pytest_status}')
        checkout.write_stamp("requirements-test.lock")
        result: int = checks.run_all(checkout, fast=fast, extra=extra, prepare=lambda console, in_the_editor: None)
        return result

    def test_a_failed_check_is_named_before_the_tests_and_fails_the_whole(
        self, checkout, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert self.run_all(checkout, ruff=1) == 1
        printed = capfd.readouterr().out
        assert printed.index("ruff says") < printed.index("FAILED so far: ruff check, ruff format --check")
        assert printed.index("3 passed\n") < printed.index("7 passed\n")

    def test_all_well_is_0_and_failed_tests_are_1(self, checkout, capfd: pytest.CaptureFixture[str]) -> None:
        assert self.run_all(checkout) == 0
        assert "FAILED" not in capfd.readouterr().out
        assert self.run_all(checkout, pytest_status=5) == 1
        assert "FAILED so far: pytest (" in capfd.readouterr().out

    def test_only_the_whole_run_fetches_the_model_measures_coverage_and_opens_the_editor(
        self, checkout, capfd: pytest.CaptureFixture[str]
    ) -> None:
        self.run_all(checkout)
        fast = capfd.readouterr().out
        self.run_all(checkout, fast=False)
        whole = capfd.readouterr().out
        for part in ("models pull", "package.py", "npm run --silent test:e2e"):
            assert part not in fast
            assert part in whole
        assert "-m not model and not e2e and not slow" in fast
        assert "--cov-fail-under=95" in whole

    def test_checks_run_beside_each_other(self, checkout) -> None:
        # Each ends only when the other has begun.
        def meeting(mine: str, other: str):
            wait = f"touch {mine}; until [ -e {other} ]; do sleep 0.01; done"
            return checks.Check(mine, ["sh", "-c", wait], checkout.root)

        ended = list(checks.ended([meeting("one", "two"), meeting("two", "one")], dict(os.environ)))
        assert sorted((check.name, lines) for check, _, lines in ended) == [("one", []), ("two", [])]

    def test_checks_that_still_run_are_ended_when_nobody_waits_for_them(self, checkout) -> None:
        long = checks.Check("long", ["sh", "-c", "echo $$ > pid; exec sleep 600"], checkout.root)
        short = checks.Check("short", ["sh", "-c", "until [ -s pid ]; do sleep 0.01; done"], checkout.root)
        running = checks.ended([long, short], dict(os.environ))
        assert next(running)[0] == short
        running.close()
        with pytest.raises(ProcessLookupError):
            os.kill(int((checkout.root / "pid").read_text()), 0)

    def test_a_chosen_part_is_of_pytest_only(self, checkout, capfd: pytest.CaptureFixture[str]) -> None:
        assert self.run_all(checkout, fast=False, extra=("-k", "chunk")) == 0
        printed = capfd.readouterr().out
        assert "-k chunk" in printed
        assert "npm run --silent test" not in printed

    def test_a_chosen_part_of_the_tests_is_not_held_to_the_coverage_bound(self) -> None:
        command = checks.pytest_command(Path, fast=False, extra=["-k", "chunk"])
        assert command[-2:] == ["-k", "chunk"]
        assert not [word for word in command if word.startswith("--cov")]


class TestTheLocks:
    @staticmethod
    def pins(name: str) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for project, version in re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE):
            found.setdefault(canonicalize_name(project), set()).add(version)
        return found

    @pytest.mark.parametrize("name", LOCKS)
    def test_a_lock_holds_pins_and_hashes_and_no_address_or_path(self, name: str) -> None:
        text = (ROOT / name).read_text("utf-8")
        entries = re.split(r"^(?=\w)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
        assert entries
        for entry in entries:
            assert re.fullmatch(r"[\w.-]+==\S+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n", entry), entry
        assert not re.search(r"://|^-|(^|\s)/", text, re.MULTILINE)

    def test_the_test_lock_holds_the_base_lock(self) -> None:
        base, test = self.pins("requirements.lock"), self.pins("requirements-test.lock")
        assert {name: test.get(name) for name in base} == base

    def test_the_locks_satisfy_the_project_file(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        build = lock.build_requirements((ROOT / "pyproject.toml").read_text("utf-8"))
        for name, wanted in (
            ("requirements.lock", [*project["project"]["dependencies"], *build]),
            ("requirements-test.lock", project["project"]["optional-dependencies"]["test"]),
        ):
            pins = self.pins(name)
            for requirement in map(Requirement, wanted):
                versions = pins.get(canonicalize_name(requirement.name), set())
                assert versions, f"{requirement} is not in {name}: run scripts/lock.py"
                assert all(map(requirement.specifier.contains, versions)), (
                    f"{requirement} differs from {name}: run scripts/lock.py"
                )
