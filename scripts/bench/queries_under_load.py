#!/usr/bin/env python3
"""Query latency over HTTP alone, with ten clients, and while three documents are being ingested; with and without reranking.

    .venv/bin/python scripts/bench/queries_under_load.py --chunks 3000

Starts a daemon of its own on documents made of the paragraphs of data/samples, drawn at random and with other figures in them,
and asks it what stands in those paragraphs. Everything is measured in one run, so that the ratios hold on a noisy machine: to one
client alone, and of ingestion to ingestion without queries. `scored` is how many passages the reranker reached on average.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _loaded_daemon import CLIENTS, SECTIONS_A_DOCUMENT, Daemon, Loaded, Measured, Texts, loaded_daemon, wait


def one_client(daemon: Daemon, questions: Sequence[str], rerank: bool) -> Measured:
    measured = Measured()
    for question in questions:
        daemon.ask(question, rerank, measured)
    return measured


def ten_clients(daemon: Daemon, questions: Sequence[str], rerank: bool) -> Measured:
    with ThreadPoolExecutor(CLIENTS) as pool:
        shares = [questions[number::CLIENTS] for number in range(CLIENTS)]
        parts = list(pool.map(lambda share: one_client(daemon, share, rerank), shares))
    return Measured(
        [value for part in parts for value in part.seconds],
        [value for part in parts for value in part.scored],
        sum(part.errors for part in parts),
    )


def while_ingesting(daemon: Daemon, texts: Texts, folder: Path, rerank: bool) -> tuple[Measured, float, float]:
    """Queries until three documents are ingested; and the ingestion's chunks a second, with what the queries took from it."""
    measured, done = Measured(), threading.Event()
    folder.mkdir()
    for number in range(3):
        texts.write(folder, f"{folder.name}{number}", SECTIONS_A_DOCUMENT)

    def ask() -> None:
        while not done.is_set():
            daemon.ask(texts.question(), rerank, measured)

    finished = daemon.ingest(folder)
    asking = threading.Thread(target=ask)
    asking.start()
    chunks, seconds = wait(finished)
    done.set()
    asking.join()
    return measured, chunks / seconds, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=3000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--no-rerank", action="store_true", help="measure without reranking only")
    options = parser.parse_args()
    with loaded_daemon(options.chunks) as loaded:
        run(loaded, options.queries, (False,) if options.no_rerank else (False, True))


def run(loaded: Loaded, queries: int, reranking: Sequence[bool]) -> None:
    daemon, texts, root, chunks, seconds = loaded
    one_client(daemon, [texts.question() for _ in range(30)], rerank=True)
    for rerank in reranking:
        name = "with rerank" if rerank else "no rerank"
        questions = [texts.question() for _ in range(queries)]
        alone = one_client(daemon, questions, rerank)
        print(f"{name:11} one client       {alone.line()}")
        print(f"{name:11} ten clients      {ten_clients(daemon, questions, rerank).line(alone)}")
        beside, pace, took = while_ingesting(daemon, texts, root / f"more{rerank:d}", rerank)
        print(f"{name:11} while ingesting  {beside.line(alone)}")
        print(f"{name:11}   ingestion meanwhile {pace:.1f} chunks/s in {took:.0f} s ({pace * seconds / chunks:.0%} of alone)")


if __name__ == "__main__":
    main()
