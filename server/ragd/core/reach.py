"""Which addresses may be connected to, for what somebody else than the administrator named.

A name is looked up once, judged, and connected to as judged, so that no second look-up leads elsewhere (DNS rebinding).
Link-local addresses, where clouds keep their metadata, are never asked; private and loopback ones when `security.allowed_hosts`
has them, or when they are of a model service: only the settings name those. A proxy of this machine's environment looks names up
itself: then only addresses are judged here, names by the proxy.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, cast

import httpcore2
import httpx2

from ragd.core.errors import SourceRefused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Reach = Literal["everywhere", "private", "loopback", "never"]

# Metadata services at addresses that are not link-local: of EC2 by IPv6, and of Alibaba's cloud.
_METADATA: Final = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200")))
# IPv4 within IPv6, beside mapped and 6to4 addresses: translation by RFC 6052.
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")


def reach_of(address: Address) -> Reach:
    """From where an address can be reached."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner:
            return reach_of(inner)
    if address.is_link_local or address.is_multicast or address in _METADATA:
        return "never"
    if address.is_loopback or address.is_unspecified:
        return "loopback"
    return "everywhere" if address.is_global else "private"


def addresses_of(host: str) -> list[Address]:
    """What a host's name stands for, in the system's order. Raises `OSError` for a name that nobody knows."""
    try:
        return [ipaddress.ip_address(host)]
    except ValueError:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


class AllowedHosts:
    """`security.allowed_hosts`: names, perhaps with `*`, and networks."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._names: list[str] = []
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in allowed:
            try:
                self._networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                self._names.append(entry.lower().rstrip("."))

    def check(self, host: str, addresses: Iterable[Address]) -> None:
        """Raises `SourceRefused`, which says what to set, when one of the addresses may not be connected to."""
        name = host.lower().rstrip(".")
        named = any(fnmatchcase(name, pattern) for pattern in self._names)
        for address in addresses:
            reach = reach_of(address)
            if reach == "never":
                raise SourceRefused(f"{host} is at {address}, a link-local address, which is never asked. Check the address.")
            if reach == "everywhere" or named or any(address in network for network in self._networks):
                continue
            raise SourceRefused(
                f"{host} is at {address}, an address of {'this machine' if reach == 'loopback' else 'a private network'}, which "
                "must be allowed. If it is your company's, add it to settings.yaml as "
                f'security: {{allowed_hosts: ["{host}"]}} (or a network, such as 10.0.0.0/8), and start the daemon again.'
            )

    def check_proxied(self, host: str) -> None:
        """As `check`, for what a proxy connects to: an address is judged, a name is the proxy's to look up and to judge."""
        with contextlib.suppress(ValueError):
            self.check(host, [ipaddress.ip_address(host)])

    def guard(self, client: httpx2.Client) -> None:
        """Have a client's own connections, not those to a proxy, go where it is allowed. TLS still checks the name."""
        pool = cast(Any, client)._transport._pool
        pool._network_backend = _Judged(self)


MODEL_SERVICES: Final = AllowedHosts(["*"])
"""Any host but link-local ones: a model service may be on this machine or in the private network."""


class _Judged(httpcore2.SyncBackend):
    """Connects to the addresses that were judged, in their order."""

    def __init__(self, allowed: AllowedHosts) -> None:
        self._allowed = allowed

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None, socket_options: Any = None
    ) -> httpcore2.NetworkStream:
        try:
            found = list(dict.fromkeys(addresses_of(host)))
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        self._allowed.check(host, found)
        for address in found[:-1]:
            try:
                return super().connect_tcp(str(address), port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return super().connect_tcp(str(found[-1]), port, timeout, local_address, socket_options)
