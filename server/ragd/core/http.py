"""Asking a model service over HTTP: trust, proxies, time, retries, and errors that say what is wrong without the key.

Proxies come from the environment, except for a service on this machine. Redirects are not followed: the key would go along. A
429, a 5xx, a time-out and a lost connection are tried again, with exponential back-off and full jitter (Brooker 2015, AWS
Architecture Blog), no sooner than `Retry-After` asks, and never past the caller's time. Nothing else is tried again.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import random
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

import httpx2
import truststore

from ragd.core.errors import RemoteRefused, RemoteUnavailable, SettingsError, SourceRefused
from ragd.core.reach import MODEL_SERVICES
from ragd.core.trace_context import HEADER, calling

log = logging.getLogger(__name__)

_CONNECT_S = 10.0
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 20.0
NUMBER = re.compile(r"\d{1,12}(\.\d{1,9})?")
"""A number as headers write it."""
# 32 texts of 4,096 dimensions, written out as decimal numbers, are 3 MB.
_MOST_BYTES = 64 * 1024 * 1024
_SHOWN = 300
_TOO_MANY, _NOT_IMPLEMENTED = 429, 501
_SHAPE_STATUSES = {400, 422}


class ShapeRefused(RemoteRefused):
    """The service answered 400 or 422: what was sent is not what it understands."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an answer is waited for: seconds in all, retries and pauses included, and attempts at most."""

    seconds: float
    attempts: int


class RemoteService:
    """One service at one address. Safe to use from several threads."""

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        setting: str,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`setting` is the group of settings that errors are about. Raises `SettingsError` for an address that can't be one."""
        self._url = checked_url(url, setting)
        self._key = key
        self._setting = setting
        self._clock = clock
        self._sleep = sleep
        headers = {"Accept": "application/json", "User-Agent": "rag-assistant"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
            if self._url.scheme == "http" and not is_loopback(self._url.host):
                log.warning("the key goes over the network unencrypted; use https", extra={"setting": f"{setting}.url"})
        self._client = httpx2.Client(
            verify=trusted_context(), headers=headers, trust_env=not is_loopback(self._url.host), follow_redirects=False
        )
        MODEL_SERVICES.guard(self._client)

    @property
    def place(self) -> str:
        """Host and port, for people."""
        return self._url.netloc.decode("ascii")

    def post(self, path: str, body: Mapping[str, Any], patience: Patience) -> Any:
        """Send JSON to `path` below the address; the JSON that was answered.

        Raises `RemoteRefused` for what another attempt can't mend, `RemoteUnavailable` for the rest.
        """
        url = self._url.copy_with(path=self._url.path.rstrip("/") + path) if path else self._url
        # Half of a surrogate pair, which a text may hold, is no text that can be sent.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", errors="replace")
        give_up = self._clock() + patience.seconds
        for attempt in range(1, patience.attempts + 1):
            try:
                return self._once(url, content, give_up)
            except _Again as failure:
                pause = max(failure.wait_s, backoff(attempt))
                if attempt == patience.attempts or self._clock() + pause >= give_up:
                    asks = f" It asks to wait {failure.wait_s:.0f} s." if failure.wait_s else ""
                    tries = f"after {attempt} attempts" if attempt > 1 else "at the first attempt"
                    raise RemoteUnavailable(f"{self._where} {failure.reason} ({tries}).{asks}") from failure.__cause__
                log.info("asking again", extra={"service": self.place, "reason": failure.reason, "pause_s": round(pause, 2)})
                self._sleep(pause)
        raise RemoteUnavailable(f"{self._where} was not asked: no attempt is allowed.")

    def close(self) -> None:
        self._client.close()

    def nonsense(self, what: str) -> RemoteUnavailable:
        """The error for an answer that is not what the interface promises."""
        return RemoteUnavailable(f"{self._where} gave an answer that can't be used: {what}.")

    @property
    def _where(self) -> str:
        return f"The model service {self.place} ({self._setting}.url)"

    def _once(self, url: httpx2.URL, content: bytes, give_up: float) -> Any:
        left = max(give_up - self._clock(), 0.001)
        timeout = httpx2.Timeout(left, connect=min(left, _CONNECT_S))
        headers = {"Content-Type": "application/json"}
        if caller := calling.get():
            headers[HEADER] = str(caller)
        try:
            with self._client.stream("POST", url, content=content, headers=headers, timeout=timeout) as response:
                data = self._read(response, give_up)
        except SourceRefused as error:
            raise RemoteRefused(f"{self._where} is not asked: {error.message}") from None
        except httpx2.TimeoutException as error:
            raise _Again("did not answer in time") from error
        except httpx2.TransportError as error:
            if certificate := certificate_problem(error):
                raise untrusted(self._where, certificate) from error
            raise _Again(f"can't be reached ({self._clean(str(error)) or type(error).__name__})") from error
        except httpx2.DecodingError as error:
            raise self.nonsense("its compression is broken") from error
        return self._decoded(response, data)

    def _read(self, response: httpx2.Response, give_up: float) -> bytes:
        data = bytearray()
        for block in response.iter_bytes():
            data += block
            if len(data) > _MOST_BYTES:
                raise self.nonsense(f"it is larger than {_MOST_BYTES // 1024 // 1024} MB")
            if self._clock() >= give_up:
                raise _Again("did not answer in time")
        return bytes(data)

    def _decoded(self, response: httpx2.Response, data: bytes) -> Any:
        status = response.status_code
        if status == _TOO_MANY or (status >= 500 and status != _NOT_IMPLEMENTED):
            raise _Again(f"answered {status}{self._said(data)}", retry_after(response.headers) or 0.0)
        if response.is_redirect:
            target = httpx2.URL(response.headers.get("location", "")).host or "another path"
            raise RemoteRefused(
                f"{self._where} sends requests on to {self._clean(target)}, which is not followed. Set the final address; "
                "it may also be a log-in page."
            )
        if not response.is_success:
            hint = f" Check {self._setting}.api_key." if status in {401, 403} else ""
            kind = ShapeRefused if status in _SHAPE_STATUSES else RemoteRefused
            raise kind(f"{self._where} refused the request: {status}{self._said(data)}.{hint}")
        try:
            return json.loads(data)
        except ValueError as error:
            if "html" in response.headers.get("content-type", "") or data.lstrip()[:1] == b"<":
                raise RemoteRefused(
                    f"{self._where} answered with a web page instead of JSON: a log-in page, a proxy, or a wrong address."
                ) from error
            raise self.nonsense("it is no JSON") from error

    def _said(self, data: bytes) -> str:
        """The service's own short message, as `: message`; "" for what is not written as such services write errors."""
        try:
            text = _message(json.loads(data))
        except (ValueError, RecursionError):
            return ""
        cleaned = self._clean(text).rstrip(".")
        return f": {cleaned}" if cleaned else ""

    def _clean(self, text: str) -> str:
        return said_line(without_key(text, self._key))


class _Again(Exception):
    """This attempt failed and another may not. `wait_s`: seconds that the service asks for."""

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_s = wait_s


def trusted_context() -> ssl.SSLContext:
    """TLS that trusts the operating system and the files of SSL_CERT_FILE and REQUESTS_CA_BUNDLE. Raises `SettingsError`."""
    return _context(tuple((name, os.environ[name]) for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE") if os.environ.get(name)))


@lru_cache(maxsize=1)
def _context(bundles: tuple[tuple[str, str], ...]) -> ssl.SSLContext:
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for variable, bundle in bundles:
        try:
            context.load_verify_locations(cafile=bundle)
        except OSError as error:
            raise SettingsError(f"The certificates that {variable} names can't be read: {bundle} ({error}).") from error
    return context


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, which no proxy stands before."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_url(url: str, setting: str, such_as: str = "https://models.example.com/v1") -> httpx2.URL:
    """The address of a service. Raises `SettingsError` for what can't be one, and for one that is never asked."""
    example = f"Setting '{setting}.url' must be an address such as {such_as}"
    if not url:
        raise SettingsError(f"{example}; it is empty.")
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        raise SettingsError(f"{example}.") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise SettingsError(f"{example}: it begins with http:// or https://.")
    if parsed.userinfo:
        raise SettingsError(f"{example}, without a name or a password: the key belongs to {setting}.api_key, by reference.")
    check_model_host(parsed.host, f"{setting}.url")
    return parsed


def check_model_host(host: str, setting: str) -> None:
    """Raises `SettingsError` for an address that is never asked, also where a proxy would do it. Names are judged when asked."""
    try:
        MODEL_SERVICES.check_proxied(host)
    except SourceRefused as error:
        raise SettingsError(f"Setting '{setting}': {error.message}") from None


def backoff(attempt: int) -> float:
    """Seconds before the attempt that follows `attempt` (1 is the first)."""
    return random.uniform(0, min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (attempt - 1)))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or a date (RFC 9110, 10.2.3); None without one that can be read."""
    value = headers.get("retry-after", "").strip()
    if NUMBER.fullmatch(value):
        return float(value)
    at = _http_date(value)
    return None if at is None else max(0.0, at - server_time(headers))


def server_time(headers: Mapping[str, str]) -> float:
    """By the service's own clock where it shows it: ours may be wrong."""
    at = _http_date(headers.get("date", ""))
    return time.time() if at is None else at


def _http_date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def without_key(text: str, key: str) -> str:
    """What a service says without the key, or what it shows of it (`sk-ab***yz`)."""
    return re.sub(re.escape(key[:4]) + r"[\w*.\-]*", "***", text.replace(key, "***")) if key else text


def said_line(text: str) -> str:
    """What a service says as one line, cut short."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error and all that it came from."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def certificate_problem(error: BaseException) -> str:
    """What is wrong with the certificate that a service showed; "" when that is not what failed."""
    for cause in causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return getattr(cause, "verify_message", "") or "verification failed"
    return "certificate verify failed" if "CERTIFICATE_VERIFY_FAILED" in str(error) else ""


def untrusted(service: str, problem: str) -> RemoteRefused:
    """The error for a model service whose certificate is not trusted."""
    return RemoteRefused(
        f"{service} shows a certificate that is not trusted ({problem}). Add your organisation's certificate authority to the "
        "system's trust store, or name its file in SSL_CERT_FILE."
    )


def _message(answer: Any) -> str:
    """The message in an error answer: `{"error": {"message": "…"}}`, `{"error": "…"}`, `{"message": "…"}`, `{"detail": "…"}`."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list) and answer:
        return _message(answer[0])
    if isinstance(answer, dict):
        return next((_message(answer[key]) for key in ("error", "message", "detail", "msg") if answer.get(key)), "")
    return ""
