"""A client that openapi-python-client makes of /openapi.json, at work on a running daemon."""

from __future__ import annotations

import importlib
import io
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from .conftest import Served

pytestmark = pytest.mark.e2e

_BOUND_S = 60.0
PACKAGE = "rag_client_of_the_tests"


@pytest.fixture(scope="module")
def generated(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """Imports a module of the client."""
    folder = tmp_path_factory.mktemp("generated")
    described = folder / "openapi.json"
    token = {"Authorization": f"Bearer {served.token}"}
    described.write_bytes(httpx2.get(f"{served.url}/openapi.json", headers=token, trust_env=False, timeout=300).content)
    # Without the generator's hooks, which would format the code.
    (folder / "config.yaml").write_text("post_hooks: []\n")
    program = Path(sys.executable).with_name("openapi-python-client")
    options = ["--path", str(described), "--output-path", str(folder / PACKAGE), "--meta", "none", "--fail-on-warning"]
    done = subprocess.run(
        [str(program), "generate", *options, "--config", str(folder / "config.yaml")],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()
    sys.path.insert(0, str(folder))
    yield lambda module: importlib.import_module(f"{PACKAGE}.{module}")
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def test_it_creates_uploads_waits_searches_and_deletes(served: Served, generated: Callable[[str], Any]) -> None:
    def call(operation: str, *path: str, **body: Any) -> Any:
        answer = generated(f"api.service_contract.{operation}").sync_detailed(*path, client=client, **body)
        return answer.status_code, answer.parsed

    models, types = generated("models"), generated("types")
    with generated("client").AuthenticatedClient(served.url, served.token, httpx_args={"trust_env": False}) as client:
        status, kb = call("create_knowledge_base", body=models.KnowledgeBaseCreate(name="Customer 17"))
        assert (status, kb.status) == (201, "enabled")
        file = types.File(payload=io.BytesIO(b"# Tender\n\nThe bid is due in May."), file_name="tender.md")
        status, accepted = call("upload_document", kb.id, body=models.UploadDocumentBody(file=file))
        assert (status, accepted.status) == (202, "processing")
        end = time.monotonic() + _BOUND_S
        while (document := call("get_knowledge_base_document", accepted.document_id)[1]).status == "processing":
            assert time.monotonic() < end
            time.sleep(0.05)
        assert (document.status, document.filename) == ("completed", "tender.md")
        status, hits = call("search", body=models.SearchBody(query="When is the bid due?", knowledge_base_id=kb.id))
        assert (status, [hit.filename for hit in hits]) == (200, ["tender.md"])
        assert call("delete_knowledge_base_document", document.id)[0] == 204
        status, gone = call("get_knowledge_base_document", document.id)
        assert (status, gone.error.code) == (410, "DOCUMENT_DELETED")
        status, started = call("delete_knowledge_base", kb.id)
        assert status == 202
        while (task := call("get_cleanup_task", started.cleanup_task_id)[1]).status not in ("completed", "failed"):
            assert time.monotonic() < end
            time.sleep(0.05)
        assert task.status == "completed"
