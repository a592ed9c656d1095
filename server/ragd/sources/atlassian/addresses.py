"""Addresses at one site: those we make below its base, and those it gives in its many ways of writing them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx2

_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
# What errors may repeat of a path: the last part of a download's may be a file name.
_PLAIN_PART = re.compile(r"(att)?\d+|download|content")

# The first part of a path behind the base, as browsers show it. What is before it is the context path.
_BEHIND: Mapping[str, frozenset[str]] = {
    "confluence": frozenset(
        "spaces display pages x rest api plugins download home people label labels search s questions calendars users".split()
    ),
    "jira": frozenset("browse projects secure issues rest plugins servicedesk software boards people s dashboards".split()),
}
_BEHIND_ENDINGS = (".action", ".jsp", ".jspa", ".html")


class Addresses:
    """`base` is the site's address without a slash at its end, perhaps with a context path (`/wiki`)."""

    def __init__(self, base: httpx2.URL) -> None:
        self.base = base
        self._text = str(base).rstrip("/")
        parts = base.path.strip("/").split("/")
        # A gateway's path may end with the site's own context path: /ex/confluence/ID/wiki.
        self._contexts = ["/" + "/".join(parts[start:]) for start in range(len(parts)) if parts[start]]

    def below(self, path: str, params: Mapping[str, Any] | None = None) -> httpx2.URL:
        """A path below the base. A list repeats its parameter, None leaves it out."""
        url = httpx2.URL(self._text + ("" if path.startswith("/") else "/") + path)
        given = {name: value for name, value in (params or {}).items() if value is not None}
        return url.copy_merge_params(given) if given else url

    def given(self, address: str, links: Mapping[str, Any], current: httpx2.URL | None = None) -> httpx2.URL:
        """An address that the site gave: absolute, or relative to its host, with or without the context path.

        `links` is the `_links` beside it, whose `base` and `context` say what the site takes for its own address; `current` is
        what it answered. Raises `ValueError` for what is no address.
        """
        base = str(links.get("base") or "").rstrip("/")
        if base and address.startswith(f"{base}/"):
            return self.below(address.removeprefix(base))
        try:
            if address.startswith("?") and current is not None:
                return current.copy_with(query=address[1:].encode("utf-8"))
            if _ABSOLUTE.match(address):
                return httpx2.URL(address)
            contexts = [*self._contexts, str(links.get("context") or "").rstrip("/"), httpx2.URL(base).path.rstrip("/")]
            context = next((context for context in contexts if context and address.startswith(f"{context}/")), "")
            return self.below(address.removeprefix(context))
        except httpx2.InvalidURL as error:
            raise ValueError("no address") from error

    def is_ours(self, url: httpx2.URL) -> bool:
        """Whether it is of the site's origin, where credentials may go."""
        return (url.scheme, url.host, url.port) == (self.base.scheme, self.base.host, self.base.port)

    def shown(self, url: httpx2.URL, *, cut: bool = False) -> str:
        """A path as errors may name it: without the query, and with `cut` without what may be a file's name."""
        if not self.is_ours(url):
            return f"a file at {url.host}"
        path = url.path.removeprefix(self.base.path.rstrip("/"))
        before, _, last = path.rpartition("/")
        return path if not cut or _PLAIN_PART.fullmatch(last) else f"{before}/…"


def cut_base(url: httpx2.URL, product: str) -> httpx2.URL:
    """The base of an address that a browser shows, with its context path, and without query and slash at its end."""
    if url.host.endswith(".atlassian.net"):
        path = "/wiki" if product == "confluence" else ""
    else:
        parts: list[str] = []
        for part in filter(None, url.path.split("/")):
            if part in _BEHIND[product] or part.lower().endswith(_BEHIND_ENDINGS):
                break
            parts.append(part)
        path = "".join(f"/{part}" for part in parts)
    return url.copy_with(path=path or "/", query=None, fragment=None)
