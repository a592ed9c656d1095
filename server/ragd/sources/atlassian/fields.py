"""The fields of a source's configuration as a person wrote them, each checked; what is wrong is gathered and said at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

import httpx2

from ragd.config.secrets import HOW_TO, is_reference
from ragd.core.errors import FieldProblem, ValidationFailed, did_you_mean
from ragd.ingest.discovery.file_rules import check_globs
from ragd.sources.atlassian.addresses import cut_base
from ragd.sources.atlassian.client import Product
from ragd.sources.base import FROM_REQUEST

_GATEWAY: Final = "api.atlassian.com"
_KINDS: Final = ("api_token", "pat", "oauth")
_DEPLOYMENTS: Final = ("cloud", "data_center")
_AUTH: Final = ("kind", "email", "token")
_EXAMPLES: Final[Mapping[str, str]] = {
    "confluence": "https://example.atlassian.net/wiki or https://confluence.example.com",
    "jira": "https://example.atlassian.net or https://jira.example.com",
}
_SITE: Final = ("base_url", "deployment", "auth")
_SHARED: Final = ("attachments", "comments", "include", "exclude")
"""Fields that sources of both products have."""

_ORDER: Final = re.compile(r"\border\s+by\b", re.IGNORECASE)
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


class Fields:
    """The values of one configuration. Each method gives a usable value, and notes a problem where the given one is none."""

    def __init__(self, values: Mapping[str, Any], own: Sequence[str], product: Product) -> None:
        """`own` are the fields that sources of this product alone have."""
        self._values = values
        self._product: Product = product
        self._known = (*_SITE, *own, *_SHARED)
        self._problems = [self._unknown(str(name)[:80]) for name in values if name not in self._known]

    def site(self) -> dict[str, Any]:
        """`base_url`, `deployment` and `auth`, checked and completed.

        Trailing slashes and the rest of an address copied from a browser are cut off the base. The deployment is `cloud` for
        *.atlassian.net, else `data_center`, where it is not given.
        """
        base_url = self._base_url(self._values.get("base_url"))
        host = httpx2.URL(base_url).host if base_url else ""
        on_cloud = _is_cloud(host)
        deployment = self._values.get("deployment") or ("cloud" if on_cloud else "data_center")
        if deployment not in _DEPLOYMENTS:
            self.note("deployment", "deployment is either cloud or data_center.")
            deployment = "cloud" if on_cloud else "data_center"
        elif on_cloud and deployment != "cloud":
            self.note("deployment", f"{host} is Atlassian's Cloud: set deployment to cloud.")
        return {"base_url": base_url, "deployment": deployment, "auth": self._auth(self._values.get("auth"), str(deployment))}

    def _base_url(self, given: Any) -> str:
        def problem(message: str) -> str:
            self.note("base_url", message)
            return ""

        example = f"such as {_EXAMPLES[self._product]}"
        if not isinstance(given, str) or not given.strip():
            return problem(f"base_url is the address of {self._product.capitalize()}, {example}.")
        text = given.strip().strip("<>\"'")
        try:
            url = httpx2.URL(text if "://" in text else f"https://{text}")
        except (httpx2.InvalidURL, ValueError):
            return problem(f"base_url is no address; it is {example}.")
        if not url.host or any(sign.isspace() for sign in text):
            return problem(f"base_url is no address; it is {example}.")
        if url.userinfo:
            return problem("base_url holds a name or a password: leave them out, a token belongs to auth.token, by reference.")
        base = str(cut_base(url, self._product)).rstrip("/")
        if "://" not in text:
            return problem(f"base_url begins with https://: write {base}")
        if url.scheme not in {"http", "https"}:
            return problem(f"base_url begins with https://, not {url.scheme}://; it is {example}.")
        if url.scheme == "http" and _is_cloud(url.host):
            return problem(f"Atlassian's Cloud is reached by https alone: write https{base.removeprefix('http')}")
        return base

    def _auth(self, given: Any, deployment: str) -> dict[str, str]:
        if not isinstance(given, Mapping):
            self.note("auth", 'auth is an object such as {"kind": "pat", "token": "env:RAG_SECRET_WIKI"}.')
            return {"kind": "pat", "email": "", "token": ""}
        for name in given:
            if name not in _AUTH:
                hint = did_you_mean(str(name), _AUTH)
                self.note(f"auth.{str(name)[:100]}", f"auth has no such field.{hint} It has kind, email and token.")
        kind = given.get("kind") or ("api_token" if deployment == "cloud" else "pat")
        email, token = given.get("email") or "", given.get("token") or ""
        if kind not in _KINDS:
            self.note("auth.kind", "auth.kind is api_token (Cloud), pat (Data Center) or oauth.")
        elif (kind, deployment) == ("pat", "cloud"):
            self.note(
                "auth.kind", "Cloud has no personal access tokens: set auth.kind to api_token, with the email of the account."
            )
        elif (kind, deployment) == ("api_token", "data_center"):
            self.note("auth.kind", "Data Center has no API tokens: set auth.kind to pat, and make a personal access token there.")
        if not isinstance(token, str) or not token or (token != FROM_REQUEST and not is_reference(token)):
            self.note(
                "auth.token", f"auth.token is no reference: {HOW_TO}; or write {FROM_REQUEST}, and send the token with each sync."
            )
            token = ""
        if not isinstance(email, str) or (email and ("@" not in email or ":" in email or any(sign.isspace() for sign in email))):
            self.note("auth.email", "auth.email is the email address of the account that the API token belongs to.")
            email = ""
        elif not email and kind == "api_token" and token != FROM_REQUEST:
            self.note("auth.email", "An API token needs the email of its account: set auth.email.")
        return {"kind": str(kind), "email": email, "token": token}

    def shared(self) -> dict[str, Any]:
        flags = {name: self.flag(name) for name in ("attachments", "comments")}
        return flags | {name: self.globs(name) for name in ("include", "exclude")}

    def texts(self, name: str) -> list[str]:
        """Texts without blanks around them, each once."""
        given = self._values.get(name, [])
        if not isinstance(given, list | tuple) or not all(isinstance(text, str) and text.strip() for text in given):
            self.note(name, f"'{name}' is a list of texts that are not empty.")
            return []
        return list(dict.fromkeys(text.strip() for text in given))

    def globs(self, name: str) -> list[str]:
        try:
            return list(check_globs(self.texts(name), f"config.{name}"))
        except ValidationFailed as error:
            self._problems.extend(error.details)
            return []

    def flag(self, name: str) -> bool:
        """True unless it is said to be false."""
        given = self._values.get(name, True)
        if not isinstance(given, bool):
            self.note(name, f"'{name}' is true or false.")
            return True
        return given

    def query(self, name: str, most: int, example: str) -> str:
        """A filter in the product's query language, of at most `most` characters and in no order of its own."""
        given = self._values.get(name, "")
        if not isinstance(given, str) or len(given) > most:
            self.note(name, f"'{name}' is a text of at most {most} characters, such as: {example}")
            return ""
        if _ORDER.search(_STRING.sub("", given)):
            self.note(name, f"'{name}' is a filter alone: leave out 'ORDER BY'.")
        return given.strip()

    def note(self, name: str, message: str) -> None:
        self._problems.append(FieldProblem(f"config.{name}", "invalid", message))

    def check(self) -> None:
        """Raises `ValidationFailed` that names every wrong field."""
        if self._problems:
            raise ValidationFailed(" ".join(problem.message for problem in self._problems), details=self._problems)

    def _unknown(self, name: str) -> FieldProblem:
        near = get_close_matches(name, self._known, 1)
        hint = f"Did you mean '{near[0]}'?" if near else f"It has: {', '.join(self._known)}."
        return FieldProblem(f"config.{name}", "unknown", f"A {self._product.capitalize()} source has no '{name}'. {hint}")


def _is_cloud(host: str) -> bool:
    return host.endswith(".atlassian.net") or host == _GATEWAY
