"""Which blob store the settings name."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from ragd.config.secrets import resolve
from ragd.config.service import BlobsSettings
from ragd.core.errors import SettingsError
from ragd.store.blobs.folder import BlobFolder, BlobStore


def open_blobs(settings: BlobsSettings, folder: Path) -> BlobStore:
    """The data directory `folder`, or the bucket of `blobs.url` with copies in it. Asks nothing yet. Raises `SettingsError`."""
    if not settings.url:
        return BlobFolder(folder)
    if bool(settings.access_key) != bool(settings.secret_key):
        raise SettingsError("blobs.access_key and blobs.secret_key go together.")
    try:
        from ragd.store.blobs.s3 import S3Blobs
    except ModuleNotFoundError as error:
        raise SettingsError("blobs.url needs a package that is not installed. Run: rag extras add s3") from error
    url = urlsplit(settings.url)
    return S3Blobs(
        folder,
        url.netloc,
        url.path.strip("/"),
        endpoint=settings.endpoint,
        region=settings.region,
        access_key=resolve(settings.access_key, "blobs.access_key"),
        secret_key=resolve(settings.secret_key, "blobs.secret_key"),
        timeout_s=settings.timeout_s,
    )
