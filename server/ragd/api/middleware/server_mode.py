"""What server mode adds to each request: who asks from where, how often they may, and a line of the audit log."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from anyio import CapacityLimiter, to_thread
from starlette.types import Scope

from ragd.access.callers import NOBODY, Caller
from ragd.access.rate import Rates
from ragd.api.middleware.headers import AUDIT, CALLER
from ragd.config.settings import Settings
from ragd.core.errors import RateLimited
from ragd.core.logs import one_line, request_id
from ragd.core.tracing import utc_now

RATE_HEADERS: Final = "ragd.rate"
"""Where a request's scope has headers for its answer."""

# Asked all the time by machines, and nothing is done by them.
_UNNOTED: Final = ("/health", "/api/health", "/ready", "/metrics")
_MOST_CHARS: Final = 500
_COUNTED_AT_ONCE: Final = 4

Network = IPv4Network | IPv6Network


class ServerRules:
    """The rules of one service. For coroutines of one loop."""

    def __init__(self, settings: Settings, audit: logging.Handler, rates: Rates) -> None:
        """`audit` takes the lines of the audit log; `rates` counts the requests of each caller."""
        self.names = (*settings.server.names, *own_name(settings.server.host))
        self._proxies = settings.server.trusted_proxies
        self._rates = rates
        self._counting = CapacityLimiter(_COUNTED_AT_ONCE)
        self._questions = settings.security.audit_questions
        self._audit = audit if settings.security.audit else None

    def begin(self, scope: Scope) -> None:
        """A request has come."""
        if self._audit is not None and scope["path"] not in _UNNOTED:
            scope[AUDIT] = {"questions": self._questions}

    async def count(self, scope: Scope, caller: Caller) -> None:
        """Count a caller's request. Raises `RateLimited`."""
        if caller.rate_per_minute is None:
            return
        counted = f"{caller.kind}:{caller.id}", caller.rate_per_minute
        if self._rates.blocks:
            allowance = await to_thread.run_sync(self._rates.take, *counted, limiter=self._counting)
        else:
            allowance = self._rates.take(*counted)
        scope[RATE_HEADERS] = allowance.headers
        if allowance.wait_s > 0:
            message = f"'{caller.name}' may ask {caller.rate_per_minute:,} times a minute. Wait as long as Retry-After says."
            raise RateLimited(message, allowance.wait_s)

    def end(self, scope: Scope, status: int, seconds: float) -> None:
        """Write the line of a request that was answered. No credential is in it, a question only where the settings say so."""
        noted: dict[str, Any] | None = scope.get(AUDIT)
        if self._audit is None or noted is None:
            return
        caller: Caller = scope.get(CALLER, NOBODY)
        route = getattr(scope.get("route"), "path_format", None)
        line = {
            "time": utc_now(),
            "request_id": request_id.get(),
            "caller": {"kind": caller.kind, "id": caller.id, "name": caller.name} if caller is not NOBODY else None,
            "address": client_address(scope, self._proxies),
            "method": scope["method"][:_MOST_CHARS],
            "route": route or scope["path"][:_MOST_CHARS],
            "target": {name: str(value)[:_MOST_CHARS] for name, value in scope.get("path_params", {}).items()},
            **{name: value for name, value in noted.items() if name != "questions"},
            "status": status,
            "ms": round(seconds * 1000, 1),
        }
        text = one_line(json.dumps(line, ensure_ascii=False))
        self._audit.handle(logging.makeLogRecord({"msg": text.encode("utf-8", "replace").decode()}))


def own_name(host: str) -> tuple[str, ...]:
    """By which name an address that is listened on is called, unless it stands for all of a machine's."""
    found = _address(host)
    if found is None or found.is_unspecified:
        return ()
    return (f"[{host}]" if found.version == 6 else host,)


def connections_within(limit: int, proxies: Sequence[Network]) -> Callable[[str, int], bool]:
    """Whether an address may have so many connections: a trusted proxy, which speaks for many, and this machine however many."""

    def may_connect(address: str, count: int) -> bool:
        found = _address(address)
        return count <= limit or (found is not None and found.is_loopback) or is_within(address, proxies)

    return may_connect


def client_address(scope: Scope, proxies: Sequence[Network]) -> str:
    """Who asks: the peer, or, where that is a trusted proxy, the last address of `X-Forwarded-For` that is not one."""
    peer = scope["client"][0] if scope.get("client") else ""
    if not is_within(peer, proxies):
        return peer
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    forwarded = [part.strip() for part in ",".join(lines).split(",")] if lines else []
    for address in reversed(forwarded):
        if _address(address) is None:
            break
        peer = address
        if not is_within(address, proxies):
            break
    return peer


def is_within(address: str, networks: Sequence[Network]) -> bool:
    """Whether an address is of one of these networks; a text that is none is of none."""
    found = _address(address)
    return found is not None and any(found.version == network.version and found in network for network in networks)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
