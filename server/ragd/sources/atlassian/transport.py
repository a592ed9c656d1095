"""One HTTP exchange: the pool of connections, trust, proxies, and bounds on time and size. It neither retries nor follows.

Certificates are checked against the operating system's trust store, and against `ca_bundle`, SSL_CERT_FILE and REQUESTS_CA_BUNDLE
besides. Proxies come from the environment, except for a site on this machine. No cookie is kept, so that a token is always what
decides.
"""

from __future__ import annotations

import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.request import getproxies, proxy_bypass

import httpx2
import truststore

from ragd.core.errors import PayloadTooLarge, SourceRefused
from ragd.core.http import causes, certificate_problem, is_loopback, trusted_context
from ragd.core.reach import AllowedHosts
from ragd.sources.atlassian.responses import Answer, Lost, proxy_refused

_CONNECT_S = 10.0
_MOST_OF_AN_ERROR = 64 * 1024
# What a slow line must carry at least, so that an answer that drips does not hold a sync for ever.
_BYTES_PER_S = 64 * 1024
_GZIP_OR_ZLIB = 47
_PROXY = 407


class NotThere(Lost):
    """The host has no address, or nothing listens there."""


class NoTls(Lost):
    """The port speaks no TLS."""


class ConnectionPool:
    """A pool of connections for one site, shared by its clients. Safe to use from several threads."""

    def __init__(
        self,
        base: httpx2.URL,
        ca_bundle: str,
        allowed_hosts: Sequence[str],
        *,
        transport: httpx2.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises `SourceRefused` when `ca_bundle` can't be read. `transport` stands in for the network.

        Private addresses are connected to where `allowed_hosts` has them.
        """
        self._clock = clock
        self._client = httpx2.Client(
            verify=_context(ca_bundle),
            transport=transport,
            headers={"User-Agent": "rag-assistant", "Accept-Encoding": "gzip, deflate"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            trust_env=not is_loopback(base.host),
            follow_redirects=False,
        )
        self._allowed = AllowedHosts(allowed_hosts)
        self._is_real = transport is None
        if self._is_real:
            self._allowed.guard(self._client)

    def exchange(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], content: bytes | None, limit: int, timeout_s: float
    ) -> Answer:
        """Ask once and read the answer to its end.

        Raises `PayloadTooLarge` beyond `limit` bytes of a good answer, `Lost` for what may pass, `SourceRefused` for what will
        not: a certificate that is not trusted, a proxy that wants a password.
        """
        if self._is_real and _is_proxied(url):
            self._allowed.check_proxied(url.host)
        timeout = httpx2.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S))
        give_up = self._clock() + 2 * timeout_s
        try:
            with self._client.stream(method, url, headers=dict(headers), content=content, timeout=timeout) as response:
                data = self._read(response, limit, give_up)
                return Answer(url, response.status_code, response.headers, data)
        except httpx2.TimeoutException as error:
            raise Lost("did not answer in time") from error
        except httpx2.ProxyError as error:
            if str(_PROXY) in str(error):
                raise proxy_refused(url) from error
            raise Lost("can't be reached through the proxy of this machine's environment") from error
        except httpx2.TransportError as error:
            raise _lost(error, url) from error

    def close(self) -> None:
        self._client.close()

    def _read(self, response: httpx2.Response, limit: int, give_up: float) -> bytes:
        data = bytearray()
        most = limit if response.is_success else _MOST_OF_AN_ERROR
        received = 0
        for block in _unpacked(response, most + 1):
            data += block
            if len(data) > most:
                if response.is_success:
                    raise PayloadTooLarge(f"What {response.url.host} sends is larger than {limit} bytes, the most that is read.")
                del data[most:]
                break
            received += len(block)
            if self._clock() >= give_up + received / _BYTES_PER_S:
                raise Lost("did not finish its answer in time")
        return bytes(data)


def _unpacked(response: httpx2.Response, most: int) -> Iterator[bytes]:
    """The body in blocks; a packed one in blocks of at most `most` bytes, for what is small packed may be huge."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing in {"", "identity"}:
        yield from response.iter_bytes()
        return
    if packing not in {"gzip", "x-gzip", "deflate"}:
        raise Lost(f"packed its answer in a way that was not asked for ({packing[:20]!r})")
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        for block in response.iter_raw():
            yield unpacker.decompress(block, most)
            while unpacker.unconsumed_tail:
                yield unpacker.decompress(unpacker.unconsumed_tail, most)
    except zlib.error as error:
        raise Lost("packed its answer in a broken way") from error
    if not unpacker.eof:
        raise Lost("broke off its answer")


def _context(ca_bundle: str) -> ssl.SSLContext:
    if not ca_bundle:
        return trusted_context()
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=ca_bundle)
    except OSError as error:
        raise SourceRefused(f"The certificates that sync.ca_bundle names can't be read: {ca_bundle} ({error}).") from error
    return context


def _lost(error: httpx2.TransportError, url: httpx2.URL) -> Lost | SourceRefused:
    if certificate := certificate_problem(error):
        return _untrusted(url, certificate)
    for cause in causes(error):
        if isinstance(cause, socket.gaierror | ConnectionRefusedError) and _is_proxied(url):
            return NotThere(f"can't be reached: the proxy that {url.scheme.upper()}_PROXY names does not answer")
        if isinstance(cause, socket.gaierror):
            return NotThere(f"has no address: nobody knows a host {url.host}")
        if isinstance(cause, ConnectionRefusedError):
            return NotThere(f"can't be reached: nothing listens at {url.netloc.decode('ascii')}")
        if isinstance(cause, ssl.SSLError) and cause.reason in {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"}:
            return NoTls("speaks no https at this port")
    return Lost(f"broke off ({type(error).__name__})")


def _is_proxied(url: httpx2.URL) -> bool:
    proxies = getproxies()
    return not is_loopback(url.host) and bool(proxies.get(url.scheme) or proxies.get("all")) and not proxy_bypass(url.host)


def _untrusted(url: httpx2.URL, reason: str) -> SourceRefused:
    return SourceRefused(
        f"{url.netloc.decode('ascii')} shows a certificate that is not trusted ({reason}). Add your organisation's certificate "
        "authority to the operating system's trust store, or name its PEM file in the setting sync.ca_bundle."
    )
