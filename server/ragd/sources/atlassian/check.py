"""Testing a site's address and token, so that each mistake gets the answer what to write instead.

The address is looked at without credentials first: a token never goes where a wrong address leads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx2

from ragd.core.errors import DocumentVanished, ItemForbidden, SourceRefused
from ragd.sources.atlassian import redirects
from ragd.sources.atlassian.addresses import Addresses, cut_base
from ragd.sources.atlassian.client import AtlassianClient, Product
from ragd.sources.atlassian.responses import TOKEN_FIELD, Answer, Lost, RequestRefused
from ragd.sources.atlassian.transport import NoTls, NotThere

_WHO: Mapping[tuple[str, str], str] = {
    ("confluence", "cloud"): "/rest/api/user/current",
    ("confluence", "data_center"): "/rest/api/user/current",
    ("jira", "cloud"): "/rest/api/3/myself",
    ("jira", "data_center"): "/rest/api/2/myself",
}
_CONTEXTS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("confluence", "cloud"): ("/wiki", ""),
    ("confluence", "data_center"): ("/confluence", "/wiki", ""),
    ("jira", "cloud"): ("",),
    ("jira", "data_center"): ("/jira", ""),
}
_DEPLOYMENT_FIELD = "config.deployment"
_BAD_REQUEST = 400
_OK = 200
_WANTS_A_TOKEN = frozenset((401, 403))
_NAMES = ("displayName", "publicName", "fullName", "name", "username", "accountId", "userKey", "key")


def check_site(client: AtlassianClient, config: Mapping[str, Any], *, product: Product) -> str:
    """The name of whom the token belongs to. Raises `SourceRefused` that says which setting to change, and to what."""
    who = _WHO[product, config["deployment"]]
    _look(client, who)
    try:
        person = client.get(who)
    except ItemForbidden:
        raise SourceRefused(
            f"{client.base_url} knows the token, but its account may not use {product.capitalize()} (403).", TOKEN_FIELD
        ) from None
    except (DocumentVanished, RequestRefused):
        _say_where(client, config["deployment"], product)
        raise SourceRefused(
            f"There is no {product.capitalize()} at {client.base_url}. Open it in a browser, and set base_url to what the "
            "address bar shows before the part that names a page."
        ) from None
    except SourceRefused as error:
        if error.details[0].field == "config.base_url":
            _say_where(client, config["deployment"], product)
        raise
    return _name(person, config, product)


def _name(person: Any, config: Mapping[str, Any], product: Product) -> str:
    if not isinstance(person, dict):
        raise SourceRefused(f"{config['base_url']} does not answer as {product.capitalize()} does. Check base_url.")
    if person.get("type") == "anonymous":
        raise SourceRefused(
            f"{config['base_url']} takes the token for none and answers as to a stranger. Check auth.kind and auth.token.",
            TOKEN_FIELD,
        )
    on_cloud = bool(person.get("accountId"))
    if on_cloud != (config["deployment"] == "cloud"):
        right = "cloud" if on_cloud else "data_center"
        raise SourceRefused(f"{config['base_url']} answers as {right} does: set deployment to {right}.", _DEPLOYMENT_FIELD)
    return next((str(person[name]) for name in _NAMES if person.get(name)), "")


def _look(client: AtlassianClient, who: str) -> None:
    """Without credentials: raises `SourceRefused` where the address itself can't be right."""
    url = client.base_url + who
    secure = f"https{client.base_url.removeprefix('http')}" if client.base_url.startswith("http:") else None
    try:
        answer = client.probe(url)
    except NotThere as error:
        raise SourceRefused(
            f"{client.base_url} {error}. Check the spelling and the port of base_url, and whether this machine needs a VPN or "
            "a proxy."
        ) from error
    except NoTls as error:
        raise SourceRefused(
            f"{client.base_url} {error}. Check the port; if the site really is without encryption, write "
            f"http{client.base_url.removeprefix('https')}"
        ) from error
    except Lost:
        if secure and _speaks_tls(client, secure + who):
            raise _write_instead(client, secure, "wants https") from None
        return
    if answer.status == _BAD_REQUEST and secure and _speaks_tls(client, secure + who):
        raise _write_instead(client, secure, "wants https")
    to = redirects.target(answer.url, answer.status, answer.headers.get("location", ""))
    if to is not None:
        _look_behind(client, answer.url, to)


def _look_behind(client: AtlassianClient, asked: httpx2.URL, to: httpx2.URL) -> None:
    if (moved := redirects.moved_base(asked, to, client.base_url)) and moved != client.base_url:
        raise _write_instead(client, moved, "has moved")
    if asked.scheme == "http" and to.scheme == "https" and asked.host == to.host:
        raise _write_instead(client, f"https{client.base_url.removeprefix('http')}", "wants https")


def _speaks_tls(client: AtlassianClient, url: str) -> bool:
    try:
        client.probe(url)
    except Lost:
        return False
    except SourceRefused:
        # It shows a certificate, if not a trusted one.
        return True
    return True


def _say_where(client: AtlassianClient, deployment: str, product: Product) -> None:
    """Raises `SourceRefused` that names the address or the deployment where the product does answer; else nothing."""
    other = "cloud" if deployment == "data_center" else "data_center"
    if _WHO[product, other] != _WHO[product, deployment] and _is_there(client, client.base_url + _WHO[product, other]):
        raise SourceRefused(f"{client.base_url} answers as {other} does: set deployment to {other}.", _DEPLOYMENT_FIELD)
    for candidate in _candidates(client, product, _CONTEXTS[product, deployment]):
        if _is_there(client, candidate + _WHO[product, deployment]):
            raise _write_instead(client, candidate, f"has no {product.capitalize()}; it answers elsewhere")


def _candidates(client: AtlassianClient, product: Product, contexts: Sequence[str]) -> Iterator[str]:
    """Addresses of the same host where the product may be: where the base leads, below and above it, and the usual places."""
    base = httpx2.URL(client.base_url)
    front = _probed(client, f"{client.base_url}/")
    leads = redirects.target(front.url, front.status, front.headers.get("location", "")) if front else None
    own = base.path.rstrip("/")
    parents = []
    parent = own
    while parent:
        parent = parent.rpartition("/")[0]
        parents.append(parent)
    led = [cut_base(leads, product).path.rstrip("/")] if leads is not None and Addresses(base).is_ours(leads) else []
    paths = led + [own + context for context in contexts] + parents + list(contexts)
    for path in dict.fromkeys(paths):
        if path != own:
            yield str(base.copy_with(path=path or "/")).rstrip("/")


def _is_there(client: AtlassianClient, url: str) -> bool:
    answer = _probed(client, url)
    if answer is None:
        return False
    return answer.status in _WANTS_A_TOKEN or (answer.status == _OK and not answer.is_page)


def _probed(client: AtlassianClient, url: str) -> Answer | None:
    """The answer, or None: a guess that leads nowhere is no error."""
    try:
        return client.probe(url)
    except (Lost, SourceRefused):
        return None


def _write_instead(client: AtlassianClient, address: str, reason: str) -> SourceRefused:
    return SourceRefused(f"{client.base_url} {reason}. Set base_url to {address}")
