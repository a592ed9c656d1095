"""The example of docs/examples is a source like any other."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from ragd.core.errors import SourceRefused, SourceThrottled
from ragd.providers.registry import names, provider_class
from ragd.sources.base import CloudSource, HttpOptions
from ragd.testing import CloudSourceContract

from .atlassian.atlassian_http import Asked, Reply, SiteServer, Time, http_options

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"


class Site:
    """A static web site for two people."""

    token, reader = "the-site-token", "the-reader-token"

    def __init__(self) -> None:
        self.pages = {f"/guide/{number}.html": f"<h1>Page {number}</h1>" for number in range(3)} | {"/設定": "<p>設定</p>"}
        self.forbidden: set[tuple[str, str]] = set()
        self.elsewhere = "https://other.example.com/page.html"
        self.busy: list[Reply] = []
        self.server = SiteServer(self._answer)
        self.stopped = False
        self.config = {"sitemap": f"{self.server.url}/sitemap.xml", "auth": {"token": "env:SITE_TOKEN"}}
        self.wrong: dict[str, dict[str, Any]] = {
            "config.sitemap": {**self.config, "sitemap": "docs/sitemap.xml"},
            "config.auth.token": {**self.config, "auth": {"token": self.token}},
        }

    def now(self) -> datetime:
        return datetime.now(UTC)

    def add(self, title: str, text: str) -> str:
        path = f"/new/{title.replace(' ', '-')}.html"
        self.pages[path] = text
        return self._id(path)

    def change(self, item_id: str, text: str) -> None:
        self.pages[self._path(item_id)] = text

    def remove(self, item_id: str) -> None:
        del self.pages[self._path(item_id)]

    def forbid(self, item_id: str, token: str) -> None:
        self.forbidden.add((self._path(item_id), token))

    def stop(self) -> None:
        if not self.stopped:
            self.server.close()
        self.stopped = True

    def _id(self, path: str) -> str:
        return str(httpx2.URL(self.server.url + path))

    def _path(self, item_id: str) -> str:
        return next(path for path in self.pages if self._id(path) == item_id)

    def _answer(self, asked: Asked) -> Reply:
        if self.busy:
            return self.busy.pop()
        token = asked.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in {self.token, self.reader}:
            return Reply(status=401)
        if asked.path == "/sitemap.xml":
            return Reply(self._sitemap().encode())
        path = next((path for path in self.pages if self._id(path) == self.server.url + asked.path), None)
        if path is None:
            return Reply(status=404)
        if (path, token) in self.forbidden:
            return Reply(status=403)
        return Reply(self.pages[path].encode(), headers={"ETag": f'"{hash(self.pages[path])}"'})

    def _sitemap(self) -> str:
        day = self.now().date().isoformat()
        addresses = [*(self.server.url + path for path in self.pages), self.elsewhere]
        pages = "".join(f"<url><loc>{address}</loc><lastmod>{day}</lastmod></url>" for address in addresses)
        return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{pages}</urlset>'


@pytest.fixture
def static_site_source() -> Any:
    spec = importlib.util.spec_from_file_location("static_site_source", EXAMPLES / "static_site_source.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.StaticSiteSource


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


class TestStaticSiteSource(CloudSourceContract):
    @pytest.fixture
    def source_class(self, static_site_source: type[CloudSource]) -> type[CloudSource]:
        return static_site_source

    @pytest.fixture
    def remote(self, site: Site) -> Site:
        return site


def opened(source_class: Any, site: Site, limits: HttpOptions) -> Any:
    return source_class(config=source_class.parse_config(site.config), token=site.token, http=limits)


def test_a_page_of_another_site_is_left_out_with_a_reason(static_site_source: Any, site: Site) -> None:
    source = opened(static_site_source, site, http_options(Time()))
    left_out = {item.id: item.left_out.reason for item in source.listing(deep=True) if item.left_out}
    source.close()
    assert left_out == {site.elsewhere: "filtered"}


def test_what_is_no_sitemap_is_refused(static_site_source: Any, site: Site) -> None:
    source = opened(static_site_source, site, http_options(Time()))
    for sitemap in (Reply(b"<html>"), Reply(status=404), Reply(site._sitemap().replace("<lastmod>2", "<lastmod>x").encode())):
        site.busy.append(sitemap)
        with pytest.raises(SourceRefused, match="no usable sitemap"):
            list(source.listing(deep=False))
    source.close()


def test_a_busy_site_is_waited_for_or_left_alone(static_site_source: Any, site: Site) -> None:
    time_ = Time()
    limits = http_options(time_)
    source = opened(static_site_source, site, limits)
    site.busy += [Reply(status=503), Reply(status=429, headers={"Retry-After": "7"})]
    assert len(list(source.listing(deep=False))) == 5
    assert (time_.pauses, limits.usage.throttled_s, limits.usage.requests) == ([7, 1], 8, 3)
    site.busy.append(Reply(status=429, headers={"Retry-After": "3600"}))
    with pytest.raises(SourceThrottled):
        list(source.listing(deep=False))
    source.close()


def test_it_is_registered_by_one_line_of_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((EXAMPLES / "pyproject.toml").read_text(encoding="utf-8"))
    lines = [f"[{group}]\n" + "\n".join(f"{name} = {target}" for name, target in points.items())
             for group, points in project["project"]["entry-points"].items()]  # fmt: skip
    info = tmp_path / "ragd_static_site-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rag-assistant-static-site\nVersion: 0.1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    assert "static_site" in names("source")
    assert provider_class("source", "static_site").type == "static_site"
    monkeypatch.delitem(sys.modules, "static_site_source")


def test_the_example_is_short() -> None:
    assert len((EXAMPLES / "static_site_source.py").read_text(encoding="utf-8").splitlines()) < 155
