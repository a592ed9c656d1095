"""Fills a bundle: everything that a machine without any index needs, what it is made of, and its sums."""

from __future__ import annotations

import email.parser
import hashlib
import json
import re
import shutil
import subprocess
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from pathlib import Path, PurePosixPath
from typing import Any

from ragd.cli.bundle.installer import NAMESPACE, SUMS
from ragd.cli.bundle.targets import Pin, Platform, pins, pins_for
from ragd.core.errors import RagError, ValidationFailed
from ragd.models.wheel import run_pip

# What the extension carries beside the set-up: all packages, and uv.
_LOCKS = ("requirements.lock", "requirements-tools.lock")
_LAST_LINES = 25

_CARRIED = "extension/dist/server/"
_NOTICES = "extension/dist/THIRD-PARTY-NOTICES.txt"
_LICENCE_FILE = re.compile(r"(^|/)(licen[cs]e|copying|notice|authors)[^/]*$", re.IGNORECASE)


class BundleFailed(RagError):
    """A bundle could not be made."""


def fill(folder: Path, vsix: Path, model: Path, platform: Platform, python: str) -> list[str]:
    """Puts everything but the signature into an empty folder; names the packages that carry no licence text."""
    shutil.copyfile(vsix, folder / vsix.name)
    _unpack_server(vsix, folder / "server")
    shutil.copyfile(Path(__file__).with_name("installer.py"), folder / "install.py")
    shutil.copytree(model, folder / "models" / model.name)
    wheels = folder / "wheels"
    wheels.mkdir()
    for lock in _LOCKS:
        download(pins_for(pins((folder / "server" / lock).read_text("utf-8")), platform, python), platform, python, wheels)
    (own,) = (folder / "server").glob("ragd-*.whl")
    described = [_described(path) for path in sorted([*wheels.iterdir(), own])]
    without = _write_licences(folder / "licences", described, vsix)
    target = {"platform": platform.name, "python": python}
    (folder / "bundle.json").write_text(json.dumps({"version": own.name.split("-")[1], **target}, indent=1) + "\n", "utf-8")
    (folder / "sbom.cdx.json").write_text(json.dumps(sbom(described, vsix, folder / "models"), indent=1) + "\n", "utf-8")
    (folder / SUMS).write_text("".join(f"{value}  {name}\n" for name, value in sums(folder)), "utf-8")
    return without


def _unpack_server(vsix: Path, target: Path) -> None:
    """What the extension carries: the set-up, the locks and the wheel of the daemon."""
    try:
        archive = zipfile.ZipFile(vsix)
    except zipfile.BadZipFile as error:
        raise ValidationFailed(f"{vsix} is no extension of VS Code.") from error
    with archive:
        names = [name for name in archive.namelist() if name.startswith(_CARRIED) and not name.endswith("/")]
        if not names:
            raise ValidationFailed(f"{vsix} carries no daemon. Name one that scripts/package.py made.")
        for name in names:
            path = target / name.removeprefix(_CARRIED)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))


def download(wanted: Sequence[Pin], platform: Platform, python: str, target: Path) -> None:
    """Fetches the wheels of these pins, each checked by its hash. Raises `BundleFailed` where one does not exist."""
    options = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--dest", str(target)]
    options += ["--implementation", "cp", "--python-version", f"{python}.99"]
    options += [option for tag in platform.tags for option in ("--platform", tag)]
    requirements = target / "requirements.tmp"
    try:
        for group in _without_repetition(wanted):
            # pip would ask the markers of the Python that runs it.
            requirements.write_text("".join(f"{pin.line()}\n" for pin in group), "utf-8")
            done = run_pip(["download", *options, "-r", str(requirements)])
            if done is None:
                raise BundleFailed(
                    "Fetching packages needs pip. Make the environment with it ('uv venv --seed', 'python -m venv')."
                )
            if done.returncode:
                said = "\n".join(f"  | {line}" for line in done.stderr.splitlines()[-_LAST_LINES:])
                raise BundleFailed(f"Not every package can be had as a wheel for {platform.name} and Python {python}:\n{said}")
    finally:
        requirements.unlink(missing_ok=True)


def _without_repetition(wanted: Iterable[Pin]) -> Iterator[list[Pin]]:
    """The pins in groups that name each package once: pip takes no more at a time."""
    rest = list(wanted)
    while rest:
        first = {pin.name: pin for pin in reversed(rest)}
        yield list(first.values())
        rest = [pin for pin in rest if pin is not first[pin.name]]


@dataclass(frozen=True)
class Package:
    """A wheel, what its metadata say, and the licence texts in it."""

    name: str
    version: str
    licence: str
    sha256: str
    texts: dict[str, bytes]


def _described(wheel: Path) -> Package:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        said = email.parser.BytesParser().parsebytes(archive.read(metadata))
        texts = {name: archive.read(name) for name in names if _LICENCE_FILE.search(name) and not name.endswith((".py", "/"))}
    return Package(said["Name"], said["Version"], _licence(said), _sha256(wheel), texts)


def _licence(said: Message) -> str:
    """The SPDX expression, else the classifiers, else the first line of the free text."""
    if expression := said["License-Expression"]:
        return str(expression)
    classified = [value.rpartition(" :: ")[2] for value in said.get_all("Classifier", []) if value.startswith("License ::")]
    return ", ".join(classified) or (said["License"] or "").strip().partition("\n")[0]


def _write_licences(folder: Path, packages: Sequence[Package], vsix: Path) -> list[str]:
    folder.mkdir()
    lines = []
    for package in packages:
        lines.append(f"{package.name} {package.version}: {package.licence or 'not said'}")
        for name, text in package.texts.items():
            path = folder / f"{package.name}-{package.version}" / PurePosixPath(name).name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(path.read_bytes() + b"\n" + text if path.exists() else text)
    (folder / "PACKAGES.txt").write_text("\n".join(sorted(lines, key=str.lower)) + "\n", "utf-8")
    with zipfile.ZipFile(vsix) as archive:
        if _NOTICES in archive.namelist():
            (folder / "EXTENSION-NOTICES.txt").write_bytes(archive.read(_NOTICES))
    return [f"{package.name} {package.version}" for package in packages if not package.texts and not package.licence]


def sbom(packages: Sequence[Package], vsix: Path, models: Path) -> dict[str, Any]:
    """What a bundle holds, as CycloneDX 1.6."""
    components: list[dict[str, Any]] = [
        {
            "type": "library",
            "name": package.name,
            "version": package.version,
            "purl": f"pkg:pypi/{re.sub(r'[-_.]+', '-', package.name).lower()}@{package.version}",
            "hashes": [{"alg": "SHA-256", "content": package.sha256}],
            **({"licenses": [{"license": {"name": package.licence}}]} if package.licence else {}),
        }
        for package in packages
    ]
    files = (("application", vsix), *(("machine-learning-model", path) for path in sorted(models.rglob("*.onnx"))))
    for kind, path in files:
        name = path.name if kind == "application" else path.parent.name
        components.append({"type": kind, "name": name, "hashes": [{"alg": "SHA-256", "content": _sha256(path)}]})
    same = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # Of the content: the same bundle has the same number.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, same)}",
        "version": 1,
        "components": components,
    }


def sums(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and SHA-256 of every file but the list of sums and its signature."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in {SUMS, f"{SUMS}.sig"}:
            yield name, _sha256(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sign(folder: Path, key: Path) -> None:
    """Signs the list of sums by OpenSSH, with a key that is a file or lies in an agent (then `key` is its public half)."""
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(folder / SUMS)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    except OSError as error:
        raise BundleFailed("ssh-keygen is needed to sign: install the OpenSSH client, 8.2 or newer.") from error
    if done.returncode:
        raise BundleFailed(f"The bundle could not be signed: {done.stderr.strip()}")


def pack(folder: Path, target: Path) -> None:
    """All files as one archive; wheels and the model are compressed already."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            entry.external_attr = 0o100644 << 16
            with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as written:
                shutil.copyfileobj(source, written, 1 << 20)
