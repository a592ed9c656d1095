"""A browser's way to the pages of the API's description: a link that works once, exchanged for a cookie.

The token itself never stands in an address, where histories and logs keep it. The cookie is good for the description alone, which
holds no documents: browsers send cookies to every port of a host, so another program of this machine may come to see it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Final

from ragd.api.middleware.sessions import Granted, SessionTable, hashed, remembered

LINK_PATH: Final = "/open"
PAGES: Final = ("/docs", "/openapi.json")
COOKIE: Final = "ragd_docs"
LINK_LIFETIME_S: Final = 120.0
SESSION_LIFETIME_S: Final = 12 * 3600.0
_LINK: Final = "link to the description"
_SESSION: Final = "session of the description"


class BrowserSessions:
    """Links that were given out, and the cookies that they were exchanged for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, table: SessionTable | None = None) -> None:
        self._clock = clock
        self._table = table or SessionTable()

    def new_link(self) -> str:
        """The path and query of a link that works once, for `LINK_LIFETIME_S` seconds."""
        return f"{LINK_PATH}?code={remembered(self._table, _LINK, Granted(self._clock() + LINK_LIFETIME_S))}"

    def exchange(self, code: str) -> str | None:
        """A new cookie's value for the code of a link; None for one that is unknown, used or too old."""
        link = self._table.take(_LINK, hashed(code))
        if link is None or link.ends <= self._clock():
            return None
        return remembered(self._table, _SESSION, Granted(self._clock() + SESSION_LIFETIME_S))

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
        session = self._table.find(_SESSION, hashed(value.value)) if value is not None else None
        return session is not None and session.ends > self._clock()
