"""Fetches the pictures of `others.tsv`, which nobody of the project made: `python -m pictures.others FOLDER` in scripts/.

They stand in documentation packages of Debian, whose client `apt-get` fetches them; the licences are the packages' own, and no
picture is kept in the repository. FOLDER gets a folder for each type, as `route` and `train_routing` take them. Each row names a
package, a file in it, and what somebody who looked at it saw. None of them took part in the training of the routing, so that
`python -m pictures.route FOLDER` says how well types of strange pictures are told.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

TABLE = Path(__file__).with_suffix(".tsv")


def rows() -> list[tuple[str, str, str]]:
    """Package, path in it, type."""
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        package, path, kind = line.split("\t")
        found.append((package, path, kind))
    return found


def main(folder: Path) -> None:
    wanted: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for package, path, kind in rows():
        wanted[package].append((path, kind))
    for package, files in wanted.items():
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run(["apt-get", "--quiet=2", "download", package], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
            (archive,) = Path(scratch).glob("*.deb")
            subprocess.run(["dpkg-deb", "--extract", str(archive), scratch], check=True)
            for path, kind in files:
                target = folder / kind / f"{package}-{Path(path).name}"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes((Path(scratch) / path).read_bytes())
        print(f"{package}: {len(files)} pictures", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
