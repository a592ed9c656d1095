#!/usr/bin/env python3
"""Writes an evaluation set of whole documents: pages with headings in English and Japanese, and questions of which it is known
without any model which section answers them.

    .venv/bin/python scripts/bench/quality/whole_documents.py --out FOLDER [--packages FOLDER]
    .venv/bin/rag eval run --dataset FOLDER/questions.yaml --documents FOLDER/documents

The pages are those of PACKAGES, documentation under free licences, fetched by `apt-get` in these versions (`--packages` has them
already); nothing of them is kept in the project. Of a page that exists in both languages the set has one. The kinds of questions:

opening   the first sentence of a section, which is taken out of the document: meaning, and words of the same author
index     an entry of the help's own index, most of whose words are not in the headings: short, other words than the text's
summary   the one-line description of a page, which the page does not show; any part of the page is right
heading   a section's heading, which stays: whatever reads headings gains, so these are counted apart
and the first three once more from the page's other language, asked of the pages in the answer's language alone.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from _pages import Page, Section, read_page

from ragd.language.detection import passage_language

SEED = 17
LANGUAGES = ("en", "ja")
NUMBER = re.compile(r"^(?:[A-Z]|\d+)(?:\.\d+)*\.\s+")
OF_A_KIND = 2
"""Questions of one kind about a document in one language, at most."""

CHARACTERS = {"en": (1_200, 16_000), "ja": (600, 8_000)}
"""A document's length."""
SENTENCE = {"en": (40, 240), "ja": (18, 120)}
REST = {"en": 200, "ja": 90}
"""Characters that a section must have left when its first sentence is taken out."""


@dataclass(frozen=True)
class Package:
    """An archive of the distribution. `pages` finds the pages, and in them the name that is the same in all languages."""

    name: str
    version: str
    licence: str
    pages: Mapping[str, str]
    documents: int
    """Of each language."""


PACKAGES = (
    Package(
        "libreoffice-help-en-us", "4:7.4.7-1+deb12u14", "MPL-2.0", {"en": r"/help/en-US/text/((?!autopi|sbasic).*)\.html$"}, 90
    ),
    Package("libreoffice-help-ja", "4:7.4.7-1+deb12u14", "MPL-2.0", {"ja": r"/help/ja/text/((?!autopi|sbasic).*)\.html$"}, 90),
    Package(
        "gnome-user-docs",
        "43.0-2",
        "CC-BY-SA-3.0",
        {"en": r"/help/C/gnome-help/(.*)\.page$", "ja": r"/help/ja/gnome-help/(.*)\.page$"},
        50,
    ),
    Package(
        "postgresql-doc-15", "15.20-0+deb12u1", "PostgreSQL", {"en": r"/html/((?!release|sql-|bookindex|biblio).*)\.html$"}, 50
    ),
)


def fetch(package: Package, folder: Path) -> None:
    command = ["apt-get", "download", "-q", f"{package.name}={package.version}"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def pages_of(package: Package, folder: Path) -> Iterator[tuple[str, Page]]:
    """Language and page, of those that are long enough."""
    path = next(iter(sorted(folder.glob(f"{package.name}_*"))), None)
    if path is None:
        raise SystemExit(f"{package.name} is not in {folder}")
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
    family = package.name.split("-")[0]
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            for language, pattern in package.pages.items():
                if (match := re.search(pattern, member.name)) and (file := archive.extractfile(member)):
                    page = read_page(f"{family}/{match[1]}{Path(member.name).suffix}", file.read().decode(errors="replace"))
                    if is_whole(page, language):
                        yield language, page


def is_whole(page: Page, language: str) -> bool:
    low, high = CHARACTERS[language]
    filled = [section for section in page.sections if section.blocks]
    return len(filled) >= 3 and low <= len(page.text) <= high and passage_language(page.text) == language


def foreign(language: str) -> str:
    return LANGUAGES[1 - LANGUAGES.index(language)]


@dataclass
class Document:
    """A page of the set, and the same page in the other language where their sections correspond."""

    name: str
    language: str
    page: Page
    other: Page | None


def drawn(found: Mapping[str, Mapping[str, Page]], counts: Mapping[tuple[str, str], int]) -> list[Document]:
    """Pages by chance, each in one language: a page with a counterpart goes to the language that it is drawn for first."""
    rest = Counter(counts)
    names = sorted({name for pages in found.values() for name in pages})
    documents = []
    for name in random.Random(SEED).sample(names, len(names)):
        family = name.split("/")[0]
        held = [language for language in LANGUAGES if name in found[language] and rest[family, language] > 0]
        if not held:
            continue
        language = max(held, key=lambda language: rest[family, language])
        rest[family, language] -= 1
        page, other = found[language][name], found[foreign(language)].get(name)
        if other and [section.level for section in other.sections] != [section.level for section in page.sections]:
            other = None
        documents.append(Document(f"{language}/{name.rsplit('.', 1)[0]}.md", language, page, other))
    return documents


# Questions


def first_sentence(section: Section, language: str) -> str | None:
    """The sentence that a section begins with, where there is one of a fair length and enough is left without it."""
    if not section.blocks:
        return None
    match = re.match(r".+?(?:[。！？]|[.!?](?=\s|$))", section.blocks[0])
    low, high = SENTENCE[language]
    if match is None or not low <= len(match[0]) <= high or passage_language(match[0]) != language:
        return None
    return match[0] if len(section.text) - len(match[0]) >= REST[language] else None


def without_opening(section: Section, sentence: str) -> None:
    section.blocks[0] = section.blocks[0][len(sentence) :].strip()
    section.blocks = [block for block in section.blocks if block]


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower())) | set(re.findall(r"[ァ-ヴー]{2,}|[一-鿿]", text))


def entries_of(sections: Iterable[tuple[int, Section]], title: str, once: Counter[str]) -> list[tuple[int, int]]:
    """Section and number of index entries most of whose words are not in the headings, one of a section."""
    found = []
    for at, section in sections:
        known = words_of(f"{title} {section.heading}")
        for number, entry in enumerate(section.entries if section.blocks else ()):
            own = words_of(entry)
            if once[entry] == 1 and len(own) >= 2 and len(own & known) <= len(own) / 3:
                found.append((at, number))
                break
    return found[:OF_A_KIND]


Asked = tuple[str, str, int | None, str]
"""Kind, text, the section that answers (None: the page), and the language of the question."""


def questions_of(document: Document, once: Counter[str]) -> list[Asked]:
    """The questions about a document, whose openings are taken out of it. `once` counts sentences and headings of all pages."""
    page, other, language = document.page, document.other, document.language
    across = foreign(language)
    chance = random.Random(f"{SEED} {document.name}")
    asked: list[Asked] = []
    numbered = chance.sample(list(enumerate(page.sections)), len(page.sections))
    openings = [(at, sentence) for at, section in numbered if (sentence := first_sentence(section, language))]
    openings = [(at, sentence) for at, sentence in openings if once[sentence] == 1][:OF_A_KIND]
    asked += [("opening", sentence, at, language) for at, sentence in openings]
    if other:
        sentences = [(at, first_sentence(other.sections[at], across)) for at, _ in openings]
        asked += [("opening", sentence, at, across) for at, sentence in sentences if sentence and once[sentence] == 1]
    for at, number in entries_of(numbered, page.sections[0].heading, once):
        asked.append(("index", page.sections[at].entries[number], at, language))
        if other and number < len(other.sections[at].entries):
            entry = other.sections[at].entries[number]
            asked += [("index", entry, at, across)] if passage_language(entry) == across and once[entry] == 1 else []
    if page.summary and page.summary not in page.text:
        asked.append(("summary", page.summary, None, language))
        if other and passage_language(other.summary) == across:
            asked.append(("summary", other.summary, None, across))
    headings = [at for at, section in numbered if section.blocks and once[section.heading] == 1]
    titles = [(at, NUMBER.sub("", page.sections[at].heading)) for at in headings]
    asked += [("heading", title, at, language) for at, title in titles if passage_language(title) == language][:1]
    for at, sentence in openings:
        without_opening(page.sections[at], sentence)
    return asked


def as_markdown(page: Page) -> tuple[str, list[tuple[int, int]]]:
    """The page's text, and the first and the last line of each section with its heading."""
    lines: list[str] = []
    ranges = []
    for section in page.sections:
        first = len(lines) + 1
        lines += [f"{'#' * section.level} {section.heading}", ""]
        for block in section.blocks:
            lines += [re.sub(r"^(?=[#>|`~=*+-])", r"\\", block), ""]
        ranges.append((first, len(lines)))
    return "\n".join(lines), ranges


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--packages", type=Path, help="a folder with the packages; without it they are fetched")
    options = parser.parse_args(arguments)
    found: dict[str, dict[str, Page]] = {language: {} for language in LANGUAGES}
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for package in PACKAGES:
            if options.packages is None:
                fetch(package, Path(scratch))
            for language, page in pages_of(package, options.packages or Path(scratch)):
                found[language][page.source] = page
            for language in package.pages:
                counts[package.name.split("-")[0], language] += package.documents
    documents = drawn(found, counts)
    once: Counter[str] = Counter()
    for document in documents:
        for language, one in ((document.language, document.page), (foreign(document.language), document.other)):
            if one:
                once.update({section.heading for section in one.sections})
                once.update([entry for section in one.sections for entry in section.entries])
                once.update({first_sentence(section, language) or "" for section in one.sections})
    asked: list[dict[str, Any]] = []
    for document in documents:
        rows = questions_of(document, once)
        text, ranges = as_markdown(document.page)
        path = options.out / "documents" / document.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for kind, question, at, language in rows:
            lines = [1, ranges[-1][1]] if at is None else list(ranges[at])
            row = {
                "id": f"q{len(asked):04}",
                "query": question,
                "lang": f"{language}→{document.language}" if language != document.language else language,
                "type": kind,
                "relevant": [{"source": document.name, "place": {"lines": lines}}],
            }
            asked.append(row | ({"filters": {"path_prefix": document.language}} if language != document.language else {}))
    (options.out / "questions.yaml").write_text(yaml.safe_dump(asked, allow_unicode=True, sort_keys=False), encoding="utf-8")
    groups = Counter(f"{row['type']} {row['lang']}" for row in asked)
    print(
        f"{len(documents)} documents, {len(asked)} questions: " + ", ".join(f"{count} {name}" for name, count in groups.items())
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
