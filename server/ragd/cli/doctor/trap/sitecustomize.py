"""Sees and stops what a Python process wants to look up or reach beyond this machine.

Python imports a module of this name at its start, so each process of the proof is watched from its first line, workers too.
Audit events (PEP 578) are Python's: what a native library does by itself is not seen here.
"""

from __future__ import annotations

import errno
import ipaddress
import json
import os
import sys
from types import FrameType
from typing import Any

RECORD = "OFFLINE_PROOF_RECORD"
"""Names the file to which every process adds lines; nothing is watched without it."""

_REACHING = ("socket.connect", "socket.sendto", "socket.sendmsg")
_LOOKING_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")


def _address(host: object) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return None


def _is_own_name(host: object) -> bool:
    return host in {None, "", b"", "localhost", b"localhost"}


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REACHING:
        address = arguments[1]
        # A path is a socket of this machine; None is the address of an earlier connect.
        if not isinstance(address, tuple) or _is_own_name(address[0]):
            return
        if (number := _address(address[0])) and number.is_loopback:
            return
        wanted = f"{address[0]} port {address[1]}"
    elif event in _LOOKING_UP:
        # A number is no name: whoever reaches it is seen then.
        if _is_own_name(arguments[0]) or _address(arguments[0]):
            return
        wanted = f"the name {arguments[0]!r}"
    else:
        return
    write({"tried": wanted, "by": _callers()})
    raise OSError(errno.ENETUNREACH, "Stopped by rag doctor --offline-proof")


def _callers() -> str:
    """The library that asked, and what of ours used it."""
    names = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        names.append(str(frame.f_globals.get("__name__", "?")))
        frame = frame.f_back
    foreign = (name for name in names if name.partition(".")[0] not in {*sys.stdlib_module_names, "__main__", "ragd"})
    ours = (name for name in names if name.startswith("ragd."))
    return " of ".join(name for name in (next(foreign, None), next(ours, None)) if name) or names[-1]


def write(line: dict[str, Any]) -> None:
    # One write of one short line: processes do not mix theirs.
    descriptor = os.open(os.environ[RECORD], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, json.dumps(line).encode() + b"\n")
    finally:
        os.close(descriptor)


if RECORD in os.environ and __name__ == "sitecustomize":
    write({"process": os.getpid()})
    sys.addaudithook(_watch)
