"""The machines that we are installed on, and what of a lock file each of them takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from packaging.markers import Marker

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Debian 12 and RHEL 9 have glibc 2.34 or newer; a wheel that asks for less runs there, too.
_GLIBC = range(34, 4, -1)


@dataclass(frozen=True)
class Platform:
    """A system as wheels and markers know it. `for_uv` is its name there."""

    name: str
    for_uv: str
    tags: tuple[str, ...]
    os_name: str
    sys_platform: str
    system: str
    machine: str

    def markers(self, python: str) -> Iterator[dict[str, str]]:
        """The environments of PEP 508 that a Python such as 3.11 may be: of its first and of any later patch."""
        for patch in ("0", "99"):
            yield {
                "os_name": self.os_name,
                "sys_platform": self.sys_platform,
                "platform_system": self.system,
                "platform_machine": self.machine,
                "platform_python_implementation": "CPython",
                "implementation_name": "cpython",
                "implementation_version": f"{python}.{patch}",
                "python_version": python,
                "python_full_version": f"{python}.{patch}",
                "platform_release": "",
                "platform_version": "",
                "extra": "",
            }


def _linux(name: str, machine: str) -> Platform:
    tags = (*(f"manylinux_2_{minor}_{machine}" for minor in _GLIBC), f"manylinux2014_{machine}", f"linux_{machine}")
    return Platform(name, f"{machine}-manylinux_2_34", tags, "posix", "linux", "Linux", machine)


PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform("windows-x64", "x86_64-pc-windows-msvc", ("win_amd64",), "nt", "win32", "Windows", "AMD64"),
        Platform("macos-arm64", "aarch64-apple-darwin", ("macosx_14_0_arm64",), "posix", "darwin", "Darwin", "arm64"),
        Platform("macos-x64", "x86_64-apple-darwin", ("macosx_14_0_x86_64",), "posix", "darwin", "Darwin", "x86_64"),
        _linux("linux-x64", "x86_64"),
        _linux("linux-arm64", "aarch64"),
    )
}

WITHOUT_WHEELS = frozenset(("macos-x64",))
"""No bundle can be made for these: some packages of the lock have no wheel. `scripts/check_wheels.py` looks all the same."""


@dataclass(frozen=True)
class Pin:
    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]

    def line(self) -> str:
        """As a requirement without its marker."""
        return " ".join((f"{self.name}=={self.version}", *(f"--hash=sha256:{value}" for value in self.hashes)))


_PIN = re.compile(r"^([\w.-]+)==(\S+)(?: ;([^\\\n]*))? *\\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def pins(lock: str) -> list[Pin]:
    """Every line of a lock file. Raises `ValueError` where one is not understood."""
    found = [
        Pin(name, version, marker.strip(), tuple(re.findall(r"sha256:([0-9a-f]{64})", hashes)))
        for name, version, marker, hashes in _PIN.findall(lock)
    ]
    if len(found) != len(re.findall(r"^[^#\s]", lock, re.MULTILINE)):
        raise ValueError("The lock file has lines that are no pins with hashes.")
    return found


def pins_for(lock: Sequence[Pin], platform: Platform, python: str) -> list[Pin]:
    """Those that a platform and a Python take; two of one name where that depends on the patch of Python."""
    environments = list(platform.markers(python))
    return [
        pin for pin in lock if not pin.marker or any(Marker(pin.marker).evaluate(environment) for environment in environments)
    ]
