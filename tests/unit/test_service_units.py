"""The systemd units of docs/examples are sound, closed, and say the same as the program."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ragd.core import errors

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "systemd"
SYSTEM, USER = FOLDER / "rag-assistant.service", FOLDER / "rag-assistant-user.service"
ANALYZE = shutil.which("systemd-analyze")


@pytest.mark.parametrize("unit", [SYSTEM, USER], ids=["system", "user"])
def test_what_another_start_does_not_mend_is_not_tried_again(unit: Path) -> None:
    codes = re.search(r"^RestartPreventExitStatus=(.+)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    hopeless = (errors.SettingsError, errors.ModelUnavailable, errors.DaemonAlreadyRunning, errors.PortTaken)
    assert codes
    assert set(codes[1].split()) == {str(error.exit_code) for error in hopeless}


@pytest.mark.skipif(ANALYZE is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("unit", [SYSTEM, USER], ids=["system", "user"])
def test_systemd_understands_every_line(unit: Path, tmp_path: Path) -> None:
    # The program that a unit names is not on this machine.
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(encoding="utf-8"), flags=re.MULTILINE))
    done = subprocess.run([str(ANALYZE), "verify", str(copy)], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(ANALYZE is None, reason="needs systemd-analyze")
def test_the_system_unit_is_closed() -> None:
    command = [str(ANALYZE), "security", "--offline=true", "--no-pager", str(SYSTEM)]
    printed = subprocess.run(command, capture_output=True, encoding="utf-8", check=False).stdout
    if not (level := re.search(r"Overall exposure level for .*: ([\d.]+)", printed)):
        pytest.skip("this systemd-analyze can't judge a file")
    assert float(level[1]) <= 2.0
