"""`/docs`: the API described in one plain page, without scripts and without anything from another server."""

from __future__ import annotations

import html
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

router = APIRouter()

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 16px system-ui; max-width: 60em; margin: 2em auto; padding: 0 1em }}
td {{ padding: .2em 1em .2em 0 }}
</style></head>
<body><h1>{title} {version}</h1>
<p>Every address but <code>/health</code> needs <code>Authorization: Bearer TOKEN</code>.
The whole description, with every field, is at <a href="/openapi.json">/openapi.json</a>.</p>
{operations}</body></html>
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


@router.get("/docs", include_in_schema=False)
def _docs(request: Request) -> HTMLResponse:
    """Every operation with what it takes and gives."""
    described: dict[str, Any] = request.app.openapi()
    operations = "".join(
        _operation(method, path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    )
    info = described["info"]
    page = _PAGE.format(title=html.escape(info["title"]), version=html.escape(info["version"]), operations=operations)
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    rows = [(parameter["name"], parameter["in"], parameter["schema"]) for parameter in operation.get("parameters", ())]
    rows += [("body", kind, content["schema"]) for kind, content in operation.get("requestBody", {}).get("content", {}).items()]
    rows += [
        (status, kind, content["schema"])
        for status, answer in operation["responses"].items()
        for kind, content in answer.get("content", {}).items()
        if "schema" in content
    ]
    cells = "".join(
        f"<tr><td>{html.escape(str(name))}</td><td>{html.escape(kind)}</td><td>{html.escape(_type(schema))}</td></tr>"
        for name, kind, schema in rows
    )
    description = html.escape(operation.get("description", ""))
    return f"<h2><code>{method.upper()} {html.escape(path)}</code></h2><p>{description}</p><table>{cells}</table>"


def _type(schema: dict[str, Any]) -> str:
    """A schema in a few words: the name of a model, or a type."""
    if reference := schema.get("$ref"):
        return str(reference).rpartition("/")[2]
    if options := schema.get("anyOf"):
        return " or ".join(_type(option) for option in options)
    if values := schema.get("enum"):
        return " | ".join(str(value) for value in values)
    return str(schema.get("title") or schema.get("type") or "any")
