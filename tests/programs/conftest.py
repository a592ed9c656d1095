"""One real daemon without any model, as other people's programs find it: by an address and a token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..e2e.conftest import Daemon, ended

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"


@dataclass(frozen=True)
class Served:
    """A running daemon; `document` is a file that is in its collection `default`."""

    url: str
    token: str
    document: Path

    @property
    def variables(self) -> dict[str, str]:
        return {"RAG_URL": self.url, "RAG_TOKEN": self.token}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("programs")
    document = folder / "tender.md"
    document.write_text("# Tender\n\nThe bid is due on the third of May.\n\n# Payment\n\nBills are paid within thirty days.\n")
    daemon = Daemon(folder / "data")
    try:
        info = daemon.info()
        with daemon.client() as client:
            job = client.post("/api/ingest", json={"paths": [str(document)]}).json()["job_id"]
            assert ended(client, job)["status"] == "completed"
        yield Served(info["url"], info["token"], document)
    finally:
        daemon.close()
