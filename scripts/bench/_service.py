"""A whole service for benchmarks: processes that answer at one address, and workers, on a PostgreSQL."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from ingest_query import start_daemon

from ragd.providers.registry import TABLE

# Here, and not where the command is run: the processes of one address are begun by importing the program anew.
TABLE["embedder", "perturbed"] = "_perturbed:PerturbedEmbedder"


class Service:
    """`program` runs `rag` with the arguments behind it; `answering` processes answer, and `workers` processes run the jobs.

    With one and none it is a daemon that does everything.
    """

    def __init__(self, root: Path, store: str, program: Sequence[str], *, answering: int, workers: int) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = "t" * 43
        os.environ |= {
            "RAG_DATA_DIR": str(root / "data"),
            "RAG_STORE__URL": store,
            "RAG_TOKEN": self.token,
            "RAG_EMBEDDING__PROVIDER": "perturbed",
            "RAG_JOBS__QUEUE": "procrastinate" if workers else "process",
        }
        self._data, self._program, self._answering = root / "data", [sys.executable, *program], answering
        self.start()
        self.workers = [self.worker() for _ in range(workers)]

    def start(self) -> None:
        serve = ["serve", "--port", str(self.port), *(["--workers", str(self._answering)] if self._answering > 1 else [])]
        self.process, _ = start_daemon(self._data, [*self._program, *serve], subprocess.DEVNULL)
        while len(self.answering()) < self._answering:
            time.sleep(0.1)

    def worker(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*self._program, "worker"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answering(self) -> list[psutil.Process]:
        """The processes that answer, those that are only begun among them."""
        whole = psutil.Process(self.process.pid)
        if self._answering == 1:
            return [whole]
        return [one for one in whole.children() if "spawn_main" in " ".join(one.cmdline())]

    def kill_answering(self) -> None:
        """Kill one of the processes that answer; a daemon that is alone is started again."""
        victim = self.answering()[0]
        victim.kill()
        if self._answering == 1:
            self.process.wait()
            self.start()

    def kill_worker(self) -> None:
        """Kill a worker, and start another one, as whoever looks after services would."""
        victim = self.workers.pop(0)
        victim.kill()
        victim.wait()
        self.workers.append(self.worker())

    def ingesting(self) -> psutil.Process:
        """One of the processes that run jobs."""
        return psutil.Process(self.workers[0].pid if self.workers else self.process.pid)

    def memory(self) -> str:
        """MB in use by each kind of process."""
        kinds = {"answering": self.answering(), "workers": [psutil.Process(one.pid) for one in self.workers]}
        sizes = {name: [one.memory_info().rss // 2**20 for one in processes] for name, processes in kinds.items()}
        return ", ".join(f"{name} {'+'.join(map(str, found))} MB" for name, found in sizes.items() if found)

    def processor_s(self) -> float:
        """Processor time of those that answer, until now."""
        return sum(sum(one.cpu_times()[:2]) for one in self.answering())

    def close(self) -> None:
        for process in (self.process, *self.workers):
            process.send_signal(signal.SIGTERM)
        for process in (self.process, *self.workers):
            process.wait(60)
