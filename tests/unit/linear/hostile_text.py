#!/usr/bin/env python3
"""1 MB of each of 40 hostile shapes through readers of text and every stage of ingestion that follows: CPU seconds of each.

    .venv/bin/python tests/unit/linear/hostile_text.py [--kilobytes 1000] [--limit 2.0] [--real]

With `--real` it is the default model's tokenizer that counts; else the estimate of remote models. The exit code is 1 when a stage
takes longer than the limit for a shape, or when one takes more than 2.6 times as long as for half of it, each time of three.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragd.config.loading import Directories
from ragd.core.documents import Document
from ragd.core.errors import UnpacksTooLarge
from ragd.core.ids import canonical
from ragd.core.sections import split_sections
from ragd.ingest.chunking.recursive import RecursiveSplitter, build_pieces
from ragd.ingest.chunking.views import Shown, build_chunks
from ragd.ingest.enrichment.cleaning import RuleCleaner
from ragd.ingest.enrichment.rules import RuleEnricher
from ragd.ingest.text_stages import CountedOnce, require_modest_growth
from ragd.providers.analyzers.sudachi import SudachiAnalyzer
from ragd.providers.registry import build
from ragd.providers.tokenizers.estimate import EstimatedTokenizer

SHAPES = (
    " ", "\t", "\u00a0", "\u3000", "\ufdfa", "\u200b", "\ufe0f", "\n", " \n", "\x0b", "\u2028", "a", "A", "aA", "1.", "a.", "a+",
    "+", "-", "_a", "**", "~", "`", "# ", "=", ".", "!", "…", "。」", "「", '"', "(", "![", "[a](", "{{", "|-|", "<a ",
    "/a", "あ", "漢",
)  # fmt: skip
ROOM = 400
TRIES = 3


def stages(tokenizer: Any) -> Callable[[str], dict[str, float]]:
    cleaner, enricher, analyzer = RuleCleaner(), RuleEnricher(), SudachiAnalyzer()
    tokenizer = CountedOnce(tokenizer)
    splitter = RecursiveSplitter(tokenizer, 40)

    def run(text: str) -> dict[str, float]:
        taken: dict[str, float] = {}

        def timed(name: str, call: Callable[[], Any]) -> Any:
            began = time.thread_time()
            result = call()
            taken[name] = time.thread_time() - began
            return result

        document = Document("text", "Notes", text, "text", "1", verbatim=True)
        for loader, name in (("text", "n.txt"), ("markdown", "n.md"), ("html", "n.html"), ("csv", "n.csv"), ("code", "n.py")):
            timed(loader, lambda loader=loader, name=name: _loaded(loader, name, text))
        if not timed("growth", lambda: _modest(text)):
            return taken
        timed("canonical", lambda: canonical(text))
        timed("cleaner", lambda: cleaner.boilerplate(document))
        sections = timed("sections", lambda: split_sections(document, "d"))
        shown = Shown.within({}, "n.txt", tokenizer, ROOM)
        options = {"shown": shown, "splitter": splitter, "tokenizer": tokenizer, "room": ROOM}
        pieces = timed("chunks", lambda: build_pieces(document, sections, **options))
        whole, parts = timed("enricher", lambda: enricher.enrich(document, pieces))
        views = {"document": whole, "enrichments": parts, "source": "n.txt", "shown": shown, "analyzer": analyzer}
        timed("views", lambda: build_chunks(pieces, **views))
        return taken

    return run


def _modest(text: str) -> bool:
    try:
        require_modest_growth(text, "n.txt")
    except UnpacksTooLarge:
        return False
    return True


def _loaded(loader: str, name: str, text: str) -> object:
    from ragd.core.errors import RagError

    try:
        return build("loader", loader).load(text.encode(), name)
    except RagError as error:
        return error


def too_slow(half: Mapping[str, float], whole: Mapping[str, float], limit: float) -> list[str]:
    """The stages whose CPU seconds pass the limit, or grow faster than the text."""
    return [name for name in whole if whole[name] > limit or (whole[name] > 0.2 and whole[name] > 2.6 * half[name])]


def _best(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {name: min(seconds, other[name]) for name, seconds in one.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kilobytes", type=int, default=1000)
    parser.add_argument("--limit", type=float, default=2.0)
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args(arguments)
    tokenizer: Any = EstimatedTokenizer()
    if options.real:
        from ragd.providers.tokenizers.onnx import OnnxTokenizer

        tokenizer = OnnxTokenizer(next(Directories.default().models.glob("**/tokenizer.json")))
    run = stages(tokenizer)
    run("warm up")
    slow = 0
    for atom in SHAPES:
        size = options.kilobytes * 1000 // len(atom.encode())
        half, whole = run(atom * (size // 2)), run(atom * size)
        # Other processes take caches and clock speed from a single run: the best of several is the stage's own time.
        for _ in range(TRIES - 1):
            if not too_slow(half, whole, options.limit):
                break
            half, whole = _best(half, run(atom * (size // 2))), _best(whole, run(atom * size))
        worst = max(whole, key=lambda name: whole[name])
        bad = too_slow(half, whole, options.limit)
        slow += len(bad)
        figures = ", ".join(f"{name} {half[name]:.2f} -> {whole[name]:.2f}" for name in bad)
        print(
            f"{atom!r:10} {sum(whole.values()):6.2f} s, most in {worst} ({whole[worst]:.2f}){'  SLOW ' + figures if bad else ''}",
            flush=True,
        )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
