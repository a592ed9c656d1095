"""Which packages have no wheel, and what a lock holds for a system and a Python."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from ragd.cli.bundle import targets

from .loading import ROOT, load

check_wheels = load("check_wheels")

HASH = "0" * 64
LOCK = f"""# made by a test
alpha==1.0 \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{HASH}
beta==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:{HASH}
numpy==2.4 ; python_full_version < '3.12' \\
    --hash=sha256:{HASH}
numpy==2.5 ; python_full_version >= '3.12' \\
    --hash=sha256:{HASH}
sieve==1.0 ; python_full_version < '3.11.5' \\
    --hash=sha256:{HASH}
sieve==2.0 ; python_full_version >= '3.11.5' \\
    --hash=sha256:{HASH}
"""


@pytest.mark.parametrize(
    ("platform", "python", "expected"),
    [
        ("linux-x64", "3.11", ["alpha 1.0", "numpy 2.4", "sieve 1.0", "sieve 2.0"]),
        ("windows-x64", "3.13", ["alpha 1.0", "beta 2.0", "numpy 2.5", "sieve 2.0"]),
    ],
)
def test_a_lock_is_read_for_the_machine_that_is_meant(platform: str, python: str, expected: list[str]) -> None:
    found = targets.pins_for(targets.pins(LOCK), targets.PLATFORMS[platform], python)
    assert [f"{pin.name} {pin.version}" for pin in found] == expected
    assert found[0].line() == f"alpha==1.0 --hash=sha256:{HASH} --hash=sha256:{HASH}"


def test_a_line_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(ValueError, match="no pins with hashes"):
        targets.pins(LOCK + "gamma==1.0\n")


def test_every_lock_is_understood() -> None:
    locks = [ROOT / name for name in ("requirements.lock", "requirements-tools.lock")]
    for lock in (*locks, *check_wheels.EXTRAS.glob("*.lock")):
        assert targets.pins(lock.read_text("utf-8"))


@pytest.mark.skipif(os.name == "nt", reason="a program by its first line")
def test_each_missing_wheel_is_found_and_another_refusal_is_no_missing_wheel(tmp_path: Path) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f"""#!{sys.executable}
import re, sys
wanted = open(sys.argv[sys.argv.index("-r") + 1]).read()
for name, version in (("beta", "2.0"), ("alpha{{extra}}", "1.0")):
    if name.partition("{{")[0] + "==" in wanted:
        sys.exit(f"  cause: Because {{name}}=={{version}} has no wheels with a matching platform tag and you require it")
sys.exit("no way to the index" if "sieve" in wanted else 0)
""")
    uv.chmod(0o755)
    lock = tmp_path / "a.lock"
    lock.write_text("\n".join(line for line in LOCK.splitlines() if "sieve" not in line) + "\n")
    found = check_wheels.missing(str(uv), lock, targets.PLATFORMS["macos-x64"], "3.12", {})
    assert found == ["beta 2.0", "alpha 1.0"]
    lock.write_text(LOCK)
    with pytest.raises(load("setup.console").StopError, match=re.escape("no way to the index")):
        check_wheels.missing(str(uv), lock, targets.PLATFORMS["macos-x64"], "3.12", {})
