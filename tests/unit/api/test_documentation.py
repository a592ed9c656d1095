"""docs/api.md and docs/service.md name every route, and the first every error code, and none that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragd.api.application import create_api
from ragd.app.container import Application
from ragd.core.errors import RagError

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "api.md"
SERVICE = DOCUMENT.with_name("service.md")


def error_codes(error: type[RagError]) -> set[str]:
    return {error.code}.union(*(error_codes(child) for child in error.__subclasses__()))


@pytest.mark.slow
def test_every_route_is_documented(app: Application) -> None:
    own, service = DOCUMENT.read_text(encoding="utf-8"), SERVICE.read_text(encoding="utf-8")
    tables = own[own.index("## Routes") : own.index("## Query")], service[: service.index("## What holds")]
    own, service = (re.sub(r"\{\w+\}", "{}", table) for table in tables)
    for template, methods in create_api(app, token="x").openapi()["paths"].items():
        path = re.sub(r"\{\w+\}", "{}", template)
        table = own if path.startswith("/api/") else service
        tail = path if path in table else "/" + path.rpartition("/")[2]
        row = next((line for line in table.splitlines() if f"{tail}`" in line or f"{tail}?" in line), None)
        assert row, f"{path} is not documented"
        for method in methods:
            assert method.upper() in row, f"{method.upper()} {path} is not documented"


@pytest.mark.parametrize("code", sorted(error_codes(RagError)))
def test_every_error_code_is_documented(code: str) -> None:
    assert re.search(rf"`{code}`", DOCUMENT.read_text(encoding="utf-8"))
