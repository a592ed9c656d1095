"""The tools as they are listed: their names, what a model reads of them, and how much that is."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable
from functools import cache
from typing import Any, Literal

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference, Tool

from ragd.config.service import McpSettings
from ragd.core.errors import ServiceUnavailable
from ragd.mcp.library import Library
from ragd.mcp.server import LibraryServer
from ragd.mcp.tools import tools_of

WHOLE_LIST = 60_000
"""Bytes. Result schemas, which clients keep to themselves, are two thirds."""

READ_BY_MODELS = 24_000
"""Bytes of names, descriptions and input schemas: about 6,000 tokens of each conversation."""


class Nobody:
    """A connection over which nobody answers."""

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        raise ServiceUnavailable(f"Nobody answers {request.url.path}.")


@cache
def server(tool_names: Literal["flat", "library"] = "flat") -> LibraryServer:
    return LibraryServer(Library(Nobody(), McpSettings(enabled=True, tool_names=tool_names)))


def listed(tool_names: Literal["flat", "library"] = "flat") -> list[Tool]:
    return anyio.run(server(tool_names).list_tools)


@cache
def rows() -> list[Any]:
    return tools_of(Library(Nobody(), McpSettings()))


async def error_of(asked: Awaitable[Any]) -> MCPError:
    """The error of the protocol with which a request is answered. Caught here, since the client would put it into a group."""
    with pytest.raises(MCPError) as caught:
        await asked
    return caught.value


def test_each_setting_lists_one_name_of_each_tool() -> None:
    assert [tool.name for tool in listed()] == [row.name for row in rows()]
    assert [tool.name for tool in listed("library")] == [row.library_name for row in rows()]
    assert all(tool.name.startswith("library.") for tool in listed("library"))
    assert len({name for row in rows() for name in (row.name, row.library_name)}) == 2 * len(rows())


@pytest.mark.parametrize("tool_names", ["flat", "library"])
def test_both_names_of_every_tool_are_answered(tool_names: Literal["flat", "library"]) -> None:
    async def conversation() -> list[tuple[str, Any]]:
        async with Client(server(tool_names)) as client:
            names = [name for row in rows() for name in (row.name, row.library_name)]
            # No argument is right: a tool answers so, and what is no tool is an error of the protocol.
            return [(name, await client.call_tool(name, {"no_such_argument": 1})) for name in names]

    for name, result in anyio.run(conversation):
        assert result.structured_content["error"]["code"] == "VALIDATION_ERROR", name


def test_texts_speak_of_tools_by_their_listed_names() -> None:
    tools = {tool.name: tool for tool in listed("library")}
    assert "Use library.query for questions" in (tools["library.search_by_keyword"].description or "")
    assert "library.list_collections" in tools["library.query"].input_schema["properties"]["collection"]["description"]
    told = json.dumps([[tool.description, tool.input_schema, tool.output_schema] for tool in tools.values()])
    flat = [row.name for row in rows() if "_" in row.name]
    assert re.findall(rf"(?<![\w.])(?:{'|'.join(flat)})\b", told) == []
    assert "library.query first" in (server("library").instructions or "")


@pytest.mark.parametrize("tool", listed(), ids=lambda tool: tool.name)
def test_a_tool_says_all_that_a_client_shows_and_a_model_needs(tool: Tool) -> None:
    assert tool.title
    assert tool.annotations is not None
    hints = (tool.annotations.read_only_hint, tool.annotations.destructive_hint, tool.annotations.idempotent_hint)
    assert None not in hints
    assert not (tool.annotations.read_only_hint and tool.annotations.destructive_hint)
    assert 80 <= len(tool.description or "") <= 900
    assert tool.output_schema is not None
    assert tool.output_schema["type"] == "object"


SAYS_ALL = {"page", "page_size", "include_summary", "recursive"}


@pytest.mark.parametrize("tool", listed(), ids=lambda tool: tool.name)
def test_every_argument_is_described_where_its_name_does_not_say_all(tool: Tool) -> None:
    for name, schema in tool.input_schema.get("properties", {}).items():
        assert name in SAYS_ALL or len(schema.get("description", "")) >= 10, name


def test_only_what_removes_something_is_called_destructive() -> None:
    marked = {tool.name: tool.annotations for tool in listed()}
    destructive = [name for name, hints in marked.items() if hints and hints.destructive_hint]
    assert destructive == ["delete_document"]
    assert [name for name, hints in marked.items() if hints and not hints.read_only_hint] == ["ingest", "delete_document"]


def test_the_list_of_tools_stays_small() -> None:
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed()]
    assert len(json.dumps(tools, separators=(",", ":"))) < WHOLE_LIST
    for tool in tools:
        tool.pop("outputSchema")
    assert len(json.dumps(tools, separators=(",", ":"))) < READ_BY_MODELS


def test_schemas_hold_no_titles_made_from_names_and_no_null_that_may_be_left_out() -> None:
    def schemas(value: Any, *, of_names: bool = False) -> list[dict[str, Any]]:
        if isinstance(value, list):
            return [found for item in value for found in schemas(item)]
        if not isinstance(value, dict):
            return []
        inner = [found for key, item in value.items() for found in schemas(item, of_names=key in ("properties", "$defs"))]
        return inner if of_names else [value, *inner]

    for tool in listed():
        for schema in schemas(tool.input_schema) + schemas(tool.output_schema):
            assert not isinstance(schema.get("title"), str), (tool.name, schema)
            assert schema.get("default", 0) is not None, (tool.name, schema)
            assert "prefixItems" not in schema, (tool.name, schema)


def test_an_unknown_tool_is_an_error_of_the_protocol_with_the_nearest_name() -> None:
    async def conversation() -> MCPError:
        async with Client(server()) as client:
            return await error_of(client.call_tool("query_knowledge_hut", {"query": "x"}))

    error = anyio.run(conversation)
    assert (error.code, error.data["code"]) == (-32602, "NOT_FOUND")
    assert "Did you mean 'query_knowledge_hub'?" in error.message


def test_a_daemon_that_is_gone_is_a_result_that_says_to_try_again() -> None:
    async def conversation() -> Any:
        async with Client(server()) as client:
            return await client.call_tool("query_knowledge_hub", {"query": "x"})

    result = anyio.run(conversation)
    assert result.is_error
    assert result.structured_content["retryable"] is True
    assert result.content[0].text.startswith("SERVICE_UNAVAILABLE: Nobody answers")


class Broken:
    """A connection with a fault of its own."""

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        raise ZeroDivisionError(f"inside of {request.url.path}")


@pytest.mark.parametrize("how", ["auto", "legacy"])
def test_a_crash_tells_nothing_of_the_inside_and_is_logged_under_its_trace(how: str, caplog: pytest.LogCaptureFixture) -> None:
    async def conversation() -> tuple[Any, list[MCPError]]:
        async with Client(LibraryServer(Library(Broken(), McpSettings())), mode=how) as client:
            completion = client.complete(ResourceTemplateReference(uri="doc://{id}"), {"name": "id", "value": ""})
            asked = [client.read_resource("doc://x"), client.list_resources(), completion]
            return await client.call_tool("list_collections", {}), [await error_of(one) for one in asked]

    result, errors = anyio.run(conversation)
    assert result.structured_content["error"]["code"] == "INTERNAL_ERROR"
    assert [(error.code, error.data["code"]) for error in errors] == [(-32603, "INTERNAL_ERROR")] * 3
    assert "inside of" not in result.content[0].text + "".join(error.message for error in errors)
    traces = [result.structured_content["trace_id"], *(error.data["trace_id"] for error in errors)]
    logged = {getattr(record, "trace_id", ""): record.exc_info for record in caplog.records if record.exc_info}
    assert all("inside of" in str(logged[trace_id]) for trace_id in traces)
