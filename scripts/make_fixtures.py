"""Makes the test documents of `tests/data/` that LibreOffice writes; `tests/data/README.md` says what comes from where.

python scripts/make_fixtures.py [WORD ...]      only what has one of the words in its path, such as `powerpoint`

Needs soffice on the PATH (7.4 was used) and, for the PDF files, the Debian packages fonts-dejavu-core and fonts-noto-cjk. Sources
are flat OpenDocument files, text beside their results. No test runs this: LibreOffice writes other bytes each time, and another
edition writes other structures. When a file was made anew, look at the expected facts beside it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
TARGETS = {".fodt": ("docx:MS Word 2007 XML", "odt:writer8"), ".fodp": ("pptx:Impress MS PowerPoint 2007 XML",)}
"""What a source becomes where it stands. Spreadsheets and PDF files have makers of their own, `make.py` in their folders."""
TIMEOUT_S = 300


def sources(words: Sequence[str]) -> list[Path]:
    """Sources and makers under `tests/data/`, sorted; with `words`, those that have one of them in their path."""
    found = sorted(path for path in DATA.glob("*/*") if path.suffix in TARGETS or path.name == "make.py")
    return [path for path in found if not words or any(word in path.relative_to(DATA).as_posix() for word in words)]


def convert(source: Path, profile: Path) -> None:
    """Write the source's Office files beside it. Raises `CalledProcessError`, `TimeoutExpired`."""
    for target in TARGETS[source.suffix]:
        subprocess.run(
            [
                "soffice", f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", target,
                "--outdir", str(source.parent), str(source),
            ],
            check=True,
            timeout=TIMEOUT_S,
        )  # fmt: skip


def main(words: Sequence[str]) -> int:
    if shutil.which("soffice") is None:
        print("soffice is not on the PATH: install LibreOffice (Debian package libreoffice).", file=sys.stderr)
        return 2
    chosen = sources(words)
    if not chosen:
        print(f"Nothing under {DATA} has any of these words in its path: {' '.join(words)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for path in chosen:
            print(path.relative_to(DATA))
            if path.name == "make.py":
                subprocess.run([sys.executable, path.name], cwd=path.parent, check=True, timeout=2 * TIMEOUT_S)
            else:
                convert(path, Path(folder) / "profile")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
