"""Files in a bucket that speaks S3, and copies of those that this machine has used in the data directory.

The bucket has the layout of the data directory, so that copying its folders `assets` and `uploads` is the whole migration. A copy
is made after the bucket has the file: what is here is there. It can be removed at any time while nothing runs.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from ragd.core.files import put_in_place
from ragd.store.blobs.folder import BlobFolder, BlobsUnavailable

log = logging.getLogger(__name__)

_RETRIES: Final = 2
_CONNECT_S: Final = 5.0
_REFUSED: Final = re.compile(r"\b40[13] (?:Forbidden|Unauthorized)")


class S3Blobs:
    """A prefix of a bucket. It belongs to one database: what that does not name is removed after `orphan_s` seconds."""

    def __init__(
        self,
        folder: Path,
        bucket: str,
        prefix: str,
        *,
        endpoint: str,
        region: str,
        access_key: str,
        secret_key: str,
        timeout_s: float,
        orphan_s: float = 86_400.0,
    ) -> None:
        """Without keys the standard environment gives the credentials (`AWS_…`, a web identity, the machine's role).

        Until `orphan_s` after it came, a file may be of a row that another process is about to write.
        """
        given = {
            "endpoint": endpoint.rstrip("/"),
            "region": region,
            "access_key_id": access_key,
            "secret_access_key": secret_key,
        }
        self.elsewhere: str | None = f"s3://{bucket}/{prefix}"
        self._copies = BlobFolder(folder)
        self._orphan_s = orphan_s
        self._store = S3Store(
            bucket,
            prefix=prefix or None,
            config={name: value for name, value in given.items() if value},  # type: ignore[arg-type]
            client_options={
                "timeout": timedelta(seconds=timeout_s),
                "connect_timeout": timedelta(seconds=min(timeout_s, _CONNECT_S)),
                "allow_http": endpoint.startswith("http://"),
            },
            retry_config={"max_retries": _RETRIES, "retry_timeout": timedelta(seconds=timeout_s)},
        )

    @property
    def folder(self) -> Path:
        return self._copies.folder

    def put(self, key: str, data: bytes) -> None:
        found = self._head(key)
        if found is None or found[0] != len(data):
            with self._asking():
                obstore.put(self._store, key, data)
        self._copies.put(key, data)

    def keep(self, key: str) -> None:
        with self._asking():
            obstore.put(self._store, key, self.folder / key)

    def move(self, key: str, to: str) -> None:
        with self._asking():
            try:
                obstore.copy(self._store, key, to)
            except FileNotFoundError:
                self._require_bucket()
                return  # it was moved before
        # A copy of what was there before is of no use; that of the staged file would need the time of the new one.
        self._copies.remove(to)
        self.remove(key)

    def has(self, key: str) -> bool:
        return self._head(key) is not None

    def fetch(self, key: str, *, fixed: bool = False) -> Path | None:
        path = self.folder / key
        if fixed and path.exists():
            return path
        found = self._head(key)
        if found is None:
            return None
        size, modified = found
        # Another machine may have replaced the file: a copy has the time of its original.
        if not path.exists() or (path.stat().st_size, int(path.stat().st_mtime)) != (size, int(modified)):
            self._download(key, path, modified)
        return path

    def sizes(self, prefix: str) -> dict[str, int]:
        return {key: size for key, size, _ in self._list(prefix)}

    def remove(self, key: str) -> None:
        self._copies.remove(key)
        with self._asking():
            obstore.delete(self._store, key)

    def remove_below(self, prefix: str) -> None:
        self._copies.remove_below(prefix)
        self._remove_all([key for key, _, _ in self._list(prefix)])

    def sweep(self, prefix: str, is_wanted: Callable[[str], bool]) -> int:
        """As described; a bucket that does not answer is swept at another start."""
        self._copies.sweep(prefix, is_wanted)
        newest = datetime.now(UTC).timestamp() - self._orphan_s
        try:
            stray = [key for key, _, modified in self._list(prefix) if modified <= newest and not is_wanted(key)]
            self._remove_all(stray)
        except BlobsUnavailable as error:
            log.warning("the bucket could not be swept", extra={"reason": error.message})
            return 0
        return len(stray)

    def _download(self, key: str, path: Path, modified: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, staged = tempfile.mkstemp(dir=path.parent, prefix=".fetched-")
        try:
            with os.fdopen(descriptor, "wb") as file, self._asking():
                for piece in obstore.get(self._store, key):
                    file.write(piece)
            os.utime(staged, (modified, modified))
            put_in_place(Path(staged), path)
        except BaseException:
            Path(staged).unlink(missing_ok=True)
            raise

    def _head(self, key: str) -> tuple[int, float] | None:
        with self._asking():
            try:
                found = obstore.head(self._store, key)
            except FileNotFoundError:
                self._require_bucket()
                return None
        return found["size"], found["last_modified"].timestamp()

    def _require_bucket(self) -> None:
        """A missing bucket and a missing file are alike to some requests, not to a list."""
        next(iter(obstore.list(self._store, "none-of-ours")), None)

    def _list(self, prefix: str) -> list[tuple[str, int, float]]:
        with self._asking():
            pages = obstore.list(self._store, prefix, chunk_size=1000)
            return [(found["path"], found["size"], found["last_modified"].timestamp()) for page in pages for found in page]

    def _remove_all(self, keys: list[str]) -> None:
        if keys:
            with self._asking():
                obstore.delete(self._store, keys)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise BlobsUnavailable(f"{self.elsewhere}: the bucket or a file that was there is gone.") from error
        except (BaseError, PermissionError, TimeoutError) as error:
            if _REFUSED.search(str(error)):  # a list says it in words alone
                log.warning("the bucket refuses", extra={"reason": str(error)})
                raise BlobsUnavailable(
                    f"{self.elsewhere} refuses these credentials. Check blobs.access_key and blobs.secret_key, or the "
                    "environment's, and the rights to get, put, list and delete there."
                ) from error
            log.warning("the bucket does not answer", extra={"reason": str(error)})
            raise BlobsUnavailable(f"{self.elsewhere} does not answer. What was acknowledged is kept; try again.") from error
