"""How many heaps the threads of a process have."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

_COUNT = """
import ctypes, sys, threading
from ragd.providers.freed_memory import limit_heaps
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
if sys.argv[2] == "limited":
    limit_heaps(2)
together = threading.Barrier(12)
def take():
    together.wait()
    libc.malloc(1000)
    together.wait()
threads = [threading.Thread(target=take) for _ in range(12)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt") if sys.platform == "linux" else True, reason="glibc's heaps")
def test_threads_share_a_few_heaps(tmp_path: Path) -> None:
    counts = {}
    for mode in ("limited", "free"):
        path = tmp_path / mode
        subprocess.run([sys.executable, "-c", _COUNT, str(path), mode], check=True, timeout=600)
        counts[mode] = path.read_text().count("<heap nr=")
    assert counts["limited"] <= 2 < counts["free"]
