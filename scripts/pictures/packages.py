"""Files of Debian packages, which `apt-get` fetches: for pictures that nobody of the project made and that are not kept here."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path


class WrongPicture(Exception):
    """A package holds another picture than the one that somebody looked at."""


def extract(package: str, files: Mapping[Path, tuple[str, str]]) -> None:
    """Write files of a package: target -> path in the package and its SHA-256, of which the first digits are enough.

    Raises `WrongPicture` for another file than that, `FileNotFoundError` for none, `CalledProcessError` where the package can't
    be fetched. Files that were checked before stay.
    """
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["apt-get", "--quiet=2", "download", package], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(scratch).glob("*.deb")
        subprocess.run(["dpkg-deb", "--extract", str(archive), scratch], check=True)
        for target, (path, digest) in files.items():
            data = (Path(scratch) / path).read_bytes()
            if not hashlib.sha256(data).hexdigest().startswith(digest):
                raise WrongPicture(f"{package}: {path} is another picture than the one that was looked at")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
