"""AccessChecks a remote side: one call, remembered for a while, and nothing of a token in what is logged."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pytest

from ragd.access.checks import AccessChecks, OpenSources
from ragd.access.passages import Body
from ragd.config.sources import LiveSettings
from ragd.core.documents import Document
from ragd.core.errors import SourceUnavailable
from ragd.sources.base import CloudSource, Fetched, HttpOptions
from ragd.store.ledger import LedgerItem
from ragd.store.origins import Remote

from ..sources.fake_cloud import FakeCloud, FakeSite, install

READER = "reader-secret"


class Opening:
    """Counts what is opened."""

    def __init__(self) -> None:
        self.opened: list[HttpOptions] = []

    def open(self, type_: str, config: Mapping[str, Any], token: str, http: HttpOptions) -> CloudSource:
        assert (type_, token) == ("fake", "")
        self.opened.append(http)
        return FakeCloud(config, token, http)

    def http_options(self) -> HttpOptions:
        return HttpOptions(pause=lambda _seconds: None, allowed_hosts=("*",))


def read(fetched: Fetched, version: str, data: bytes) -> Body:
    document = Document("markdown", fetched.title, data.decode(), "test", "1")
    return Body(version, fetched.title, fetched.source, fetched.uri, document)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> FakeSite:
    return install(monkeypatch, FakeSite())


@pytest.fixture
def opening() -> Opening:
    return Opening()


@pytest.fixture
def checks(opening: Opening) -> Iterator[AccessChecks]:
    made = AccessChecks(opening, read, LiveSettings(), 1_000_000)
    yield made
    made.close()


def remote(site: FakeSite) -> Remote:
    return Remote("s1", "fake", "wiki", FakeCloud.parse_config(site.config), "live", False)


def item(item_id: str, version: str = "1") -> LedgerItem:
    return LedgerItem(item_id, "page", "Title", "DEV", "indexed", version=version)


def test_a_content_is_read_once_and_remembered_with_the_token_alone(checks: AccessChecks, site: FakeSite) -> None:
    page = site.add("Page", "Old.")
    site.change(page, "New.")
    for _ in range(2):
        outcome = checks.ask(remote(site), [item(page)], READER, content=True).result(10)
        assert isinstance(outcome, Mapping)
        reading = outcome[page].reading
        assert reading is not None
        body = reading.result(10)
        assert body is not None
        assert "New." in body.document.markdown
    seen = checks.content(remote(site), page, READER)
    assert seen is not None
    assert seen.version == "2"
    assert checks.content(remote(site), page, "another") is None
    assert checks.proved(remote(site), page, READER)
    assert not checks.proved(remote(site), page, "another")


def test_one_source_is_opened_once_with_short_waits(checks: AccessChecks, opening: Opening, site: FakeSite) -> None:
    page = site.add("Page", "Text.")
    for _ in range(3):
        checks.ask(remote(site), [item(page)], READER, content=False).result(10)
    (http,) = opening.opened
    assert http.longest_wait_s <= LiveSettings().budget_ms / 1000
    assert http.timeout_s <= 3


def test_an_error_that_quotes_the_token_is_not_logged(
    checks: AccessChecks, site: FakeSite, caplog: pytest.LogCaptureFixture
) -> None:
    def quote(_method: str, _ids: Collection[str]) -> None:
        raise ValueError(f"Illegal header value b'Bearer {READER}'")

    site.before = quote
    with caplog.at_level(logging.DEBUG):
        assert checks.ask(remote(site), [item("page/1")], READER, content=False).result(10) == "unanswered"
    assert "ValueError" in [getattr(record, "reason", "") for record in caplog.records]
    assert READER not in "".join(str(record.__dict__) for record in caplog.records)


def test_a_closed_source_gives_no_answer(opening: Opening, site: FakeSite) -> None:
    sources = OpenSources(opening, 0.8)
    sources.close()
    with pytest.raises(SourceUnavailable):
        sources.get(remote(site))
