"""`rag doctor --offline-proof`: an ingestion and a query under a watch, and whom they wanted to reach.

Python's own sockets are watched and stopped in every process (see `trap`). Where Linux gives a network namespace to ordinary
users, all of it runs in one without any route: there the kernel counts what found no way out, so that native code is seen, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ragd.cli.common.output import plural
from ragd.cli.doctor import trap
from ragd.cli.doctor.trap.sitecustomize import RECORD
from ragd.config.loading import Directories
from ragd.core.checks import Check
from ragd.models.store import Progress

_TIMEOUT_S: Final = 600.0
_QUESTION: Final = "When is the lease renewed?"
_DOCUMENTS: Final = {
    "lease.md": "# Leases\n\nThe lease of a store is renewed every 40 days. Ask the desk on the second floor.\n",
    "規程.md": "# 契約\n\n倉庫の契約は四十日ごとに更新する。二階の窓口で申請する。\n",
}
# From linux/sockios.h and linux/if.h.
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
# Counters of /proc/net: what had no route, and datagrams to a port of this machine where nobody is, such as a name server's.
_LOST: Final = ("Ip.OutNoRoutes", "Ip6OutNoRoutes", "Udp.NoPorts", "Udp6NoPorts")
_IN_NAMESPACE: Final = ("unshare", "--map-root-user", "--net")


def prove_offline(directories: Directories, progress: Progress) -> Iterator[Check]:
    """Runs both in a data directory of their own, with the settings and models of `directories`."""
    with tempfile.TemporaryDirectory(prefix="rag-offline-") as name:
        folder = Path(name)
        progress("Ingesting and asking under a watch", None)
        namespace = _has_namespace()
        done, counted = _run(folder, directories, _IN_NAMESPACE if namespace else ())
        record = folder / "record"
        lines: list[dict[str, Any]] = (
            [json.loads(line) for line in record.read_text("utf-8").splitlines()] if record.exists() else []
        )
    tried = sorted({f"{line['tried']}, by {line['by']}" for line in lines if "tried" in line})
    lost = sum(counted.values())
    if tried or lost:
        native = [f"native code {plural(lost, 'time')} (the kernel's count; Python knows no name)"] if lost else []
        yield Check(
            "offline", "fail", f"tried to reach: {'; '.join([*tried, *native])}", "See docs/operations.md, Nothing leaves."
        )
    elif done.returncode:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        yield Check("offline", "fail", f"the ingestion or the query failed: {said}", "rag doctor")
    if tried or lost or done.returncode:
        return
    watched = sum("process" in line for line in lines)
    yield Check(
        "offline", "ok", f"an ingestion and a query looked up no name and reached nobody ({watched} Python processes watched)"
    )
    if namespace:
        yield Check("native", "ok", "in a network without any route the kernel counted no attempt, native code included")
    else:
        message = "this machine gives no network namespace, so attempts of native libraries would not have been seen"
        yield Check("native", "warn", message, "On Linux: allow unprivileged user namespaces, or watch the firewall's log.")


def _has_namespace() -> bool:
    try:
        return subprocess.run([*_IN_NAMESPACE, "true"], check=False, capture_output=True).returncode == 0
    except OSError:
        return False  # another system, or no such program


def _run(
    folder: Path, directories: Directories, within: tuple[str, ...]
) -> tuple[subprocess.CompletedProcess[str], Mapping[str, int]]:
    documents = folder / "documents"
    documents.mkdir()
    for name, text in _DOCUMENTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    named = {"DATA": folder / "data", "MODELS": directories.models, "CONFIG": directories.config}
    paths = [str(Path(trap.__file__).parent), *(path for path in sys.path if path)]
    environment = {
        **os.environ,
        **{f"RAG_{name}_DIR": str(path) for name, path in named.items()},
        "PYTHONPATH": os.pathsep.join(paths),
        RECORD: str(folder / "record"),
    }
    command = [*within, sys.executable, "-m", "ragd.cli.doctor.offline", str(folder)]
    done = subprocess.run(
        command, env=environment, check=False, capture_output=True, encoding="utf-8", errors="replace", timeout=_TIMEOUT_S
    )
    counts = folder / "counts"
    return done, json.loads(counts.read_text("utf-8")) if counts.exists() else {}


def _journey(folder: Path) -> int:
    """What is watched; in a namespace, with the kernel's counts after it."""
    inside = _raise_loopback()
    for arguments in (("ingest", str(folder / "documents")), ("query", _QUESTION, "--json")):
        code = subprocess.run([sys.executable, "-m", "ragd", *arguments], check=False, stdout=subprocess.DEVNULL).returncode
        if code:
            break
    if inside:
        (folder / "counts").write_text(json.dumps(_counts()), "utf-8")
    return code


def _raise_loopback() -> bool:
    """Switches on the one interface of a new namespace; False where there is none."""
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        return False
    import fcntl

    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH22x", b"lo", 0)
        flags = struct.unpack_from("16sH", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", flags | _IFF_UP))
        return True
    return False


def _counts() -> dict[str, int]:
    found: dict[str, int] = {}
    lines = Path("/proc/net/snmp").read_text("ascii").splitlines()
    for head, row in zip(lines[::2], lines[1::2], strict=True):
        group, *names = head.split()
        found |= {f"{group[:-1]}.{name}": int(value) for name, value in zip(names, row.split()[1:], strict=True)}
    rest = (line.split() for line in Path("/proc/net/snmp6").read_text("ascii").splitlines())
    found |= {name: int(value) for name, value in rest}
    return {name: found[name] for name in _LOST}


if __name__ == "__main__":
    sys.exit(_journey(Path(sys.argv[1])))
