"""The media host: files by signed address, without any log-in. As the real one, it refuses a request that carries credentials."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import Response

from .model import Attachment
from .world import World

LINK_LIFE = timedelta(minutes=10)
_KEY = b"media links of the double"


def media_address(world: World, base: str, attachment: Attachment) -> str:
    """Where a download redirects to: good for ten minutes, for who has it."""
    expires = int((world.clock.now() + LINK_LIFE).timestamp())
    query = f"expires={expires}&signature={_sign(attachment.id, expires)}&name={quote(attachment.name)}"
    return f"{base}/file/{attachment.id}/binary?{query}"


def create_media(world: World) -> FastAPI:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)

    @app.get("/file/{id}/binary")
    async def binary(request: Request, id: str, expires: int = 0, signature: str = "") -> Response:
        if "authorization" in request.headers:
            return _refused(400, "InvalidArgument", "Only one auth mechanism allowed")
        with world.lock:
            found = world.attachments.get(id)
            late = world.clock.now() > datetime.fromtimestamp(expires, UTC)
        if found is None or late or not hmac.compare_digest(signature, _sign(id, expires)):
            return _refused(403, "AccessDenied", "Access Denied")
        return Response(found.data, media_type=found.media_type)

    return app


def file_answer(attachment: Attachment) -> Response:
    """As Data Center gives a file itself."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(attachment.name)}"}
    return Response(attachment.data, media_type=attachment.media_type, headers=headers)


def _sign(id: str, expires: int) -> str:
    return hmac.new(_KEY, f"{id}/{expires}".encode(), hashlib.sha256).hexdigest()


def _refused(status: int, code: str, message: str) -> Response:
    text = f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{message}</Message></Error>'
    return Response(text, status, media_type="application/xml")
