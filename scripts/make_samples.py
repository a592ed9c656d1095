"""Makes the samples of `data/samples/` that are no plain text; `--check` fails when the committed files differ.

The samples are documents about one imaginary product, Kestrel, written for this project and under its licence. They are what
the quickstart ingests and what `tests/golden/questions.yaml` asks about, so a change of a fact here needs a look there. There is
no README beside them: it would be ingested too.

Files are compared by what they hold: the entries of an archive (Office files, also inside each other) and the pixels of a PNG,
because the bytes around them depend on the zlib in use; everything else byte for byte. Dates and ids are fixed.

Pictures with Japanese text are drawn in a font that the machine must have. Where it is missing, or is another edition than the
one that drew the committed files, they are left as they are, and a line says so. What is drawn in English uses the font that
Pillow brings.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from samples import drawn, excel, pdf, powerpoint, text, word

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"


def documents() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every sample that can be made here."""
    for maker in (pdf, word, excel, powerpoint, text, drawn):
        yield from maker.documents()


def held(data: bytes) -> object:
    """What a file holds, free of how it is compressed."""
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: held(archive.read(name)) for name in archive.namelist()}
    if data.startswith(b"\x89PNG"):
        with Image.open(io.BytesIO(data)) as picture:
            return picture.mode, picture.size, picture.tobytes()
    return data


def is_current(path: Path, data: bytes) -> bool:
    """Whether the file at `path` holds what `data` holds."""
    return path.is_file() and held(path.read_bytes()) == held(data)


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the documents of data/samples/ that are no plain text.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file differs from what would be made")
    check = parser.parse_args().check
    if missing := drawn.missing_font():
        print(missing, file=sys.stderr)
    differing = []
    for name, data in documents():
        path = SAMPLES / name
        if is_current(path, data):
            continue
        differing.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    if differing and check:
        print(
            f"Differs from what scripts/make_samples.py makes: {', '.join(differing)}. Run it without --check.", file=sys.stderr
        )
    return 1 if differing and check else 0


if __name__ == "__main__":
    raise SystemExit(main())
