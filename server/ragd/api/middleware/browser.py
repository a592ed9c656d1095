"""A browser's way to the pages of the API's description: a link that works once, exchanged for a cookie.

The token itself never stands in an address, where histories and logs keep it. The cookie is good for the description alone, which
holds no documents: browsers send cookies to every port of a host, so another program of this machine may come to see it.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Final

LINK_PATH: Final = "/open"
PAGES: Final = ("/docs", "/openapi.json")
COOKIE: Final = "ragd_docs"
LINK_LIFETIME_S: Final = 120.0
SESSION_LIFETIME_S: Final = 12 * 3600.0
# The oldest go first: nobody needs more.
_MOST: Final = 16


class BrowserSessions:
    """Links that were given out, and the cookies that they were exchanged for, by their hashes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._links: dict[bytes, float] = {}
        self._sessions: dict[bytes, float] = {}

    def new_link(self) -> str:
        """The path and query of a link that works once, for `LINK_LIFETIME_S` seconds."""
        with self._lock:
            return f"{LINK_PATH}?code={self._remembered(self._links, LINK_LIFETIME_S)}"

    def exchange(self, code: str) -> str | None:
        """A new cookie's value for the code of a link; None for one that is unknown, used or too old."""
        with self._lock:
            if self._links.pop(_hash(code), 0.0) <= self._clock():
                return None
            return self._remembered(self._sessions, SESSION_LIFETIME_S)

    def admits(self, method: str, path: str, cookies: list[bytes]) -> bool:
        """Whether a request without the token may pass: the exchange of a link, or one of the pages with its cookie."""
        if method != "GET" or path not in (LINK_PATH, *PAGES):
            return False
        return path == LINK_PATH or any(self._is_known(cookie) for cookie in cookies)

    def _is_known(self, cookies: bytes) -> bool:
        try:
            value = SimpleCookie(cookies.decode("latin-1")).get(COOKIE)
        except CookieError:
            return False
        with self._lock:
            return value is not None and self._sessions.get(_hash(value.value), 0.0) > self._clock()

    def _remembered(self, kept: dict[bytes, float], lifetime_s: float) -> str:
        secret = secrets.token_urlsafe(32)
        while len(kept) >= _MOST:
            del kept[next(iter(kept))]
        kept[_hash(secret)] = self._clock() + lifetime_s
        return secret


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
