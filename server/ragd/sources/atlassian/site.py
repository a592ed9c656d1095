"""Which site a source reads and as whom: what people write about it, checked and completed, and the client that follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from ragd.config.secrets import HOW_TO, is_reference
from ragd.core.errors import FieldProblem, SourceRefused, did_you_mean
from ragd.sources.atlassian.addresses import cut_base
from ragd.sources.atlassian.client import AtlassianClient, Auth, Product
from ragd.sources.base import FROM_REQUEST, HttpOptions

_GATEWAY = "api.atlassian.com"
_KINDS = ("api_token", "pat", "oauth")
_DEPLOYMENTS = ("cloud", "data_center")
_EXAMPLES: Mapping[str, str] = {
    "confluence": "https://example.atlassian.net/wiki or https://confluence.example.com",
    "jira": "https://example.atlassian.net or https://jira.example.com",
}


def parse_site(values: Mapping[str, Any], problems: list[FieldProblem], *, product: Product) -> dict[str, Any]:
    """`base_url`, `deployment` and `auth` of a source's configuration, checked and completed; what is wrong goes to `problems`.

    Trailing slashes and the rest of an address copied from a browser are cut off the base. The deployment is `cloud` for
    *.atlassian.net, else `data_center`, where it is not given.
    """
    base_url = _base_url(values.get("base_url"), problems, product)
    host = httpx.URL(base_url).host if base_url else ""
    on_cloud = _is_cloud(host)
    deployment = values.get("deployment") or ("cloud" if on_cloud else "data_center")
    if deployment not in _DEPLOYMENTS:
        problems.append(FieldProblem("config.deployment", "invalid", "deployment is either cloud or data_center."))
        deployment = "cloud" if on_cloud else "data_center"
    elif on_cloud and deployment != "cloud":
        problems.append(FieldProblem("config.deployment", "invalid", f"{host} is Atlassian's Cloud: set deployment to cloud."))
    return {"base_url": base_url, "deployment": deployment, "auth": _auth(values.get("auth"), problems, str(deployment))}


def open_client(config: Mapping[str, Any], token: str, http: HttpOptions, *, product: Product) -> AtlassianClient:
    """The client of a parsed configuration; `token` is the token itself, or `email:token`."""
    return AtlassianClient(config["base_url"], user_auth(config, token), http, product=product)


def user_auth(config: Mapping[str, Any], token: str) -> Auth:
    """Whose an asking person's token is: `email:token` for API tokens, where the configuration's email stands in; else the token.

    Raises `SourceRefused` when an API token has no email.
    """
    kind = config["auth"]["kind"]
    if kind != "api_token":
        return Auth(kind, token)
    email, colon, rest = token.partition(":")
    if colon and "@" in email:
        return Auth(kind, rest, email)
    if not config["auth"].get("email"):
        raise SourceRefused(
            "An API token needs the email of its account: set auth.email, or give EMAIL:TOKEN.", "config.auth.email"
        )
    return Auth(kind, token, config["auth"]["email"])


def _base_url(given: Any, problems: list[FieldProblem], product: Product) -> str:
    def problem(message: str) -> str:
        problems.append(FieldProblem("config.base_url", "invalid", message))
        return ""

    example = f"such as {_EXAMPLES[product]}"
    if not isinstance(given, str) or not given.strip():
        return problem(f"base_url is the address of {product.capitalize()}, {example}.")
    text = given.strip().strip("<>\"'")
    try:
        url = httpx.URL(text if "://" in text else f"https://{text}")
    except (httpx.InvalidURL, ValueError):
        return problem(f"base_url is no address; it is {example}.")
    if not url.host or any(sign.isspace() for sign in text):
        return problem(f"base_url is no address; it is {example}.")
    if url.userinfo:
        return problem("base_url holds a name or a password: leave them out, a token belongs to auth.token, by reference.")
    base = str(cut_base(url, product)).rstrip("/")
    if "://" not in text:
        return problem(f"base_url begins with https://: write {base}")
    if url.scheme not in {"http", "https"}:
        return problem(f"base_url begins with https://, not {url.scheme}://; it is {example}.")
    if url.scheme == "http" and _is_cloud(url.host):
        return problem(f"Atlassian's Cloud is reached by https alone: write https{base.removeprefix('http')}")
    return base


def _auth(given: Any, problems: list[FieldProblem], deployment: str) -> dict[str, str]:
    def problem(name: str, message: str) -> None:
        problems.append(FieldProblem(f"config.{name}", "invalid", message))

    if not isinstance(given, Mapping):
        problem("auth", 'auth is an object such as {"kind": "pat", "token": "env:WIKI_TOKEN"}.')
        return {"kind": "pat", "email": "", "token": ""}
    for name in given:
        if name not in {"kind", "email", "token"}:
            hint = did_you_mean(str(name), ("kind", "email", "token"))
            problem(f"auth.{str(name)[:100]}", f"auth has no such field.{hint} It has kind, email and token.")
    kind = given.get("kind") or ("api_token" if deployment == "cloud" else "pat")
    email, token = given.get("email") or "", given.get("token") or ""
    if kind not in _KINDS:
        problem("auth.kind", "auth.kind is api_token (Cloud), pat (Data Center) or oauth.")
    elif (kind, deployment) == ("pat", "cloud"):
        problem("auth.kind", "Cloud has no personal access tokens: set auth.kind to api_token, with the email of the account.")
    elif (kind, deployment) == ("api_token", "data_center"):
        problem("auth.kind", "Data Center has no API tokens: set auth.kind to pat, and make a personal access token there.")
    if not isinstance(token, str) or not token or (token != FROM_REQUEST and not is_reference(token)):
        problem(
            "auth.token", f"auth.token is no reference: {HOW_TO}; or write {FROM_REQUEST}, and send the token with each sync."
        )
        token = ""
    if not isinstance(email, str) or (email and ("@" not in email or ":" in email or any(sign.isspace() for sign in email))):
        problem("auth.email", "auth.email is the email address of the account that the API token belongs to.")
        email = ""
    elif not email and kind == "api_token" and token != FROM_REQUEST:
        problem("auth.email", "An API token needs the email of its account: set auth.email.")
    return {"kind": str(kind), "email": email, "token": token}


def _is_cloud(host: str) -> bool:
    return host.endswith(".atlassian.net") or host == _GATEWAY
