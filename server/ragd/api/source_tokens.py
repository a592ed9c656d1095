"""The asking user's tokens for cloud sources: `X-RAG-Source-Token: <source id>=<token>`, repeated for several sources.

In one header several stand with commas between them: clients join repeated headers (RFC 9110, 5.3), and no token has a comma.
They are held for the one request. They never stand in an address, a log, a trace or an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import Depends, Request

from ragd.api.middleware.headers import SOURCE_TOKEN
from ragd.core.errors import FieldProblem, ValidationFailed

NEW: Final = "new"
"""Stands for the id of a source that is just being added."""


async def _source_tokens(request: Request) -> Mapping[str, str]:
    tokens: dict[str, str] = {}
    for value in (one for line in request.headers.getlist(SOURCE_TOKEN) for one in line.split(",")):
        source_id, sign, token = value.partition("=")
        if not sign or not source_id.strip() or not token.strip():
            message = f"{SOURCE_TOKEN} must be '<source id>=<token>'; repeat the header for several sources."
            raise ValidationFailed(message, details=[FieldProblem(SOURCE_TOKEN, "invalid", message)])
        tokens[source_id.strip()] = token.strip()
    return tokens


SourceTokens = Annotated[Mapping[str, str], Depends(_source_tokens)]
"""source id -> token, as this request brought them."""
