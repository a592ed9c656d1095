"""Requests to the REST contract, as both clients make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import httpx2

MAX_PAGE_SIZE: Final = 100

LOCAL: Final = "http://127.0.0.1"
"""The base of a request whose connection knows the real address. The API takes only loopback hosts."""


def path(family: str, *segments: str) -> str:
    """The path of one thing of a family: `path("/api/documents", doc_id, "content")`.

    Agents choose ids, and the API decodes a path before it looks for the route. So it is not enough to quote an id: `%2F` would
    come out as a slash and lead to another route (`get_document_summary("ID/content")`), and `..` is resolved before it is sent.
    Here a slash arrives as the text `%2F`, which no id holds, and dots are quoted; the API then says that there is no such thing.
    """
    quoted = [quote(segment.replace("/", "%2F"), safe="", errors="replace").replace(".", "%2E") for segment in segments]
    return "/".join([family, *quoted])


def request(
    method: str,
    path: str,
    headers: Mapping[str, str],
    *,
    base_url: str = LOCAL,
    params: Mapping[str, Any] | None = None,
    body: Any = None,
) -> httpx2.Request:
    """A request; parameters that are None are left out."""
    given = {name: value for name, value in (params or {}).items() if value is not None}
    return httpx2.Request(method, f"{base_url}{path}", params=given, json=body, headers=dict(headers))
