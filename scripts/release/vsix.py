"""Looks into a finished VSIX: is all there that the extension needs, nothing that users don't need, and is it small enough."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from release.wheel import SETUP_FILES
from setup.environment import BASE_LOCK
from setup.installers import TOOLS_LOCK

MOST_BYTES = 15_000_000
BIGGEST = 8

_FORBIDDEN = re.compile(r"\.(map|tsx?|tsbuildinfo)$|(^|/)(tests?|src|webview/src|node_modules|scripts)/|package-lock|(^|/)\.env")
# The address in `![text](address)`.
PICTURE = re.compile(r"(?<=\]\()[^)\s]+\.(?:png|gif|jpe?g|webp|svg)(?=\))")
_REQUIRED = (
    *("package.json", "package.nls.json", "readme.md", "changelog.md", "LICENSE.txt", "dist/THIRD-PARTY-NOTICES.txt"),
    "dist/html.cjs",
    "dist/mcp.cjs",
)


def problems(vsix: Path, wheel: Path) -> list[str]:
    """What is wrong with a VSIX that should carry this wheel."""
    return list(_problems(vsix, wheel))


def _problems(vsix: Path, wheel: Path) -> Iterator[str]:
    size = vsix.stat().st_size
    if size > MOST_BYTES:
        yield f"it has {size / 1e6:.1f} MB; at most {MOST_BYTES / 1e6:.0f} MB are allowed"
    with zipfile.ZipFile(vsix) as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist() if name.startswith("extension/")}
        manifest = json.loads(archive.read("extension/package.json")) if "package.json" in names else {}
        texts = {name: archive.read(f"extension/{name}").decode() for name in names if re.match(r"media/.*\.md$", name)}
        carried = f"dist/server/{wheel.name}"
        if carried in names and _hash(archive.read(f"extension/{carried}")) != _hash(wheel.read_bytes()):
            yield f"{carried} is not the wheel that was built"
    wheels = {name for name in names if name.endswith(".whl")}
    if wheels - {carried}:
        yield f"it carries other wheels: {', '.join(sorted(wheels - {carried}))}"
    server = {f"dist/server/{name}" for name in (*SETUP_FILES, BASE_LOCK, TOOLS_LOCK, wheel.name)}
    shown = {picture for name, text in texts.items() for picture in pictures_in(name, text)}
    for name in sorted({*_REQUIRED, *server, *files_named_in(manifest), *shown} - names):
        yield f"it lacks {name}"
    for name in sorted(filter(_FORBIDDEN.search, names)):
        yield f"it carries {name}, which users don't need"


def files_named_in(value: Any) -> set[str]:
    """Files of the extension that its manifest names anywhere."""
    if isinstance(value, dict):
        return set().union(*map(files_named_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(files_named_in, value))
    if isinstance(value, str) and re.fullmatch(r"(\./)?(media|dist)/[\w./-]+\.\w+", value):
        return {value.removeprefix("./")}
    return set()


def pictures_in(name: str, markdown: str) -> set[str]:
    """Files of the extension that a Markdown file of it shows."""
    found = PICTURE.findall(markdown)
    return {posixpath.normpath(f"{posixpath.dirname(name)}/{address}").lstrip("/") for address in found if ":" not in address}


def biggest(vsix: Path) -> list[tuple[str, int, int]]:
    """Name, packed and unpacked bytes of the files that take most of it."""
    with zipfile.ZipFile(vsix) as archive:
        entries = sorted(archive.infolist(), key=lambda entry: entry.compress_size, reverse=True)
    return [(entry.filename, entry.compress_size, entry.file_size) for entry in entries[:BIGGEST]]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
