"""Prints what requests of the dashboard's pages take of the processor, over the rows that `rows.py` made.

    python scripts/bench/dashboard/rows.py FOLDER && python scripts/bench/dashboard/requests_cpu.py FOLDER [--times 5]

Processor time of the whole process, the client's part included, as the median of some. The first request of each is printed on
its own: it reads what is remembered until something is written.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Final

from starlette.testclient import TestClient

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.config.loading import Directories, load_settings

REQUESTS: Final = (
    "/api/status",  # makes what any first request does, which belongs to none of the others
    "/api/overview",
    "/api/documents?page_size=50",
    "/api/documents?page=500&page_size=50",
    "/api/documents?page=2000&page_size=50",
    "/api/documents?status=failed&page_size=20",
    "/api/documents?text=backup&page_size=50",
    "/api/documents?text=nowhere&page_size=50",
    "/api/documents/folders",
    "/api/traces?type=ingestion&page_size=50",  # writes what the requests before it left to be written
    "/api/traces?type=query&page_size=50",
    "/api/traces?type=query&text=lease&page_size=50",
)
_NO_MODEL: Final = {"embedding.provider": "fake", "dense.backend": "exact", "sparse.backend": "fts5", "captions.provider": "none"}


def _processor_ms(client: TestClient, address: str) -> float:
    begun = time.process_time()
    client.get(address).raise_for_status()
    return (time.process_time() - begun) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    folder = given.folder
    settings = load_settings(folder / "config", environment={}, explicit={**_NO_MODEL, "observability.keep_traces": 1_000_000})
    app = Application(settings, Directories(folder, folder / "models", folder / "config"))
    try:
        with TestClient(
            create_api(app, token="measured"), base_url="http://127.0.0.1", headers={"Authorization": "Bearer measured"}
        ) as client:
            print("first ms  then ms  request")
            for address in REQUESTS:
                first = _processor_ms(client, address)
                then = statistics.median(_processor_ms(client, address) for _ in range(given.times))
                print(f"{first:8.0f} {then:8.0f}  {address}")
    finally:
        app.close()


if __name__ == "__main__":
    main()
