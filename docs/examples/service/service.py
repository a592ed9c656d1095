"""A knowledge base from its making to its end, by the service contract.

    pip install httpx
    RAG_URL=http://127.0.0.1:8765 RAG_TOKEN=… python service.py tender.pdf "When is the bid due?"

Every failure has the same shape, with a code that programs can rely on: {"error": {"code", "message", "request_id", "details"}}.
"""

import os
import sys
import time
from pathlib import Path

import httpx

FILE, QUESTION = Path(sys.argv[1]), sys.argv[2]


def call(method: str, path: str, **options):
    """What the daemon answers. 503 is worth another try, after as many seconds as it says; nothing else is."""
    for _ in range(5):
        answer = client.request(method, path, **options)
        if answer.status_code != 503:
            break
        time.sleep(float(answer.headers.get("Retry-After", "1")))
    if answer.is_error:
        error = answer.json()["error"]
        raise SystemExit(f"{error['code']}: {error['message']} (request {error['request_id']})")
    return answer.json() if answer.content else None


def until(path: str, done: set[str]):
    """The resource, once its status is one of these."""
    while (found := call("GET", path))["status"] not in done:
        time.sleep(0.2)
    return found


headers = {"Authorization": f"Bearer {os.environ['RAG_TOKEN']}"}
with httpx.Client(base_url=os.environ["RAG_URL"], headers=headers, timeout=60, trust_env=False) as client:
    kb = call("POST", "/knowledge_bases", json={"name": f"Customer of {time.time_ns()}", "description": "An example"})
    with FILE.open("rb") as file:
        accepted = call("POST", f"/knowledge_bases/{kb['id']}/documents", files={"file": (FILE.name, file)})
    document = until(f"/documents/{accepted['document_id']}", {"completed", "failed"})
    if document["status"] == "failed":
        raise SystemExit(f"{FILE.name} can't be read: {document['error_message']}")
    print(f"{document['filename']}: {document['chunk_count']} chunks")
    for hit in call("POST", "/search", json={"query": QUESTION, "knowledge_base_id": kb["id"], "top_k": 3}):
        print(f"{hit['score']:.2f}  {hit['filename']}#{hit['chunk_index']}  {' '.join(hit['chunk_text'].split())[:100]}")
    call("DELETE", f"/documents/{document['id']}")
    started = call("DELETE", f"/knowledge_bases/{kb['id']}")
    task = until(f"/cleanup_tasks/{started['cleanup_task_id']}", {"completed", "failed"})
    print(f"clean-up {task['status']}, {task['progress']['processed']} documents")
