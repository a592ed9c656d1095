"""The PostgreSQL of the tests: what other tests count on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ...postgres_server.server import PostgresServer

pytestmark = pytest.mark.slow

_KILLED = """
import os
from tests.postgres_server.server import PostgresServer
print(PostgresServer().folder, flush=True)
os.kill(os.getpid(), 9)
"""


def test_it_is_real_has_pgvector_and_listens_on_no_port(postgres_server: PostgresServer, postgres_database: str) -> None:
    postgres_server.run(postgres_database, "CREATE EXTENSION vector")
    assert postgres_server.run(postgres_database, "SELECT '[1,2]'::vector <-> '[1,4]'") == [(2.0,)]
    assert postgres_server.run(postgres_database, "SHOW listen_addresses") == [("",)]
    assert int(postgres_server.run(postgres_database, "SHOW server_version_num")[0][0]) >= 150_000


def test_a_database_is_a_copy_of_its_template(postgres_server: PostgresServer, postgres_database: str) -> None:
    postgres_server.run(postgres_database, "CREATE TABLE kept AS SELECT 7 AS number")
    copy = postgres_server.create(postgres_database)
    postgres_server.run(postgres_database, "DROP TABLE kept")
    assert postgres_server.run(copy, "SELECT number FROM kept") == [(7,)]
    postgres_server.drop(copy)


def test_it_goes_with_a_process_that_is_killed(project_root: Path) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED], cwd=project_root, capture_output=True, encoding="utf-8", timeout=600, check=False
    )
    folder = Path(killed.stdout.strip())
    assert killed.returncode != 0
    assert folder.name.startswith("rag-postgres-"), killed.stderr
    end = time.monotonic() + 600
    while folder.exists():
        assert time.monotonic() < end, os.listdir(folder)
        time.sleep(0.05)
