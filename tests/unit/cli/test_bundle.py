"""`rag bundle`: what it says where it can't make or install one. tests/e2e/test_bundle.py makes and installs one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from .conftest import Rag

FOR = ("--platform", "linux-x64", "--python", "3.11")


def test_what_a_bundle_is_made_of_is_named_where_it_is_missing(rag: Rag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Name the extension by --vsix" in rag("bundle", "make", *FOR, code=1).stderr
    vsix = tmp_path / "rag-assistant-1.vsix"
    vsix.write_bytes(b"no archive")
    without_model = rag("bundle", "make", *FOR, "--vsix", str(vsix), "--model", str(tmp_path), code=1)
    assert "Fetch it by `rag models pull`, or name its folder by --model" in without_model.stderr
    (tmp_path / "manifest.json").write_text("{}")
    assert "no extension of VS Code" in rag("bundle", "make", *FOR, "--vsix", str(vsix), "--model", str(tmp_path), code=2).stderr
    with zipfile.ZipFile(vsix, "w") as archive:
        archive.writestr("extension/package.json", "{}")
    assert "carries no daemon" in rag("bundle", "make", *FOR, "--vsix", str(vsix), "--model", str(tmp_path), code=2).stderr
    assert not list(tmp_path.glob("dist/*")), "nothing half made stays"


def test_who_must_have_signed_is_asked_for_and_what_is_no_bundle_is_refused(rag: Rag, tmp_path: Path) -> None:
    archive = tmp_path / "bundle.zip"
    archive.write_bytes(b"cut short")
    assert "by --signers FILE and --signer NAME, or give --unsigned" in rag("bundle", "install", str(archive), code=2).stderr
    assert "is no bundle, or was cut short" in rag("bundle", "install", str(archive), "--unsigned", code=2).stderr
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("install.py", "")
    assert "The list of files can't be read" in rag("bundle", "install", str(archive), "--unsigned", code=2).stderr


def test_no_bundle_is_offered_for_a_system_that_packages_have_no_wheels_for(rag: Rag) -> None:
    refused = rag("bundle", "make", "--platform", "macos-x64", "--python", "3.11", code=2).stderr
    assert "linux-x64" in refused
    assert "macos-arm64" in refused
