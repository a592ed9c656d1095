"""The files of the set-up that the VSIX carries; what they do is tested in tests/e2e/test_bootstrap.py."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..loading import SCRIPTS

FILES = sorted((SCRIPTS / "setup").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_they_need_the_standard_library_and_each_other(file: Path) -> None:
    tree = ast.parse(file.read_text("utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {name.partition(".")[0] for name in imported} <= {*sys.stdlib_module_names, "setup"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_python_3_9_can_read_them_to_be_told_that_it_is_too_old(file: Path) -> None:
    ast.parse(file.read_text("utf-8"), feature_version=(3, 9))


def test_an_old_python_is_told_so_before_anything_is_imported(tmp_path: Path) -> None:
    bootstrap = str(shutil.copy(SCRIPTS / "setup" / "bootstrap.py", tmp_path))
    (tmp_path / "server_environment.py").write_text("what: only a newer Python reads\n", "utf-8")
    program = f"import runpy, sys; sys.version_info = (3, 9, 18); runpy.run_path({bootstrap!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    told = json.loads(done.stdout)
    assert told["code"] == "PYTHON_TOO_OLD"
    assert "this is 3.9.18" in told["message"]
