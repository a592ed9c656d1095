"""Documents and questions in any number, made of the sentences of data/samples and docs."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READABLE = {".md", ".txt", ".html", ".py", ".sh", ".ts", ".yaml"}
ORIGINALS = 2000
SECTIONS_A_DOCUMENT = 40
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|(?<=。)\s*|\n(?=[-*|#0-9])|\n\s*\n")
MARKUP = re.compile(r"^[\s#>*|\-]+|^\d+\.\s+")
ENGLISH_FORMS = ("{}", "what about {}", "How is it that {}?", "{} meaning", "When {}?")
JAPANESE_FORMS = ("{}", "{}とは", "{}について教えてください", "{}のはどんなときですか")


class Corpus:
    """Documents and questions made of the sentences of data/samples and docs, the same for the same number of chunks."""

    def __init__(self, chunks: int) -> None:
        self.chunks = chunks
        self.documents = -(-chunks // SECTIONS_A_DOCUMENT)
        self._originals = min(ORIGINALS, max(1, chunks // 10))
        self._rng = random.Random(7)
        self._asked: set[str] = set()
        files = [path for folder in ("data/samples", "docs") for path in sorted((ROOT / folder).rglob("*"))]
        texts = [re.sub("<[^>]+>", "\n\n", path.read_text(encoding="utf-8")) for path in files if path.suffix in READABLE]
        found = [" ".join(MARKUP.sub("", part).split()) for text in texts for part in SENTENCE_END.split(text)]
        kept = [
            text for text in dict.fromkeys(found) if 25 <= len(text) <= 400 or (JAPANESE.search(text) and 12 <= len(text) <= 200)
        ]
        self.japanese = [text for text in kept if JAPANESE.search(text)]
        self.english = [text for text in kept if not JAPANESE.search(text)]

    def write(self, folder: Path) -> None:
        """Markdown files of forty sections, each section one chunk; those with the originals come first."""
        rng = random.Random(11)
        origins: list[tuple[str, list[str]]] = []
        for number in range(self.documents):
            sections = []
            for at in range(number * SECTIONS_A_DOCUMENT, min(self.chunks, (number + 1) * SECTIONS_A_DOCUMENT)):
                if at < self._originals:
                    pool = self.japanese if rng.random() < 0.4 else self.english
                    start, size = rng.randrange(len(pool)), 3 + rng.randrange(5)
                    text = [pool[(start + step) % len(pool)] for step in range(size)]
                    name = text[0][:12] if pool is self.japanese else " ".join(text[0].split()[:4])
                    heading = f"{re.sub('[`>*_#|]', ' ', name).strip()} ({at})"
                    origins.append((heading, text))
                else:
                    heading, text = origins[rng.randrange(len(origins))]
                    text = self._varied(text, rng)
                if at % SECTIONS_A_DOCUMENT == 0:
                    text = [*text, f"Ticket {identifier(number)}."]
                sections.append(f"## {heading}\n\n{' '.join(text)}\n")
            path = folder / self.place(number) / f"document-{number:05}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(sections), encoding="utf-8")

    def place(self, number: int) -> str:
        """The folder of a document."""
        if number * SECTIONS_A_DOCUMENT < self._originals:
            return "0-originals"
        return "1-hundredth" if number % 100 == 50 else "2-half" if number % 2 else "3-rest"

    def share(self, place: str) -> float:
        return sum(self.place(number) == place for number in range(self.documents)) / self.documents

    def questions(self, count: int) -> list[str]:
        """Parts of sentences, half of them Japanese, some as questions; never one that was given before."""
        found: list[str] = []
        while len(found) < count:
            if len(found) % 2:
                text = self._rng.choice(self.japanese)
                start = self._rng.randrange(max(1, len(text) - 20))
                question = self._rng.choice(JAPANESE_FORMS).format(text[start : start + self._rng.randint(8, 24)].strip("、。 "))
            else:
                words = self._rng.choice(self.english).split()
                start = self._rng.randrange(max(1, len(words) - 6))
                part = " ".join(words[start : start + self._rng.randint(3, 9)])
                question = self._rng.choice(ENGLISH_FORMS).format(part.strip(".,:; "))
            if question not in self._asked:
                self._asked.add(question)
                found.append(question)
        return found

    def identifiers(self, count: int) -> list[str]:
        """Identifiers that stand in one chunk each."""
        return [identifier(number) for number in self._rng.sample(range(self.documents), min(count, self.documents))]

    def _varied(self, sentences: Sequence[str], rng: random.Random) -> list[str]:
        """Other figures, and other sentences of the same language in the place of some; in another order."""
        pool = self.japanese if JAPANESE.search(sentences[0]) else self.english
        kept = [rng.choice(pool) if rng.random() < 0.4 else sentence for sentence in sentences]
        rng.shuffle(kept)
        return [re.sub(r"\d", lambda _: str(rng.randrange(10)), sentence) for sentence in kept]


def identifier(document: int) -> str:
    return f"KES-{document:06}"
