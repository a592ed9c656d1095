"""Tokens of a company's sign-on (OpenID Connect): JSON Web Tokens (RFC 7519), signed by keys of their issuer (RFC 7517).

A token counts when it is signed by a key that the issuer publishes, by an algorithm of the settings, names this service as its
audience, and has not expired. Its groups say what its owner may do. The issuer's keys are fetched when they are first needed,
when a token names one that is not known, and hourly, but never more often than `refresh_s`. While the issuer can't be reached,
those that are known go on counting, and a token that names another is answered with 503: nobody can say whether it is good.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import httpx2

from ragd.access.callers import ROLES, Caller, Role
from ragd.config.service import OidcSettings
from ragd.core.errors import CollectionNotFound, ServiceUnavailable, SourceRefused, Unauthorized
from ragd.core.http import is_loopback, trusted_context
from ragd.core.reach import MODEL_SERVICES
from ragd.store.collections import Collections

if TYPE_CHECKING:
    from jwt import PyJWK

log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 5.0
_FRESH_S: Final = 3600.0
_MOST_BYTES: Final = 1024 * 1024
# A symmetric key would let whoever reads it sign.
_KEY_TYPES: Final = ("RSA", "EC", "OKP")


class OidcTokens:
    """Callers of an issuer's tokens. Safe to use from several threads."""

    def __init__(self, settings: OidcSettings, collections: Collections, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._collections = collections
        self._keys = _IssuerKeys(settings, clock)
        self._missed: set[str] = set()

    def caller(self, token: str) -> Caller:
        """Who shows this token. Raises `Unauthorized` with the reason, `ServiceUnavailable` while nobody can say."""
        import jwt

        settings = self._settings
        try:
            key = self._keys.named(jwt.get_unverified_header(token).get("kid"))
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(settings.algorithms),
                audience=settings.audience,
                issuer=settings.issuer,
                leeway=settings.leeway_s,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.InvalidTokenError as error:
            # Its own words name what is wrong, and nothing of the token.
            raise Unauthorized(f"The token of the sign-on is not good: {error}.") from None
        return self._caller(claims)

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        settings = self._settings
        given = claims.get(settings.groups_claim, ())
        listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
        groups = {one for one in listed if isinstance(one, str)}
        everywhere: Role | None = None
        roles: dict[str, Role] = {}
        for row in settings.groups:
            if row.group not in groups:
                continue
            role = ROLES[row.role]
            if row.collections is None:
                everywhere = max(everywhere or role, role)
            for name in row.collections or ():
                if (kb_id := self._id_of(name)) is not None:
                    roles[kb_id] = max(roles.get(kb_id, role), role)
        subject, named = str(claims["sub"]), claims.get(settings.name_claim)
        shown = str(named) if isinstance(named, str) and named else subject
        return Caller("oidc", subject, shown, everywhere, roles, rate_per_minute=settings.rate_per_minute)

    def _id_of(self, name: str) -> str | None:
        try:
            return self._collections.get(name).kb_id
        except CollectionNotFound:
            # Once: each request of each of its members comes by here.
            if name not in self._missed:
                self._missed.add(name)
                log.warning("oidc.groups names a collection that does not exist", extra={"collection": name})
            return None


class _IssuerKeys:
    def __init__(self, settings: OidcSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._fetching = threading.Lock()
        self._known: dict[str, PyJWK] = {}
        """Replaced as a whole: whoever has it may go on reading."""
        self._fetched: float | None = None
        self._tried: float | None = None

    def named(self, kid: object) -> PyJWK:
        """The issuer's key of that name. Raises `Unauthorized`, `ServiceUnavailable`."""
        if (known := self._now(kid)) is not None:
            return known
        # The threads that find out who asks must not all wait for the issuer because of tokens with invented names. Until its
        # keys have come once, no token counts anyway.
        if not self._fetching.acquire(blocking=self._fetched is None):
            raise ServiceUnavailable("The keys of the sign-on are being fetched. Try again in a moment.")
        try:
            return self._looked_up(kid)
        finally:
            self._fetching.release()

    def _now(self, kid: object) -> PyJWK | None:
        """The key, where it needs no look at the issuer: it is known, and fresh or being fetched again."""
        known = self._known.get(kid) if isinstance(kid, str) else None
        return known if not self._is_old(self._clock()) or self._fetching.locked() else None

    def _is_old(self, now: float) -> bool:
        return self._fetched is None or now - self._fetched > _FRESH_S

    def _looked_up(self, kid: object) -> PyJWK:
        now = self._clock()
        failure: ServiceUnavailable | None = None
        is_due = self._tried is None or now - self._tried >= self._settings.refresh_s
        if is_due and (self._is_old(now) or kid not in self._known):
            self._tried = now
            try:
                self._known, self._fetched = self._fetch(), now
            except ServiceUnavailable as error:
                failure = error
                log.warning("the keys of the sign-on could not be fetched", extra={"reason": error.message})
        if isinstance(kid, str) and kid in self._known:
            return self._known[kid]
        if failure is not None or self._fetched != self._tried:
            raise failure or ServiceUnavailable("The sign-on could not be reached a moment ago; its tokens can't be checked.")
        raise Unauthorized("The token of the sign-on is not good: it names no key that the issuer publishes.")

    def _fetch(self) -> dict[str, PyJWK]:
        from jwt import PyJWK

        url = self._settings.jwks_url
        if not url:
            described = _get(f"{self._settings.issuer.rstrip('/')}/.well-known/openid-configuration")
            if described.get("issuer") != self._settings.issuer or not isinstance(described.get("jwks_uri"), str):
                raise ServiceUnavailable("The sign-on names another issuer than oidc.issuer, or no keys.")
            url = described["jwks_uri"]
        given = _get(url).get("keys")
        usable = [one for one in given if _is_usable(one)] if isinstance(given, list) else []
        return {one["kid"]: PyJWK(one) for one in usable}


def _is_usable(key: object) -> bool:
    from jwt import PyJWK
    from jwt.exceptions import PyJWTError

    if not isinstance(key, dict) or key.get("kty") not in _KEY_TYPES or key.get("use", "sig") != "sig":
        return False
    try:
        PyJWK(key)
    except PyJWTError:
        return False
    return isinstance(key.get("kid"), str)


def _get(url: str) -> dict[str, Any]:
    """The JSON object at an address that the settings named, or their issuer. Raises `ServiceUnavailable`."""
    try:
        host = httpx2.URL(url).host
        with httpx2.Client(verify=trusted_context(), trust_env=not is_loopback(host), timeout=_TIMEOUT_S) as client:
            MODEL_SERVICES.guard(client)
            with client.stream("GET", url, headers={"Accept": "application/json"}) as response:
                data = bytearray()
                for block in response.iter_bytes():
                    data += block
                    if len(data) > _MOST_BYTES:
                        raise ServiceUnavailable("The sign-on's answer is too large.")
        if response.status_code != 200:
            raise ServiceUnavailable(f"The sign-on answered {response.status_code} when it was asked for its keys.")
        answer = json.loads(data)
    except (httpx2.HTTPError, httpx2.InvalidURL, SourceRefused, ValueError, RecursionError) as error:
        raise ServiceUnavailable(f"The sign-on can't be asked for its keys ({type(error).__name__}).") from error
    if not isinstance(answer, dict):
        raise ServiceUnavailable("The sign-on's answer is no JSON object.")
    return answer
