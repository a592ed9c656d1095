"""Who asks, from what a request's `Authorization` header shows: the local token, an API key, or a token of a sign-on."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial

from ragd.access.callers import LOCAL, ROLES, Caller
from ragd.access.oidc import OidcTokens
from ragd.core.errors import Unauthorized
from ragd.core.tracing import utc_now
from ragd.store.api_keys import ApiKey, ApiKeys

log = logging.getLogger(__name__)

_HOW_LOCALLY = "Send 'Authorization: Bearer TOKEN' with the token from daemon.json in the data directory."
_HOW = "Send 'Authorization: Bearer KEY' with an API key of this service, or a token of its sign-on."


class Authenticator:
    """Of local mode: the token of `daemon.json` counts, and nothing else."""

    how = _HOW_LOCALLY

    def __init__(self, token: str) -> None:
        self._token = token.encode("ascii")

    def known(self, credential: bytes) -> Caller | None:
        """The caller, if memory alone says who it is."""
        return LOCAL if hmac.compare_digest(credential, self._token) else None

    def may_wait(self, credential: bytes) -> bool:  # noqa: ARG002
        """Whether the answer may have to come from another service, which takes its time."""
        return False

    def looked_up(self, credential: bytes) -> Caller:  # noqa: ARG002
        """The caller, from the database or the issuer. Blocks. Raises `Unauthorized`, `RemoteUnavailable`."""
        raise Unauthorized(self.how)


class ServerAuthenticator(Authenticator):
    """Of server mode. The token of `daemon.json`, which only the data directory's own user can read, stays the command line's."""

    how = _HOW

    def __init__(self, token: str, keys: ApiKeys, oidc: OidcTokens | None, background: Executor) -> None:
        super().__init__(token)
        self._keys = keys
        self._oidc = oidc
        self._background = background

    def may_wait(self, credential: bytes) -> bool:
        # A JSON Web Token; no key has a dot.
        return self._oidc is not None and credential.count(b".") == 2

    def looked_up(self, credential: bytes) -> Caller:
        text = credential.decode("ascii")
        if self._oidc is not None and self.may_wait(credential):
            return self._oidc.caller(text)
        if (key := self._keys.of_text(text)) is not None:
            return self._of_key(key)
        raise Unauthorized(f"This key or token is not known. {self.how}")

    def _of_key(self, key: ApiKey) -> Caller:
        if (why := key.ended(utc_now())) is not None:
            raise Unauthorized(f"The key '{key.name}' {why}. Ask an administrator for another.")
        if self._keys.is_use_due(key):
            self._background.submit(_noted, partial(self._keys.used, key.key_id))
        role = ROLES[key.role]
        everywhere = role if key.collections is None else None
        return Caller(
            "key",
            key.key_id,
            key.name,
            everywhere,
            dict.fromkeys(key.collections or (), role),
            keeps_what_it_makes=everywhere is None and role is ROLES["admin"],
            rate_per_minute=key.limits.rate_per_minute,
            quota_documents=key.limits.quota_documents,
            quota_bytes=key.limits.quota_bytes,
        )


def _noted(write: Callable[[], None]) -> None:
    try:
        write()
    except Exception:
        # Nobody waits for this thread's result: what is not logged here would be seen by nobody. The request is answered.
        log.exception("the last use of a key could not be written")
