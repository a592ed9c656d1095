"""The scripts of the README: what they decide and say. Programs are stand-ins that note how they were called."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .loading import ROOT, SCRIPTS, load
from .programs import write_program

LOCKS = ("requirements.lock", "requirements-test.lock", "requirements-tools.lock")

console = load("setup.console")
quickstart = load("quickstart")
checks = load("test", "scripts_test")
lock = load("lock")


class TestTheQuickStart:
    def test_on_a_debian_python_without_venv_and_pip_says_the_one_command_and_exits_with_2(self, tmp_path: Path) -> None:
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
            timeout=600,
        )
        assert done.returncode == 2, done.stdout + done.stderr
        assert "apt-get install -y python3-venv" in done.stdout
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "project" / ".venv").exists()

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
        monkeypatch.setattr(checks, "COVERAGE", tmp_path / "coverage.json")

    def run_all(
        self,
        checkout,
        *,
        ruff: int = 0,
        pytest_status: int = 0,
        covered: float | None = 97.4,
        fast: bool = True,
        extra: tuple[str, ...] = (),
    ) -> int:
        write_program(checkout.program("ruff"), f"echo ruff says; exit {ruff}")
        write_program(checkout.program("mypy"), "exit 0")
        write_program(checkout.program("rag"), "exit 0")
        file = {"summary": {"percent_covered": covered}}
        report = json.dumps({"files": {"server/ragd/main.py": file}, **file})
        written = f"echo '{report}' > '{checks.COVERAGE}'" if covered else ":"
        body = f'case "$2" in pytest) ;; slipcover) {written} ;; *) exit 0 ;; esac'
        write_program(checkout.program("python"), f'{body}\necho "$*"; echo 3 passed; exit {pytest_status}')
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

    def test_what_runs_beside_pytest_counts_too(self, checkout, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        write_program(tmp_path / "npm-bin" / "npm", '[ "$3" = test ] || exit 0; echo 6 passed, 1 failed; exit 1')
        assert self.run_all(checkout) == 1
        assert capfd.readouterr().out.endswith("6 passed, 1 failed\n")

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
        assert "-m slipcover" in whole
        assert "-m slipcover" not in fast

    @pytest.mark.parametrize(
        ("covered", "said"), [(97.4, "97.4 % of the lines"), (71.0, "71.0 % server/ragd/main.py"), (None, "no report")]
    )
    def test_too_few_lines_that_the_tests_have_run_or_no_report_of_them_fail_the_whole(
        self, checkout, capfd: pytest.CaptureFixture[str], covered: float | None, said: str
    ) -> None:
        assert self.run_all(checkout, fast=False, covered=covered) == (0 if covered == 97.4 else 1)
        printed = capfd.readouterr().out
        assert said in printed
        assert ("FAILED so far: coverage (" in printed) == (covered != 97.4)
        # The summaries are the last.
        assert printed.index(said) < printed.index("7 passed\n")

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
        assert "slipcover" not in command


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
