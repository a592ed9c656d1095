"""`/docs`: the API described in one plain page, every field of it, without scripts and without anything from another server."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ragd.api.middleware.browser import COOKIE, LINK_PATH, SESSION_LIFETIME_S
from ragd.core.errors import Unauthorized

router = APIRouter(tags=["status"])

Schema = Mapping[str, Any]

_STATUS = {"default": "Any failure"}
_LIMITS = {"minimum": "from", "maximum": "to", "minLength": "of at least", "maxLength": "of at most", "pattern": "like"}

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 15px/1.5 system-ui; max-width: 70em; margin: 2em auto; padding: 0 1em }}
nav {{ columns: 22em }} nav a {{ display: block; white-space: nowrap }}
h2 {{ margin: 2.5em 0 0; padding-top: .6em; border-top: 1px solid #8884 }}
h3 {{ margin: 1.2em 0 0; font-size: 1em }}
table {{ border-collapse: collapse; margin: .3em 0 }}
td {{ padding: .15em 1em .15em 0; vertical-align: top; border-bottom: 1px solid #8882 }}
td td {{ border: 0 }}
code {{ font: .93em ui-monospace, monospace }}
</style></head>
<body><h1>{title} {version}</h1>
<p>Every address but <code>/health</code> needs <code>Authorization: Bearer TOKEN</code>.
The same for programs is at <a href="/openapi.json">/openapi.json</a>. Fields marked * are required, or always there.</p>
<nav>{contents}</nav>
{operations}<h2 id="models">Models</h2>{models}</body></html>
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


class BrowserLink(BaseModel):
    path: str = Field(description="Behind the daemon's URL; it works once, within two minutes.")


@router.post("/api/browser-link", status_code=201, operation_id="browser_link")
def browser_link(request: Request) -> BrowserLink:
    """A link by which a browser gets to `/docs` without the token."""
    return BrowserLink(path=request.app.state.browser.new_link())


@router.get(LINK_PATH, include_in_schema=False)
def _open(request: Request, code: str = "") -> Response:
    """Exchange a link for a cookie, and go on to the page."""
    cookie = request.app.state.browser.exchange(code)
    if cookie is None:
        raise Unauthorized("This link was used already, or is too old. `rag docs` gives another one.")
    answer = RedirectResponse("/docs", 303, headers={"Referrer-Policy": "no-referrer"})
    answer.set_cookie(COOKIE, cookie, max_age=round(SESSION_LIFETIME_S), httponly=True, samesite="strict")
    return answer


@router.get("/docs", include_in_schema=False)
def _docs(request: Request) -> HTMLResponse:
    """Every operation with what it takes and gives, and every model with its fields."""
    described: dict[str, Any] = request.app.openapi()
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    models = described["components"]["schemas"]
    page = _PAGE.format(
        title=html.escape(described["info"]["title"]),
        version=html.escape(described["info"]["version"]),
        contents="".join(f'<a href="#{_anchor(name)}"><code>{html.escape(name)}</code></a>' for name, _ in operations),
        operations="".join(_operation(name, operation, models) for name, operation in operations),
        models="".join(_model(name, schema) for name, schema in sorted(models.items())),
    )
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY, "Referrer-Policy": "no-referrer"})


def _operation(name: str, operation: Schema, models: Schema) -> str:
    parameters = [
        (parameter["name"], parameter["schema"], parameter.get("description", ""), parameter.get("required", False))
        for parameter in operation.get("parameters", ())
    ]
    parts = [_table("Parameters", parameters)]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(f"<h3>Body <code>{html.escape(kind)}</code></h3>{_whole(content['schema'], models)}")
    for status, answer in operation["responses"].items():
        for kind, content in answer.get("content", {}).items():
            schema = content.get("schema") or content.get("itemSchema") or {}
            shown = _type(schema) if status == "default" else _whole(schema, models)
            parts.append(f"<h3>{html.escape(_STATUS.get(status, status))} <code>{html.escape(kind)}</code></h3>{shown}")
    title = f'<h2 id="{_anchor(name)}"><code>{html.escape(name)}</code></h2>'
    return f"{title}<p>{_text(operation.get('description', ''))}</p>{''.join(parts)}"


def _whole(schema: Schema, models: Schema) -> str:
    """A schema as `_type` shows it; where it is a model, with its fields."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return f"{_type(schema)}{_type(models[name])}" if name else _type(schema)


def _model(name: str, schema: Schema) -> str:
    title = f'<h3 id="{_anchor(name)}"><code>{html.escape(name)}</code></h3>'
    return f"{title}{_text(schema.get('description', ''))}<div>{_type(schema)}</div>"


def _type(schema: Schema) -> str:
    """A schema: the link of a model, the fields of an object, else a type in a few words."""
    if reference := schema.get("$ref"):
        name = str(reference).rpartition("/")[2]
        return f'<a href="#{_anchor(name)}">{html.escape(name)}</a>'
    if within := schema.get("contentSchema"):
        return f"{_type(within)}, as JSON"
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return " or ".join(dict.fromkeys(_type(option) for option in options))
    if fields := schema.get("properties"):
        return _table("", list(_fields(fields, schema.get("required", ()))))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " | ".join(f"<code>{html.escape(str(value))}</code>" for value in values)
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if isinstance(values := schema.get("additionalProperties"), Mapping):
        return f"object of {_type(values)}"
    limits = [f"{word} {schema[key]}" for key, word in _LIMITS.items() if key in schema]
    return html.escape(", ".join([str(schema.get("type", "any")), *limits]))


def _fields(fields: Schema, required: object) -> Iterator[tuple[str, Schema, str, bool]]:
    for name, schema in fields.items():
        default = schema.get("default")
        note = "" if default in (None, "", [], {}) else f" Default: {default}."
        yield name, schema, f"{schema.get('description', '')}{note}", isinstance(required, list) and name in required


def _table(title: str, rows: list[tuple[str, Schema, str, bool]]) -> str:
    if not rows:
        return ""
    cells = "".join(
        f"<tr><td><code>{html.escape(name)}</code>{'*' if required else ''}</td>"
        f"<td>{_type(schema)}</td><td>{_text(text)}</td></tr>"
        for name, schema, text, required in rows
    )
    return f"{f'<h3>{title}</h3>' if title else ''}<table>{cells}</table>"


def _text(text: str) -> str:
    """Prose; what stands between backticks is code."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))


def _anchor(name: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in name).strip("-")
