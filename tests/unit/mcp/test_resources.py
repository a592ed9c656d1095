"""What agents read by address."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp.client import Client
from mcp.shared.uri_template import UriTemplate
from starlette.testclient import TestClient

from ragd.config.service import McpSettings
from ragd.mcp import resources
from ragd.mcp.library import Library
from ragd.mcp.server import LibraryServer

from ...mcp.messages import reply, today
from ..api.asked_cloud import MARKERS, OTHER, READER
from .reading_agent import NAMES, PICTURE, Bearing, Reader, reading


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with reading(tmp_path_factory.mktemp("resources")) as made:
        yield made


async def listed(client: Client) -> dict[str, Any]:
    return {resource.uri: resource for resource in (await client.list_resources()).resources}


@pytest.mark.slow
def test_each_collection_is_a_resource_as_it_is_now(reader: Reader) -> None:
    found = reader.talk(listed)
    assert {resource.name for resource in found.values()} == {"default", *NAMES}
    assert "collection://%E7%B5%8C%E8%B2%BB%20%E8%A6%8F%E7%A8%8B" in found
    reader.cloud.client.post("/api/collections", json={"name": "later"})
    assert "collection://later" in reader.talk(listed)
    reader.cloud.client.delete("/api/collections/later")
    assert "collection://later" not in reader.talk(listed)


@pytest.mark.parametrize("name", NAMES)
def test_every_listed_collection_can_be_read(reader: Reader, name: str) -> None:
    uri = f"collection://{quote(name, safe='')}"
    assert uri in reader.talk(listed)
    found = reader.contents(uri)
    assert found.mime_type == "text/markdown"
    assert "About" in found.text
    assert re.search(r"\d documents?, \d passages?\.", found.text)


def test_a_collection_names_its_documents_with_their_addresses(reader: Reader) -> None:
    (doc_id,) = reader.ids(NAMES[0]).values()
    text = reader.contents("collection://経費 規程").text
    assert f"- [経費](doc://{doc_id}) (経費.md, markdown)" in text
    assert "Shown \\[1\\]](doc://" in reader.contents("collection://default").text


def test_a_collection_of_many_documents_says_how_many_it_left_out(reader: Reader, tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{'long-name-' * 8}{number}.md").write_text(f"# Number {number}\n\nText.\n", encoding="utf-8")
    reader.read([tmp_path], NAMES[1])
    text = reader.contents(f"collection://{NAMES[1]}").text
    shown = text.count("](doc://")
    assert len(text) <= reader.max_chars
    assert 0 < shown < 20
    assert text.endswith(f"- … and {20 - shown} more: list_documents, with a token where one is needed.")


def test_a_collection_is_found_by_a_name_in_lower_case_when_no_other_has_it(reader: Reader) -> None:
    assert "HR..policies" in reader.contents("collection://hr..policies").text


def test_a_document_is_read_as_markdown(reader: Reader) -> None:
    found = reader.contents(f"doc://{reader.ids()['shown.md']}")
    assert found.mime_type == "text/markdown"
    assert found.text.startswith("# Shown [1]\n")


def test_a_long_document_ends_with_how_to_read_on(reader: Reader) -> None:
    doc_id = reader.ids()["long.md"]
    text, _, last = reader.contents(f"doc://{doc_id}").text.rpartition("\n\n")
    assert len(text) <= reader.max_chars
    assert last.endswith(f"get_document with doc_id {doc_id}, offset {len(text)})")
    whole = reader.cloud.client.get(f"/api/documents/{doc_id}/content").json()["markdown"]
    assert whole.startswith(text)
    assert f"{len(whole) - len(text)} more characters" in last


def test_a_picture_is_read_as_its_bytes_unless_there_are_too_many(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    found = reader.cloud.client.post("/api/query", json={"query": "A picture photo", "top_k": 5}).json()
    (asset_id,) = {image["asset_id"] for result in found["results"] for image in result["images"]}
    picture = reader.contents(f"asset://{asset_id}")
    assert picture.mime_type == "image/png"
    assert base64.b64decode(picture.blob) == PICTURE
    monkeypatch.setattr(resources, "MAX_BYTES", len(PICTURE) - 1)
    error = reader.refusal(f"asset://{asset_id}")
    assert (error.code, error.data["code"]) == (-32602, "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize("token", [None, OTHER])
def test_what_needs_a_token_is_read_with_it_alone(reader: Reader, token: str | None) -> None:
    secret = reader.cloud.documents()[reader.cloud.secret_page]
    uri = f"doc://{secret}"
    assert "zebrafish" in reader.contents(uri, READER).text
    assert reader.refusal(uri, token).data["code"] == "DOCUMENT_NOT_FOUND"
    text = reader.contents("collection://default", token).text
    assert secret not in text
    assert not any(marker in text for marker in MARKERS)
    assert "Falkenstein" in reader.contents("collection://default", READER).text


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("doc://0123456789abcdef0123456789abcdef", "DOCUMENT_NOT_FOUND"),
        ("doc://..", "DOCUMENT_NOT_FOUND"),
        ("doc://..%2F..%2Fapi%2Fstatus%3F", "DOCUMENT_NOT_FOUND"),
        ("doc://%2Fetc%2Fpasswd", "DOCUMENT_NOT_FOUND"),
        ("asset://%2e%2e%2fstatus", "ASSET_NOT_FOUND"),
        ("asset://none", "ASSET_NOT_FOUND"),
        ("collection://none", "KNOWLEDGE_BASE_NOT_FOUND"),
        ("doc://", "NOT_FOUND"),
        ("doc://a/b", "NOT_FOUND"),
        ("file:///etc/passwd", "NOT_FOUND"),
        ("http://127.0.0.1:9/api/status", "NOT_FOUND"),
        ("not an address", "NOT_FOUND"),
    ],
)
def test_what_is_not_there_is_an_error_with_our_code(reader: Reader, uri: str, code: str) -> None:
    newest, older = reader.refusal(uri), reader.refusal(uri, mode="legacy")
    assert newest.code == -32602
    assert older.code == -32002
    for error in (newest, older):
        assert (error.data["code"], error.data["uri"]) == (code, uri)
        assert error.data["trace_id"]


def test_templates_are_listed_and_take_the_names_of_their_resources(reader: Reader) -> None:
    async def conversation(client: Client) -> list[Any]:
        return (await client.list_resource_templates()).resource_templates

    templates = {template.uri_template: template for template in reader.talk(conversation)}
    assert set(templates) == {"asset://{id}", "doc://{id}", "collection://{name}"}
    assert all(template.title and template.description for template in templates.values())
    for name in NAMES:
        assert UriTemplate.parse("collection://{name}").expand({"name": name}) in reader.talk(listed)


def test_an_answer_links_to_the_documents_that_it_cites(reader: Reader) -> None:
    async def conversation(client: Client) -> Any:
        return await client.call_tool("query_knowledge_hub", {"query": "long text line", "top_k": 10})

    result = reader.talk(conversation)
    links = [block for block in result.content if block.type == "resource_link"]
    assert result.content[0].type == "text"
    cited = {row["doc_id"]: row["title"] for row in result.structured_content["citations"]}
    assert {link.uri: link.title for link in links} == {f"doc://{doc_id}": title for doc_id, title in cited.items()}
    assert len(links) == len(cited)
    assert reader.contents(links[0].uri).text


@pytest.mark.slow
def test_the_token_of_each_request_decides_by_http_too(reader: Reader) -> None:
    server = LibraryServer(Library(Bearing(reader.cloud.client.app, {}), McpSettings()))
    secret = reader.cloud.documents()[reader.cloud.secret_page]
    uri = f"doc://{secret}"
    read = today("resources/read", uri=uri)
    read["headers"]["Mcp-Name"] = uri
    finish = today(
        "completion/complete", ref={"type": "ref/resource", "uri": "doc://{id}"}, argument={"name": "id", "value": secret}
    )
    with TestClient(server.streamable_http_app(), base_url="http://127.0.0.1:8765") as http:

        def asked(request: dict[str, Any], token: str | None) -> dict[str, Any]:
            return reply(http.post("/mcp", json=request["json"], headers=request["headers"] | reader.cloud.headers(token)))

        for token in (None, OTHER):
            assert asked(read, token)["error"]["data"]["code"] == "DOCUMENT_NOT_FOUND"
            assert asked(finish, token)["result"]["completion"]["values"] == []
        assert "zebrafish" in asked(read, READER)["result"]["contents"][0]["text"]
        assert asked(finish, READER)["result"]["completion"]["values"] == [secret]
