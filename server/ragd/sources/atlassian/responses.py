"""What a site's answer means: its JSON, or the error that says whether the item, the request or the whole source is at fault."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2

from ragd.core.errors import DocumentVanished, ItemForbidden, SourceRefused, SourceUnavailable
from ragd.core.http import said_line

TOKEN_FIELD = "config.auth.token"

_MEDIA_TYPE = re.compile(r"[a-zA-Z]{1,15}/[\w.+-]{1,40}")
_UNAUTHORIZED, _FORBIDDEN, _PROXY, _NOT_IMPLEMENTED = 401, 403, 407, 501
_GONE = frozenset((404, 410))
_AGAIN = frozenset((408, 425, 429))
# A wrong token may be answered like no token at all, with what is public; only this header says so.
_LOGIN_REASON, _DENIED_REASON = "x-seraph-loginreason", "x-authentication-denied-reason"
_LOGIN_FAILED = frozenset(("AUTHENTICATED_FAILED", "AUTHENTICATION_DENIED", "AUTHORISATION_FAILED"))


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer, read to its end. `url` is what was asked; `trusted`: of the site itself, which got our credentials.

    `value` is its JSON where that `is_json`; then there is no `data`.
    """

    url: httpx2.URL
    status: int
    headers: Mapping[str, str]
    data: bytes
    trusted: bool = True
    is_json: bool = False
    value: Any = None

    @property
    def is_page(self) -> bool:
        return "html" in self.headers.get("content-type", "") or self.data.lstrip()[:1] == b"<"

    @property
    def wants_another_try(self) -> bool:
        return self.status in _AGAIN or (self.status >= 500 and self.status != _NOT_IMPLEMENTED)

    def parsed(self) -> Answer:
        """A good answer with its JSON; any other, and a web page, as it is. Raises `Lost` for what is no JSON."""
        if not 200 <= self.status < 300:
            return self
        try:
            return replace(self, data=b"", is_json=True, value=json.loads(self.data))
        except (ValueError, RecursionError):
            if self.is_page:
                return self
            raise Lost("gave an answer that is no JSON") from None


class Lost(Exception):
    """This attempt got no whole answer, another may. The message completes "the site …"."""


class RequestRefused(SourceRefused):
    """The site does not understand the request: a wrong CQL or JQL, a batch that it can't answer.

    `said` is the site's own message, one line of at most 300 signs, "" without one: for what is wrong with a filter that a person
    wrote, and for nothing else. `answered` is the HTTP status it gave.
    """

    def __init__(self, message: str, said: str, answered: int) -> None:
        super().__init__(message)
        self.said = said
        self.answered = answered


class Unanswered(SourceUnavailable):
    """No usable answer after all tries. `answered` is the last HTTP status; None without one, or when its content is at fault."""

    def __init__(self, message: str, answered: int | None = None) -> None:
        super().__init__(message)
        self.answered = answered


@dataclass(frozen=True, slots=True)
class ResponseErrors:
    """Turns answers of one site into errors. `where` names the site for people, `secrets` are texts that no error may hold."""

    where: str
    secrets: tuple[str, ...] = field(repr=False)

    def check(self, answer: Answer, path: str) -> None:
        """Nothing for a good answer. `path` is how errors name what was asked for; it holds no title."""
        status = answer.status
        if answer.trusted:
            self._check_login(answer)
        if status == _PROXY:
            raise proxy_refused(answer.url)
        if status in {_UNAUTHORIZED, _FORBIDDEN}:
            raise ItemForbidden(f"{self.where} does not let this token read {path} ({status}).")
        if status in _GONE:
            raise DocumentVanished(f"{self.where} has nothing at {path} ({status}).")
        if status >= 500 or status in _AGAIN:
            raise Unanswered(f"{self.where} answered {status} at {path} ({_outside(answer)}).", status)
        if not 200 <= status < 300:
            said = self.said(answer) if answer.trusted else ""
            raise RequestRefused(f"{self.where} refused the request {path}: {status} ({_outside(answer)}).", said, status)

    def json_of(self, answer: Answer, path: str) -> Any:
        """The JSON of a good answer. Raises `SourceRefused` for a web page."""
        if not answer.is_json:
            raise self.page_instead(path)
        return answer.value

    def page_instead(self, path: str) -> SourceRefused:
        return SourceRefused(
            f"{self.where} answered with a web page instead of JSON at {path}: a log-in page, a proxy's page, or a wrong "
            "address. Open the base URL in a browser, and set base_url to what the address bar shows before the part that names "
            "a page. If that is right, the site asks for its log-in: check auth.kind and auth.token."
        )

    def said(self, answer: Answer) -> str:
        """The site's own message in one line, without secrets, cut short; "" when there is none."""
        try:
            return self.clean(_message(json.loads(answer.data)))
        except (ValueError, RecursionError):
            return ""

    def clean(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return said_line(text)

    def _check_login(self, answer: Answer) -> None:
        if "CAPTCHA" in answer.headers.get(_DENIED_REASON, "").upper():
            raise SourceRefused(
                f"{self.where} wants a CAPTCHA of this account after failed log-ins. Log in once in a browser, then try again.",
                TOKEN_FIELD,
            )
        if answer.status == _UNAUTHORIZED or answer.headers.get(_LOGIN_REASON, "").strip().upper() in _LOGIN_FAILED:
            raise SourceRefused(
                f"{self.where} does not accept the token ({answer.status}): it is wrong, has expired or was withdrawn. Make a "
                "new one there, and check that auth.kind and auth.email belong to it.",
                TOKEN_FIELD,
            )


def _outside(answer: Answer) -> str:
    """What may be said of an answer that may come from anybody: its type and length, none of its text."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip()
    return f"{kind if _MEDIA_TYPE.fullmatch(kind) else 'of no type'}, {len(answer.data)} bytes"


def proxy_refused(url: httpx2.URL) -> SourceRefused:
    variable = "HTTPS_PROXY" if url.scheme == "https" else "HTTP_PROXY"
    return SourceRefused(
        f"The proxy before {url.host} wants a name and a password (407). Set {variable}=http://NAME:PASSWORD@HOST:PORT in the "
        f"environment of the daemon, or add {url.host} to NO_PROXY if it can be reached without the proxy."
    )


def _message(answer: Any) -> str:
    """The messages in an error answer: Jira's `errorMessages` and `errors`, Confluence's `message` and v2's list of `errors`."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, list):
        return " ".join(filter(None, (_message(part) for part in answer[:5])))
    if not isinstance(answer, dict):
        return ""
    if isinstance(fields := answer.get("errors"), dict) and fields:
        named = " ".join(f"{name}: {_message(text)}" for name, text in list(fields.items())[:5])
        return f"{_message(answer.get('errorMessages', []))} {named}".strip()
    return next(
        (_message(answer[key]) for key in ("errorMessages", "errors", "message", "detail", "title") if answer.get(key)), ""
    )
