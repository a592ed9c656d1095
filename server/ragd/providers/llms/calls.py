"""What remote language models share: one connection for each answer, retries before its first piece, ends, and clear errors.

The two SDKs come from one generator, so their errors have the same names. They never retry themselves: only here it is known
whether a piece has been handed on already.
"""

from __future__ import annotations

import base64
import logging
import re
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ragd.config.answering import LlmSettings
from ragd.core.errors import RemoteRefused, RemoteUnavailable, SettingsError, SourceRefused
from ragd.core.http import (
    backoff,
    certificate_problem,
    check_model_host,
    is_loopback,
    retry_after,
    said_line,
    trusted_context,
    untrusted,
    without_key,
)
from ragd.core.reach import MODEL_SERVICES
from ragd.core.trace_context import HEADER, calling
from ragd.language.token_estimate import estimate_tokens
from ragd.providers.protocols import Completion, Message

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger(__name__)

_CONNECT_S: Final = 10.0
_LONGEST_WAIT_S: Final = 30.0


_PNG: Final = b"\x89PNG"


def in_base64(picture: bytes) -> tuple[str, str]:
    """The media type of a PNG or JPEG, and its bytes as services take them."""
    return "image/png" if picture.startswith(_PNG) else "image/jpeg", base64.b64encode(picture).decode()


class RemoteModel(ABC):
    """A language model behind an SDK. A provider says how to ask, and in which module the SDK's errors are."""

    name: str
    default_url: str = ""
    needs_key = True
    # Parameters that some models don't take. One that is named in a refusal is left out from then on.
    optional: tuple[str, ...] = ("temperature",)

    def __init__(self, options: LlmSettings, *, api_key: str = "", group: str = "llm") -> None:
        """`api_key` is the key itself; `group` is that of the settings which errors name.

        Raises `SettingsError` for settings that can't work, or when the SDK is not installed.
        """
        self.group = group
        if not options.model:
            raise SettingsError(f"{self.group}.model is empty. Name the model that {self.name} shall use.")
        if self.needs_key and not api_key:
            raise SettingsError(
                f"{self.group}.provider is {self.name}, which needs a key. Set {self.group}.api_key to env:NAME or file:PATH."
            )
        self.model = options.model
        self.context_tokens = options.context_tokens
        self.url = (options.url or self.default_url).rstrip("/")
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(f"Set {self.group}.url to the base URL of the service, such as https://models.example.com/v1.")
        if parts.username or parts.password or parts.query:
            raise SettingsError(
                f"{self.group}.url holds a name, a password or a query. Give the address alone; "
                f"the key goes into {self.group}.api_key."
            )
        check_model_host(parts.hostname, f"{self.group}.url")
        self._options = options
        self._key = api_key
        self._trust = trusted_context()
        self._left_out: set[str] = set()
        try:
            self._sdk = self._import_sdk()
        except ImportError as error:
            raise SettingsError(
                f"{self.group}.provider {self.name} needs a package that is not installed. Run: rag extras add llm"
            ) from error

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def stream(self, messages: Sequence[Message], max_tokens: int, on_end: Callable[[Completion], None]) -> Reply:
        return Reply(self, messages, max_tokens, on_end)

    def close(self) -> None:  # noqa: B027
        """Nothing is held between answers."""

    @abstractmethod
    def _import_sdk(self) -> Any: ...

    @abstractmethod
    def ask(self, http: httpx2.Client, messages: Sequence[Message], max_tokens: int) -> Iterator[str | Completion]:
        """One attempt: the pieces, and the completion when the service says that the answer is at its end."""

    def http(self, on_request: Callable[[httpx2.Request], None]) -> httpx2.Client:
        """A client for one answer. Proxies of the environment are used, but not for a service on this machine."""
        import httpx2

        client = httpx2.Client(
            verify=self._trust,
            timeout=httpx2.Timeout(self._options.timeout_s, connect=min(_CONNECT_S, self._options.timeout_s)),
            trust_env=not is_loopback(urlsplit(self.url).hostname or ""),
            follow_redirects=False,
            event_hooks={"request": [on_request]},
        )
        MODEL_SERVICES.guard(client)
        return client

    def adapts_to(self, error: Exception) -> bool:
        """Whether the service refused a parameter that can be left out, and asking again without it makes sense."""
        if getattr(error, "status_code", None) != 400:
            return False
        said = self._said(error)
        refused = {name for name in self.optional if re.search(rf"\b{name}\b", said)} - self._left_out
        self._left_out |= refused
        return bool(refused)

    def pause_after(self, error: Exception, failures: int) -> float:
        """Seconds to wait before the next attempt. Raises our error when there shall be none."""
        failure, wait = self.explain(error)
        if not failure.retryable or failures > self._options.retries or (wait or 0.0) > _LONGEST_WAIT_S:
            # Without its cause: an SDK's error holds the request, and so the key.
            raise failure from None
        return backoff(failures) if wait is None else wait

    def explain(self, error: Exception) -> tuple[RemoteUnavailable, float | None]:
        """The error as ours, and the seconds that the service asks to wait for, when it says."""
        import httpx2

        sdk, service = self._sdk, f"The language model service at {self.url}"
        if isinstance(error, RemoteUnavailable):
            return error, None
        if refused := next((one for one in (error, error.__cause__) if isinstance(one, SourceRefused)), None):
            return RemoteRefused(f"{service} is not asked: {refused.message}"), None
        if isinstance(error, sdk.APIStatusError):
            status, wait = error.status_code, retry_after(error.response.headers)
            if status in (408, 409, 429) or status >= 500:
                return RemoteUnavailable(f"{service} is overloaded or out of order (status {status}). Try again later."), wait
            if status in (401, 403):
                # What the service says here may repeat the key.
                return RemoteRefused(f"{service} refused the key (status {status}). Check {self.group}.api_key."), None
            hint = f" Check {self.group}.url and {self.group}.model." if status in (301, 302, 307, 308, 404, 405) else ""
            return RemoteRefused(f"{service} refused the request (status {status}){self._said(error)}.{hint}"), None
        if isinstance(error, (sdk.APITimeoutError, httpx2.TimeoutException)):
            silence = f"{self._options.timeout_s:g} seconds"
            return RemoteUnavailable(f"{service} gave no sign of life for {silence} ({self.group}.timeout_s)."), None
        if isinstance(error, (sdk.APIConnectionError, httpx2.TransportError, OSError)):
            if certificate := certificate_problem(error):
                return untrusted(service, certificate), None
            reason = self._clean(str(error.__cause__ or error))
            return RemoteUnavailable(
                f"{service} can't be reached ({reason}). Check {self.group}.url and that it is running."
            ), None
        if isinstance(error, sdk.APIError):
            return RemoteUnavailable(f"{service} reported an error{self._said(error)}."), None
        return RemoteUnavailable(f"{service} answered what can't be read ({type(error).__name__})."), None

    def nothing_said(self, end: Completion | None, content_type: str) -> RemoteUnavailable:
        """Why an answer without any text is no answer."""
        service = f"The language model service at {self.url}"
        if not content_type.startswith("text/event-stream"):
            return RemoteRefused(
                f"{service} answered {content_type or 'without a content type'} where a stream of events is due. "
                f"Check that {self.group}.url is the base URL of its interface; it often ends in /v1."
            )
        if end is not None and end.finish == "length":
            return RemoteRefused(f"{service} used all of {self.group}.max_output_tokens before its first word. Raise it.")
        return RemoteUnavailable(f"{service} gave an empty answer.")

    def _said(self, error: Exception) -> str:
        """The service's own short message, as `: message`; "" for what is not written as such services write errors."""
        body: Any = getattr(error, "body", None)
        if isinstance(body, Mapping):
            inner = body.get("error", body)
            message = inner.get("message") if isinstance(inner, Mapping) else inner
            if isinstance(message, str) and message:
                return f": {self._clean(message).rstrip('.')}"
        return ""

    def _clean(self, text: str) -> str:
        return said_line(without_key(text, self._key))


class Reply(Iterator[str]):
    """The pieces of one answer. `close` may be called from any thread, and ends a wait for the service at once."""

    def __init__(
        self, model: RemoteModel, messages: Sequence[Message], max_tokens: int, on_end: Callable[[Completion], None]
    ) -> None:
        self._model = model
        self._messages = messages
        self._max_tokens = max_tokens
        self._on_end = on_end
        self._caller = calling.get()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._content_type = ""
        self._pieces: Generator[str] = self._run()

    def __next__(self) -> str:
        return next(self._pieces)

    def close(self) -> None:
        """Break the connection. The thread that waits in `next` gets `StopIteration`."""
        with self._lock:
            self._closed.set()
            for connection in self._sockets:
                _break(connection)
        try:
            self._pieces.close()
        except ValueError:
            # Another thread is inside; it finds the connection broken, and ends by itself.
            log.debug("a reply was closed while it was being read")

    def _run(self) -> Generator[str]:
        failures = 0
        while not self._closed.is_set():
            yielded = False
            try:
                for piece in self._attempt():
                    yielded = True
                    yield piece
                return
            # A service may answer anything, and then the SDKs raise anything; each becomes one of our errors.
            except Exception as error:  # noqa: BLE001
                if self._closed.is_set():
                    return
                if yielded:
                    log.info("an answer was cut off", extra={"reason": type(error).__name__})
                    self._on_end(Completion("cut_off", {}))
                    return
                if self._model.adapts_to(error):
                    continue
                failures += 1
                pause = self._model.pause_after(error, failures)
            self._closed.wait(pause)

    def _attempt(self) -> Iterator[str]:
        end: Completion | None = None
        yielded = False
        with self._model.http(self._watch) as http:
            for part in self._model.ask(http, self._messages, self._max_tokens):
                if self._closed.is_set():
                    return
                if isinstance(part, Completion):
                    end = part
                elif part:
                    yielded = True
                    yield part
        if self._closed.is_set():
            return
        if not yielded:
            raise self._model.nothing_said(end, self._content_type)
        self._on_end(end or Completion("cut_off", {}))

    def _watch(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, "trace": self._traced}
        if self._caller:
            request.headers[HEADER] = str(self._caller)

    def _traced(self, event: str, info: Mapping[str, Any]) -> None:
        """Notes the sockets that are opened, and what kind of answer comes: called by the HTTP client at each of its steps."""
        value: Any = info.get("return_value")
        if event.endswith("receive_response_headers.complete") and isinstance(value, tuple):
            headers = next((part for part in value if isinstance(part, list)), [])
            self._content_type = next((text.decode("latin-1") for name, text in headers if name.lower() == b"content-type"), "")
        elif hasattr(value, "get_extra_info") and isinstance(opened := value.get_extra_info("socket"), socket.socket):
            with self._lock:
                self._sockets.append(opened)
                if self._closed.is_set():
                    _break(opened)


def _break(connection: socket.socket) -> None:
    try:
        # Of the plain socket, below TLS: closing it would not wake a thread that reads from it.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError:
        log.debug("a connection was gone before it was broken")
