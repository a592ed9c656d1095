"""The examples of docs/examples/service and docs/examples/retrievers, run as they are against a daemon."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import EXAMPLES, ROOT, Served

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(os.name == "nt", reason="run by a shell")]

SERVICE = EXAMPLES / "service"
RETRIEVERS = EXAMPLES / "retrievers"
ESBUILD = ROOT / "extension" / "node_modules" / ".bin" / "esbuild"
FRAMEWORKS = ROOT / ".venv-frameworks" / "bin" / "python"
QUESTION = "When is the bid due?"


def run(command: list[str], served: Served, **more: str) -> str:
    """What it prints. It gets an environment in which nothing else leads to a daemon, or to a proxy."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAG_") and "proxy" not in name.lower()}
    done = subprocess.run(
        command, env=own | served.variables | more, capture_output=True, encoding="utf-8", check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(printed: str) -> None:
    first, *hits, last = printed.splitlines()
    assert first == "tender.md: 2 chunks"
    assert any("tender.md#0" in hit and "The bid is due" in hit for hit in hits)
    assert last == "clean-up completed, 1 documents"


def test_the_service_in_python(served: Served) -> None:
    check(run([sys.executable, str(SERVICE / "service.py"), str(served.document), QUESTION], served))


def test_the_service_in_typescript(served: Served, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or not ESBUILD.exists():
        pytest.skip("Node.js and extension/node_modules are needed; scripts/test.py installs these")
    # As any version of Node.js runs it; newer ones strip the types themselves.
    made = str(tmp_path / "service.mjs")
    run([str(ESBUILD), str(SERVICE / "service.ts"), "--format=esm", f"--outfile={made}", "--log-level=warning"], served)
    check(run([node, made, str(served.document), QUESTION], served))


def test_the_service_by_curl(served: Served) -> None:
    if shutil.which("curl") is None or shutil.which("jq") is None:
        pytest.skip("curl and jq are needed")
    if "--json" not in subprocess.run(["curl", "--help", "all"], capture_output=True, encoding="utf-8", check=False).stdout:
        pytest.skip("this curl is older than 7.82")
    check(run(["sh", str(SERVICE / "service.sh"), str(served.document), QUESTION], served))


# How each framework's own code calls its retriever; what comes back as (text, source).
_CALLS = {
    "langchain": "[(d.page_content, d.metadata['source']) for d in made.RagAssistantRetriever().invoke(question)]",
    "llama_index": "[(n.text, n.metadata['source']) for n in made.RagAssistantRetriever().retrieve(question)]",
    "haystack": "[(d.content, d.meta['source']) for d in piped(made.RagAssistantRetriever())]",
    "dspy": "list(zip((found := made.RagAssistantRetriever()(question)).passages, found.sources))",
}
# Whoever leaves this machine is noted and refused, in the frameworks' own threads, too.
_DRIVER = """
import importlib, json, socket, sys, warnings
folder, name, question, call = sys.argv[1:]
left = []
def guarded(own):
    def connect(self, address):
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "localhost", "::1"):
            left.append(repr(address)); raise OSError("refused by the test")
        return own(self, address)
    return connect
def look_up(host, *more, own=socket.getaddrinfo, **named):
    if host not in (None, "127.0.0.1", "localhost", "::1"):
        left.append(repr(host)); raise OSError("refused by the test")
    return own(host, *more, **named)
socket.socket.connect, socket.getaddrinfo = guarded(socket.socket.connect), look_up
def piped(retriever):
    from haystack import Pipeline
    pipeline = Pipeline()
    pipeline.add_component("retriever", retriever)
    return pipeline.run({"retriever": {"query": question}})["retriever"]["documents"]
sys.path.insert(0, folder)
made = importlib.import_module(f"{name}_retriever")
print(json.dumps({"found": eval(call), "left": left}))
"""
# Each framework's switch against telling somebody of its use, or fetching a table of prices.
_QUIET = {"HAYSTACK_TELEMETRY_ENABLED": "False", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LANGSMITH_TRACING": "false"}


@pytest.mark.parametrize("framework", _CALLS)
def test_a_retriever_of_a_framework(served: Served, framework: str, tmp_path: Path) -> None:
    if not FRAMEWORKS.exists():
        pytest.skip("the frameworks are not installed: scripts/test.py makes .venv-frameworks/")
    quiet = {**_QUIET, "HOME": str(tmp_path), "DSPY_CACHEDIR": str(tmp_path), "NLTK_DATA": str(tmp_path)}
    command = [str(FRAMEWORKS), "-c", _DRIVER, str(RETRIEVERS), framework, QUESTION, _CALLS[framework]]
    answer: dict[str, Any] = json.loads(run(command, served, **quiet).splitlines()[-1])
    assert answer["left"] == []
    texts, sources = zip(*answer["found"], strict=True)
    assert any("third of May" in text for text in texts)
    assert set(sources) == {"tender.md"}


@pytest.mark.parametrize("file", sorted(RETRIEVERS.glob("*.py")), ids=lambda file: file.stem)
def test_a_retriever_is_short(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= 40
