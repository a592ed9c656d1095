"""Where a redirect may lead. Credentials stay with the site; only a download may go elsewhere, and never into our own network.

A site that answers `302 http://169.254.169.254/…` could else make the daemon read what only this machine may read.
"""

from __future__ import annotations

import re

import httpx2

from ragd.core.errors import SourceRefused
from ragd.core.reach import Reach, addresses_of, reach_of

MOST = 5

_STATUSES = frozenset((301, 302, 303, 307, 308))
_LOGIN = re.compile(r"(log-?in|sign-?in|sso|saml2?|authenticate|authorize|oauth2?)(\.\w{1,6})?", re.IGNORECASE)


def target(url: httpx2.URL, status: int, location: str) -> httpx2.URL | None:
    """Where an answer leads; None when it is no redirect. Raises `SourceRefused` for an address that can't be one."""
    if status not in _STATUSES:
        return None
    try:
        to = url.join(location)
    except (httpx2.InvalidURL, ValueError):
        to = httpx2.URL("")
    if not location or to.scheme not in {"http", "https"} or not to.host or to.userinfo:
        raise SourceRefused(f"{url.host} sends requests on to an address that can't be followed. Check base_url.")
    return to


def is_login(url: httpx2.URL) -> bool:
    """Whether an address looks like where people log in."""
    parts = [*url.host.split("."), *url.path.split("/")]
    return url.host == "id.atlassian.com" or any(_LOGIN.fullmatch(part) for part in parts)


def json_elsewhere(asked: httpx2.URL, to: httpx2.URL, base_url: str) -> SourceRefused:
    """The error for a JSON request that is sent to another site; it names the address to set where it is known."""
    if moved := moved_base(asked, to, base_url):
        return SourceRefused(f"{base_url} has moved to {moved}, and a token does not go along. Set base_url to {moved}")
    hint = (
        "This is where people log in: the site does not take the token." if is_login(to) else "Set base_url to the final address."
    )
    return SourceRefused(f"{base_url} sends requests on to {to.host}, where a token does not go along. {hint}")


def moved_base(asked: httpx2.URL, to: httpx2.URL, base_url: str) -> str | None:
    """The base address that a redirect stands for, when what follows the base stayed the same."""
    below = asked.path.removeprefix(httpx2.URL(base_url).path.rstrip("/"))
    if not below.strip("/") or not to.path.endswith(below):
        return None
    return str(to.copy_with(path=to.path[: -len(below)] or "/", query=None, fragment=None)).rstrip("/")


def check_elsewhere(base: httpx2.URL, asked: httpx2.URL, to: httpx2.URL) -> None:
    """Raises `SourceRefused` when a download that leaves the site may not go to `to`."""
    if asked.scheme == "https" and to.scheme == "http":
        raise SourceRefused(f"{asked.host} sends a download on to {to.host} without encryption, which is not followed.")
    reach, own = _reach(to.host), _reach(base.host)
    if reach not in ("everywhere", own) and (reach, own) != ("private", "loopback"):
        raise SourceRefused(
            f"{asked.host} sends a download on to {to.host}, an address of a private network; it is not followed."
        )


def _reach(host: str) -> Reach:
    """From where a host can be reached, by its most private address.

    A name that is not known here is left to the connection, or to the proxy that alone knows names.
    """
    try:
        reaches = {reach_of(address) for address in addresses_of(host)}
    except OSError:
        return "everywhere"
    order: tuple[Reach, ...] = ("never", "loopback", "private")
    return next((reach for reach in order if reach in reaches), "everywhere")
