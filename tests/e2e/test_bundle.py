"""A bundle is made of small wheels, checked, and installed in a network without any route."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.cli.bundle.contents import sums
from ragd.cli.bundle.installer import NAMESPACE

from ..unit.scripts.loading import ROOT, SCRIPTS, load
from .package_index import wheel

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are of Linux")]

made_of = load("release.wheel")

VERSION = "0.0.7"
# What the installer asks of the daemon: its version, where models are, and whether they are sound.
MODULE = f"""
import os, sys
__version__ = "{VERSION}"
def main():
    if sys.argv[1:2] == ["models"]:
        sys.exit(not os.path.exists(os.path.join(os.environ["RAG_MODELS_DIR"], sys.argv[3], "model.onnx")))
    print("rag", __version__)
"""
PLATFORM = "linux-arm64" if platform.machine() == "aarch64" else "linux-x64"
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
RAG = (sys.executable, "-m", "ragd")
SERVER = ROOT / "server"
Run = Callable[..., subprocess.CompletedProcess[str]]


def signed(key: Path, by: str = "release@example.com") -> tuple[str, ...]:
    return ("--signers", str(key.with_name("signers")), "--signer", by)


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("needs ssh-keygen")
    path = tmp_path_factory.mktemp("keys") / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    public = path.with_suffix(".pub").read_text("utf-8")
    path.with_name("signers").write_text(f'release@example.com namespaces="{NAMESPACE}" {public}', "utf-8")
    return path


@pytest.fixture
def archive(tmp_path: Path, key: Path) -> Path:
    """A signed bundle of three small wheels, made by the command, for which no checkout is needed."""
    links = tmp_path / "links"
    links.mkdir()
    files = dict([wheel("kestrel", "1.0", "answer = 42\n"), wheel("elsewhere", "1.0", "")])
    for name, data in files.items():
        (links / name).write_bytes(data)
    markers = {"kestrel": "", "elsewhere": " ; sys_platform == 'win32'"}
    lock = "".join(
        f"{name}==1.0{markers[name]} \\\n    --hash=sha256:{hashlib.sha256(data).hexdigest()}\n"
        for name, data in ((file.partition("-")[0], data) for file, data in files.items())
    )
    name, data = wheel("ragd", VERSION, MODULE, scripts="rag = ragd:main")
    vsix = tmp_path / f"rag-assistant-{VERSION}.vsix"
    with zipfile.ZipFile(vsix, "w") as carried:
        carried.writestr(f"extension/dist/server/{name}", data)
        carried.writestr("extension/dist/server/requirements.lock", lock)
        carried.writestr("extension/dist/server/requirements-tools.lock", "")
        carried.writestr("extension/dist/THIRD-PARTY-NOTICES.txt", "npm packages")
        for file in made_of.SETUP_FILES:
            carried.write(SCRIPTS / file, f"extension/dist/server/{file}")
    model = tmp_path / "model-of-tests"
    model.mkdir()
    for file in ("manifest.json", "model.onnx"):
        (model / file).write_text("{}")
    options = ("--platform", PLATFORM, "--python", PYTHON, "--sign", key, "--vsix", vsix, "--model", model, "--out", tmp_path)
    offline = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(links)}
    command = [*RAG, "bundle", "make", *map(str, options)]
    done = subprocess.run(
        command, env=os.environ | offline, cwd=SERVER, capture_output=True, encoding="utf-8", check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "kestrel 1.0 carries no licence" in done.stderr
    return tmp_path / f"rag-assistant-{VERSION}-{PLATFORM}-py{PYTHON}.zip"


@pytest.fixture
def unpacked(archive: Path, tmp_path: Path) -> Path:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs an installer, where the machine allows it in a network without a route."""
    isolated = ("unshare", "--map-root-user", "--net")
    try:
        able = subprocess.run([*isolated, "true"], check=False, capture_output=True).returncode == 0
    except OSError:
        able = False

    def install(*command: str | Path) -> subprocess.CompletedProcess[str]:
        if not able:
            pytest.skip("this machine gives no network namespace")
        home = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
        whole = [*isolated, *map(str, command), "--no-extension"]
        return subprocess.run(whole, env=home, cwd=SERVER, capture_output=True, encoding="utf-8", check=False, timeout=240)

    (tmp_path / "home").mkdir()
    return install


@pytest.mark.parametrize("installed_by", ["rag", "its own script"])
def test_a_signed_bundle_is_installed_without_any_network(
    run: Run, archive: Path, unpacked: Path, tmp_path: Path, key: Path, installed_by: str
) -> None:
    environment, models = tmp_path / "env", tmp_path / "models"
    command = (*RAG, "bundle", "install", archive) if installed_by == "rag" else (sys.executable, unpacked / "install.py")
    done = run(*command, *signed(key), "--environment", environment, "--models", models)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "which release@example.com has signed" in done.stdout
    printed = subprocess.run([environment / "bin" / "rag"], env={}, capture_output=True, encoding="utf-8", check=True).stdout
    assert printed == f"rag {VERSION}\n"
    assert (models / "model-of-tests" / "model.onnx").exists()
    # What another system takes is not in it.
    assert [path.name for path in (unpacked / "wheels").iterdir()] == ["kestrel-1.0-py3-none-any.whl"]


def test_a_bundle_says_what_it_is_made_of(unpacked: Path) -> None:
    parts = json.loads((unpacked / "sbom.cdx.json").read_text("utf-8"))
    assert (parts["bomFormat"], parts["specVersion"]) == ("CycloneDX", "1.6")
    known = {part.get("purl", part["name"]) for part in parts["components"]}
    assert known == {"pkg:pypi/kestrel@1.0", f"pkg:pypi/ragd@{VERSION}", f"rag-assistant-{VERSION}.vsix", "model-of-tests"}
    assert all(part["hashes"][0]["alg"] == "SHA-256" for part in parts["components"])
    assert "kestrel 1.0: not said" in (unpacked / "licences" / "PACKAGES.txt").read_text("utf-8")
    assert (unpacked / "licences" / "EXTENSION-NOTICES.txt").read_text("utf-8") == "npm packages"


def test_what_was_changed_added_taken_out_or_signed_by_another_is_refused(
    run: Run, unpacked: Path, tmp_path: Path, key: Path
) -> None:
    def refused(said: str, *options: str) -> None:
        for command in ((sys.executable, unpacked / "install.py"), (*RAG, "bundle", "install", unpacked)):
            ours = () if options or command[0] != RAG[0] or "bundle" not in command else ("--unsigned",)
            done = run(*command, "--environment", tmp_path / "env", *options, *ours)
            assert (done.returncode, said in done.stderr) == (2, True), done.stdout + done.stderr
            assert not (tmp_path / "env").exists()

    refused("not other@example.com's", *signed(key, "other@example.com"))
    (unpacked / "wheels" / "added-1.0-py3-none-any.whl").write_bytes(b"")
    refused("something was added: wheels/added-1.0-py3-none-any.whl")
    (unpacked / "wheels" / "added-1.0-py3-none-any.whl").unlink()
    (unpacked / "models" / "model-of-tests" / "model.onnx").write_text("other")
    refused("models/model-of-tests/model.onnx was changed")
    # Whoever changes the list, too, has no signature for it.
    (unpacked / "SHA256SUMS").write_text("".join(f"{value}  {name}\n" for name, value in sums(unpacked)), "utf-8")
    refused("The signature is not release@example.com's", *signed(key))
    about = json.loads((unpacked / "bundle.json").read_text("utf-8"))
    (unpacked / "bundle.json").write_text(json.dumps({**about, "python": "3.99"}))
    (unpacked / "SHA256SUMS").write_text("".join(f"{value}  {name}\n" for name, value in sums(unpacked)), "utf-8")
    refused("This bundle is for Python 3.99")
