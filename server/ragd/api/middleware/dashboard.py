"""A browser's way to the dashboard: a link that works once, exchanged for a cookie and a key.

The token itself never stands in an address, where histories and logs keep it. Browsers send cookies to every port of a host, so
another program of this machine may come to see one: the cookie is good for the dashboard's own files alone. What the pages ask
of the API needs the key, too, which they keep for their own port (`localStorage`) and send in a header that no other site's page
can set. So a request that was forged elsewhere has no effect, whatever its method.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final

from ragd.api.middleware.sessions import Granted, SessionTable, hashed, remembered

PATH: Final = "/dashboard"
LINK_PATH: Final = "/dashboard/open"
COOKIE: Final = "ragd_dashboard"
KEY_HEADER: Final = "X-Dashboard-Key"
LINK_LIFETIME_S: Final = 120.0
SESSION_LIFETIME_S: Final = 12 * 3600.0
_LINK: Final = "link to the dashboard"
_SESSION: Final = "session of the dashboard"
# What a page has no use for, and a foreign script in it would have.
_NOT_FOR_PAGES: Final = (
    "/api/browser-link",
    "/api/dashboard-link",
    "/api/keys",
    "/api/backup",
    "/api/stop",
    "/api/captions",
)


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link was exchanged for."""

    cookie: str = field(repr=False)
    key: str = field(repr=False)


class DashboardSessions:
    """Links that were given out, and what they were exchanged for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, table: SessionTable | None = None) -> None:
        self._clock = clock
        self._table = table or SessionTable()

    def new_link(self, authorization: bytes) -> str:
        """The path and query of a link that works once, for `LINK_LIFETIME_S` seconds."""
        link = Granted(self._clock() + LINK_LIFETIME_S, authorization)
        return f"{LINK_PATH}?code={remembered(self._table, _LINK, link)}"

    def exchange(self, code: str) -> Opened | None:
        """A new session for the code of a link; None for one that is unknown, used or too old."""
        link = self._table.take(_LINK, hashed(code))
        if link is None or link.ends <= self._clock():
            return None
        key = secrets.token_urlsafe(32)
        session = Granted(self._clock() + SESSION_LIFETIME_S, link.authorization, hashed(key))
        return Opened(remembered(self._table, _SESSION, session), key)

    def authorization(self, method: str, path: str, cookies: Sequence[bytes], keys: Sequence[bytes]) -> bytes | None:
        """The `Authorization` header that a request of the dashboard stands for; None where it has no such session."""
        if _is_within(path, PATH):
            session = self._session(cookies)
            return session.authorization if session is not None and method == "GET" else None
        if not path.startswith("/api/") or any(_is_within(path, one) for one in _NOT_FOR_PAGES) or len(keys) != 1:
            return None
        session = self._session(cookies)
        if session is None or not secrets.compare_digest(hashed(keys[0].decode("latin-1")), session.key):
            return None
        return session.authorization

    def _session(self, cookies: Sequence[bytes]) -> Granted | None:
        for sent in cookies:
            try:
                value = SimpleCookie(sent.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            session = self._table.find(_SESSION, hashed(value.value)) if value is not None else None
            if session is not None and session.ends > self._clock():
                return session
        return None


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
