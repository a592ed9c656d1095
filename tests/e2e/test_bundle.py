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

from ..unit.scripts.loading import SCRIPTS, load
from .package_index import wheel

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform != "linux", reason="network namespaces are of Linux")]

made_of = load("release.wheel")
bundle = load("release.bundle")
targets = load("release.targets")
console = load("setup.console")

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
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("needs ssh-keygen")
    path = tmp_path_factory.mktemp("keys") / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    public = path.with_suffix(".pub").read_text("utf-8")
    path.with_name("signers").write_text(f'release@example.com namespaces="{bundle.NAMESPACE}" {public}', "utf-8")
    return path


@pytest.fixture
def unpacked(tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A signed bundle of three small wheels, unpacked."""
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
    with zipfile.ZipFile(vsix, "w") as archive:
        archive.writestr(f"extension/dist/server/{name}", data)
        archive.writestr("extension/dist/server/requirements.lock", lock)
        archive.writestr("extension/dist/server/requirements-tools.lock", "")
        archive.writestr("extension/dist/THIRD-PARTY-NOTICES.txt", "npm packages")
        for file in made_of.SETUP_FILES:
            archive.write(SCRIPTS / file, f"extension/dist/server/{file}")
    model = tmp_path / "model-of-tests"
    model.mkdir()
    for file in ("manifest.json", "model.onnx"):
        (model / file).write_text("{}")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    content = tmp_path / "content"
    content.mkdir()
    bundle.fill(content, vsix, model, targets.PLATFORMS[PLATFORM], PYTHON, console.Console(0))
    bundle.sign(content, key)
    bundle.pack(content, tmp_path / "bundle.zip")
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


@pytest.fixture
def run(unpacked: Path, tmp_path: Path, key: Path) -> Run:
    """Runs the bundle's installer, where the machine allows it in a network without a route."""
    isolated = ("unshare", "--map-root-user", "--net")
    try:
        able = subprocess.run([*isolated, "true"], check=False, capture_output=True).returncode == 0
    except OSError:
        able = False

    def install(*options: str) -> subprocess.CompletedProcess[str]:
        if not able:
            pytest.skip("this machine gives no network namespace")
        home = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
        command = [*isolated, sys.executable, str(unpacked / "install.py"), "--no-extension", *options]
        return subprocess.run(command, env=home, capture_output=True, encoding="utf-8", check=False, timeout=240)

    (tmp_path / "home").mkdir()
    return install


def test_a_signed_bundle_is_installed_without_any_network(run: Run, unpacked: Path, tmp_path: Path, key: Path) -> None:
    environment, models = tmp_path / "env", tmp_path / "models"
    signed = ("--signers", str(key.with_name("signers")), "--signer", "release@example.com")
    done = run(*signed, "--environment", str(environment), "--models", str(models))
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
    signers = key.with_name("signers")

    def refused(said: str, *options: str) -> None:
        done = run("--environment", str(tmp_path / "env"), *options)
        assert (done.returncode, said in done.stderr) == (2, True), done.stdout + done.stderr
        assert not (tmp_path / "env").exists()

    refused("not other@example.com's", "--signers", str(signers), "--signer", "other@example.com")
    (unpacked / "wheels" / "added-1.0-py3-none-any.whl").write_bytes(b"")
    refused("something was added: wheels/added-1.0-py3-none-any.whl")
    (unpacked / "wheels" / "added-1.0-py3-none-any.whl").unlink()
    (unpacked / "models" / "model-of-tests" / "model.onnx").write_text("other")
    refused("models/model-of-tests/model.onnx was changed")
    # Whoever changes the list, too, has no signature for it.
    (unpacked / "SHA256SUMS").write_text("".join(f"{value}  {name}\n" for name, value in bundle.sums(unpacked)), "utf-8")
    refused("The signature is not release@example.com's", "--signers", str(signers), "--signer", "release@example.com")
    about = json.loads((unpacked / "bundle.json").read_text("utf-8"))
    (unpacked / "bundle.json").write_text(json.dumps({**about, "python": "3.99"}))
    refused("This bundle is for Python 3.99")
