"""A browser's way to the dashboard: a link that works once, exchanged for a cookie and a key.

The token itself never stands in an address, where histories and logs keep it. Browsers send cookies to every port of a host, so
another program of this machine may come to see one: the cookie is good for the dashboard's own files alone. What the pages ask
of the API needs the key, too, which they keep for their own port (`localStorage`) and send in a header that no other site's page
can set. So a request that was forged elsewhere has no effect, whatever its method.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final

PATH: Final = "/dashboard"
LINK_PATH: Final = "/dashboard/open"
COOKIE: Final = "ragd_dashboard"
KEY_HEADER: Final = "X-Dashboard-Key"
LINK_LIFETIME_S: Final = 120.0
SESSION_LIFETIME_S: Final = 12 * 3600.0
# The oldest go first: nobody needs more.
_MOST: Final = 16
# What a page has no use for, and a foreign script in it would have.
_NOT_FOR_PAGES: Final = ("/api/browser-link", "/api/dashboard-link", "/api/keys", "/api/backup", "/api/stop")


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link was exchanged for."""

    cookie: str = field(repr=False)
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Granted:
    """A link or a session. `authorization` is the header of whoever asked for the link: their rights count at each request."""

    ends: float
    authorization: bytes = field(repr=False)
    key: bytes = field(default=b"", repr=False)


class DashboardSessions:
    """Links that were given out, and what they were exchanged for, by their hashes. Of this process alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._links: dict[bytes, _Granted] = {}
        self._sessions: dict[bytes, _Granted] = {}

    def new_link(self, authorization: bytes) -> str:
        """The path and query of a link that works once, for `LINK_LIFETIME_S` seconds."""
        with self._lock:
            return f"{LINK_PATH}?code={_remembered(self._links, _Granted(self._clock() + LINK_LIFETIME_S, authorization))}"

    def exchange(self, code: str) -> Opened | None:
        """A new session for the code of a link; None for one that is unknown, used or too old."""
        key = secrets.token_urlsafe(32)
        with self._lock:
            link = self._links.pop(_hash(code), None)
            if link is None or link.ends <= self._clock():
                return None
            session = _Granted(self._clock() + SESSION_LIFETIME_S, link.authorization, _hash(key))
            return Opened(_remembered(self._sessions, session), key)

    def authorization(self, method: str, path: str, cookies: Sequence[bytes], keys: Sequence[bytes]) -> bytes | None:
        """The `Authorization` header that a request of the dashboard stands for; None where it has no such session."""
        if _is_within(path, PATH):
            session = self._session(cookies)
            return session.authorization if session is not None and method == "GET" else None
        if not path.startswith("/api/") or any(_is_within(path, one) for one in _NOT_FOR_PAGES) or len(keys) != 1:
            return None
        session = self._session(cookies)
        if session is None or not secrets.compare_digest(_hash(keys[0].decode("latin-1")), session.key):
            return None
        return session.authorization

    def _session(self, cookies: Sequence[bytes]) -> _Granted | None:
        for sent in cookies:
            try:
                value = SimpleCookie(sent.decode("latin-1")).get(COOKIE)
            except CookieError:
                continue
            with self._lock:
                session = self._sessions.get(_hash(value.value)) if value is not None else None
            if session is not None and session.ends > self._clock():
                return session
        return None


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _remembered(kept: dict[bytes, _Granted], granted: _Granted) -> str:
    secret = secrets.token_urlsafe(32)
    while len(kept) >= _MOST:
        del kept[next(iter(kept))]
    kept[_hash(secret)] = granted
    return secret


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()
