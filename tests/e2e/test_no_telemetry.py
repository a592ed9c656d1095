"""Nothing is looked up and nothing is connected to but this machine, and nothing is written but into our own folders."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path

import click
import pytest

from ..unit.scripts.loading import load
from ..unit.scripts.programs import write_program
from .isolated_network import NOT_ALLOWED

pytestmark = [pytest.mark.e2e, pytest.mark.model]

ROOT = Path(__file__).resolve().parents[2]
# The folder that was named for data, and the places of the platform that are called after the product.
OURS = ("data", ".cache/rag-assistant", ".config/rag-assistant")

# A library that sends home gathers first: the daemon is left alone for a minute.
JOURNEY = """
set -eE
rag() { "$PYTHON" -m ragd "$@"; }
"$PYTHON" "$PROJECT/scripts/quickstart.py"
rag ingest docs/devices.md
"$PYTHON" -m ragd serve --port 0 & daemon=$!
trap 'kill -KILL $daemon' ERR
until grep -q '"url"' "$RAG_DATA_DIR/daemon.json" 2>/dev/null; do kill -0 $daemon; sleep 0.2; done
rag query "How is a document cited?"
rag query "how is a document cited" --strategy dense_only --language en
rag chat "社内の証明書を追加したら再起動が必要ですか" -c samples
rag ingest README.md
rag doctor
sleep 60
kill -TERM $daemon
wait $daemon
"""


def isolated(record: Path, home: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run it in a network of its own, with an empty home folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "XDG_", "HF_"))}
    ours = {"RAG_MODELS_DIR": os.environ["RAG_MODELS_DIR"], "RAG_DATA_DIR": str(home / "data"), "PYTHON": sys.executable}
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("isolated_network.py")), str(record), *command],
        env=inherited | ours | {"HOME": str(home)} | environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        try:
            printed, _ = process.communicate(timeout=540)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode == NOT_ALLOWED:
        pytest.skip(f"this machine gives no network of one's own: {printed.strip()}")
    return subprocess.CompletedProcess(command, process.returncode, printed)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout whose environment is up to date: a quick start has nothing to fetch, and so must ask nobody."""
    root = tmp_path / "project"
    for name in ("scripts/setup", "data/samples/guides", "data/samples/screenshots"):
        shutil.copytree(ROOT / name, root / name)
    for name in ("scripts/quickstart.py", "pyproject.toml", "requirements.lock", "data/samples/papers/edge-box-spec-sheet.pdf"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    environment = load("setup.environment").Environment(root)
    venv.create(environment.folder, symlinks=True)
    (packages,) = environment.folder.glob("lib/python3*/site-packages")
    (packages / "ours.pth").write_text(f"{ROOT / 'server'}\n{Path(click.__file__).parents[1]}\n", "utf-8")
    write_program(environment.program("rag"), f'exec "{environment.program("python")}" -m ragd "$@"')
    environment.write_stamp("requirements.lock")
    return root


@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are of Linux")
def test_only_this_machine_is_reached_and_only_our_folders_appear(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = isolated(tmp_path / "record.json", home, "bash", "-c", JOURNEY, PROJECT=str(project))
    assert done.returncode == 0, done.stdout
    assert ".venv/ is up to date" in done.stdout
    assert "Ready after" in done.stdout
    assert json.loads((tmp_path / "record.json").read_text(encoding="utf-8")) == []
    written = {path.relative_to(home) for path in home.rglob("*") if not path.is_dir()}
    assert Path("data/rag.db") in written
    assert not [path for path in written if not any(path.is_relative_to(folder) for folder in OURS)]


@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are of Linux")
def test_the_recorder_sees_a_lookup_and_a_connection(tmp_path: Path) -> None:
    program = """
import contextlib, socket
for address in ("telemetry.example.com", "203.0.113.9", "2001:db8::9", "127.0.0.1"):
    with contextlib.suppress(OSError):
        socket.create_connection((address, 443), timeout=5).close()
"""
    done = isolated(tmp_path / "record.json", tmp_path, sys.executable, "-c", program)
    assert done.returncode == 0, done.stdout
    seen = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert seen == ["198.51.100.7 port 443", "2001:db8::9 port 443", "203.0.113.9 port 443", "telemetry.example.com"]
