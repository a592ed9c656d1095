"""The contract of a cloud source."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any, Protocol

import pytest

from ragd.core.errors import PayloadTooLarge, SourceRefused, SourceUnavailable, ValidationFailed
from ragd.sources.base import ALWAYS_REFETCH, CloudSource, Current, Fetched, HttpOptions, Listed, Unfetched, Usage

_LIMIT = 10 * 1024 * 1024
_NOBODY = "a-token-that-nobody-has"


class RemoteSide(Protocol):
    """What a source reads, real or a fake, and how a test moves it. It holds at least three items from the beginning.

    `config` is what a person would write, `token` the token it leads to, `reader` the token of somebody else who may read every
    item. `wrong` names fields (`config.address`) and gives for each a configuration in which just this one is wrong.
    """

    config: Mapping[str, Any]
    token: str
    reader: str
    wrong: Mapping[str, Mapping[str, Any]]

    def now(self) -> datetime:
        """The time there (aware)."""
        ...

    def add(self, title: str, text: str) -> str:
        """A new item; the id that the source gives it."""
        ...

    def change(self, item_id: str, text: str) -> None:
        """Replace the text of an item."""
        ...

    def remove(self, item_id: str) -> None: ...

    def forbid(self, item_id: str, token: str) -> None:
        """Take the right to read one item from one token."""
        ...

    def stop(self) -> None:
        """Answer nobody any more."""
        ...


class CloudSourceContract:
    """Everything that `sources.base` promises of a source."""

    @pytest.fixture
    def source_class(self) -> type[CloudSource]:
        """The class under test."""
        raise NotImplementedError("override the fixture source_class")

    @pytest.fixture
    def remote(self) -> RemoteSide:
        """A remote side for one test."""
        raise NotImplementedError("override the fixture remote")

    @pytest.fixture
    def source(self, source_class: type[CloudSource], remote: RemoteSide) -> Iterator[CloudSource]:
        source = _opened(source_class, remote, remote.token)
        yield source
        source.close()

    # Configuration

    def test_a_configuration_is_completed_ready_for_json_and_stays_as_it_is(
        self, source_class: type[CloudSource], remote: RemoteSide
    ) -> None:
        config = source_class.parse_config(remote.config)
        assert json.loads(json.dumps(config)) == config
        assert source_class.parse_config(config) == config

    def test_each_wrong_field_is_named(self, source_class: type[CloudSource], remote: RemoteSide) -> None:
        assert remote.wrong
        for field, values in remote.wrong.items():
            with pytest.raises(ValidationFailed) as caught:
                source_class.parse_config(values)
            assert [problem.field for problem in caught.value.details] == [field]

    def test_an_unknown_field_is_named(self, source_class: type[CloudSource], remote: RemoteSide) -> None:
        with pytest.raises(ValidationFailed) as caught:
            source_class.parse_config({**remote.config, "no_such_field": 1})
        assert "config.no_such_field" in [problem.field for problem in caught.value.details]

    def test_it_is_a_source_with_a_type(self, source: CloudSource) -> None:
        assert isinstance(source, CloudSource)
        assert source.type

    # Looking before reading

    def test_a_check_shows_what_would_be_read(self, source: CloudSource) -> None:
        preview = source.check()
        assert preview.deployment
        containers = {item.container for item in source.listing(deep=True)}
        assert containers <= {container.key for container in preview.containers}

    def test_a_wrong_token_is_refused_by_everything_that_asks(
        self, source_class: type[CloudSource], remote: RemoteSide, source: CloudSource
    ) -> None:
        [some, *_] = _listed(source)
        with closing(_opened(source_class, remote, _NOBODY)) as wrong:
            for ask in (
                wrong.check,
                lambda: list(wrong.listing(deep=False)),
                lambda: list(wrong.listing(deep=True)),
                lambda: list(wrong.changes(remote.now() - timedelta(days=2))),
                lambda: source.current([some], _NOBODY, content=False),
            ):
                with pytest.raises(SourceRefused) as caught:
                    ask()
                assert _NOBODY not in str(caught.value)
                assert not caught.value.retryable

    def test_a_listing_that_is_cut_short_raises(self, source: CloudSource, remote: RemoteSide) -> None:
        remote.stop()
        for deep in (False, True):
            with pytest.raises(SourceUnavailable):
                list(source.listing(deep=deep))
        with pytest.raises(SourceUnavailable):
            list(source.changes(remote.now() - timedelta(days=2)))

    # Listing

    def test_everything_is_listed_once_and_what_is_gone_no_more(self, source: CloudSource, remote: RemoteSide) -> None:
        before = {item.id for item in _listed(source)}
        assert len(before) >= 3
        added = [remote.add("New page", "new text"), remote.add("新しいページ", "新しい本文")]
        gone = remote.add("Gone", "text")
        assert gone in {item.id for item in _listed(source)}
        remote.remove(gone)
        for deep in (False, True):
            ids = [item.id for item in source.listing(deep=deep)]
            assert len(ids) == len(set(ids))
            assert set(added) <= set(ids)
            assert before <= set(ids) | {item.id for item in _listed(source) if item.owner}
            assert gone not in ids

    def test_a_deep_listing_has_every_fingerprint_and_a_shallow_one_lacks_only_what_is_owned(self, source: CloudSource) -> None:
        deep = {item.id: item for item in source.listing(deep=True)}
        shallow = {item.id for item in source.listing(deep=False)}
        assert all(item.fingerprint for item in deep.values() if item.left_out is None)
        assert shallow <= set(deep)
        assert all(deep[missing].owner in deep for missing in set(deep) - shallow)

    def test_what_is_left_out_has_a_reason(self, source: CloudSource) -> None:
        assert all(item.left_out is None or item.left_out.message for item in source.listing(deep=True))

    def test_a_fingerprint_changes_with_its_item_and_only_then(self, source: CloudSource, remote: RemoteSide) -> None:
        changing, staying = remote.add("One", "before"), remote.add("Two", "before")
        before = _fingerprints(source)
        assert _fingerprints(source) == before
        remote.change(changing, "after")
        after = _fingerprints(source)
        assert after[changing] != before[changing]
        assert after[staying] == before[staying]

    def test_changes_have_what_changed_since_with_its_fingerprint(self, source: CloudSource, remote: RemoteSide) -> None:
        changing = remote.add("変更", "before")
        since = remote.now()
        remote.change(changing, "after")
        added = remote.add("Added", "text")
        changes = {item.id: item for item in source.changes(since)}
        now = _fingerprints(source)
        for item_id in (changing, added):
            assert changes[item_id].fingerprint == now[item_id]

    # Fetching

    def test_each_item_is_answered_once_as_it_was_listed(self, source: CloudSource, remote: RemoteSide) -> None:
        added = remote.add("設定 Guide", "the text of this item, この本文")
        items = [item for item in _listed(source) if item.left_out is None]
        answers = list(source.fetch(items))
        assert sorted(answer.id for answer in answers) == sorted(item.id for item in items)
        fetched = {answer.id: answer for answer in answers if isinstance(answer, Fetched)}
        fingerprints = {item.id: item.fingerprint for item in items}
        for answer in fetched.values():
            assert answer.fingerprint.removesuffix(ALWAYS_REFETCH) == fingerprints[answer.id]
            assert all((answer.version, answer.title, answer.source, answer.uri, answer.name))
        assert len({answer.uri for answer in fetched.values()}) == len(fetched)
        data = fetched[added].load(_LIMIT)
        assert b"the text of this item" in data
        assert data == _fetched(source, added).load(_LIMIT)

    def test_nothing_is_fetched_for_nothing(self, source: CloudSource) -> None:
        assert list(source.fetch([])) == []

    def test_a_changed_item_is_fetched_as_it_is_now(self, source: CloudSource, remote: RemoteSide) -> None:
        item_id = remote.add("Title", "old words")
        old = _fetched(source, item_id)
        remote.change(item_id, "new words")
        new = _fetched(source, item_id)
        assert b"new words" in new.load(_LIMIT)
        assert (new.version, new.fingerprint) != (old.version, old.fingerprint)
        assert new.version != old.version

    @pytest.mark.parametrize("how", ["gone", "forbidden"])
    def test_what_can_not_be_had_costs_itself_alone_and_has_a_reason(
        self, source: CloudSource, remote: RemoteSide, how: str
    ) -> None:
        lost, kept = remote.add("Lost", "lost text"), remote.add("Kept", "kept text")
        items = [item for item in _listed(source) if item.id in {lost, kept}]
        if how == "gone":
            remote.remove(lost)
        else:
            remote.forbid(lost, remote.token)
        answers = {answer.id: answer for answer in source.fetch(items)}
        answer = answers[lost]
        assert isinstance(answer, Unfetched)
        assert answer.skip.reason in ({"gone"} if how == "gone" else {"gone", "forbidden"})
        assert answer.skip.message
        assert isinstance(answers[kept], Fetched)

    def test_a_load_keeps_to_its_limit(self, source: CloudSource, remote: RemoteSide) -> None:
        item_id = remote.add("Long", "long text " * 100)
        size = len(_fetched(source, item_id).load(_LIMIT))
        assert len(_fetched(source, item_id).load(size)) == size
        with pytest.raises(PayloadTooLarge):
            _fetched(source, item_id).load(size - 1)

    # A person's rights

    def test_a_person_gets_the_versions_of_what_may_be_read_and_nothing_else(
        self, source: CloudSource, remote: RemoteSide
    ) -> None:
        seen, forbidden, gone = (remote.add(title, "text") for title in ("見える", "Hidden", "Gone"))
        items = [item for item in _listed(source) if item.id in {seen, forbidden, gone}]
        assert set(source.current(items, remote.reader, content=False)) == {seen, forbidden, gone}
        remote.forbid(forbidden, remote.reader)
        remote.remove(gone)
        for content in (False, True):
            found = source.current(items, remote.reader, content=content)
            assert set(found) == {seen}
            assert found[seen].version == _fetched(source, seen).version

    def test_a_person_gets_the_content_of_now(self, source: CloudSource, remote: RemoteSide) -> None:
        item_id = remote.add("Title", "old words")
        items = [item for item in _listed(source) if item.id == item_id]
        old = source.current(items, remote.reader, content=False)[item_id]
        remote.change(item_id, "new words")
        new = source.current(items, remote.reader, content=True)[item_id]
        assert new.version != old.version
        assert new.fetched is not None
        assert b"new words" in new.fetched.load(_LIMIT)
        assert new.fetched.version == new.version

    def test_several_people_may_ask_at_once(self, source: CloudSource, remote: RemoteSide) -> None:
        item_id = remote.add("Title", "text")
        items = [item for item in _listed(source) if item.id == item_id]
        remote.forbid(item_id, remote.reader)

        def ask(number: int) -> dict[str, Current]:
            return source.current(items, remote.reader if number % 2 else remote.token, content=True)

        with ThreadPoolExecutor(4) as pool:
            assert [set(found) for found in pool.map(ask, range(8))] == [{item_id}, set()] * 4

    def test_nothing_is_asked_of_nothing(self, source: CloudSource, remote: RemoteSide) -> None:
        assert source.current([], remote.reader, content=True) == {}

    # Accounting

    def test_requests_are_counted(self, source_class: type[CloudSource], remote: RemoteSide) -> None:
        usage = Usage()
        with closing(_opened(source_class, remote, remote.token, usage)) as source:
            assert usage.requests == 0
            listed = _listed(source)
            after_listing = usage.requests
            assert after_listing > 0
            list(source.fetch(listed[:1]))
            assert usage.requests > after_listing


def _opened(source_class: type[CloudSource], remote: RemoteSide, token: str, usage: Usage | None = None) -> CloudSource:
    options: Any = {"requests_per_minute": 100_000, "attempts": 2, "timeout_s": 10.0, "allowed_hosts": ("127.0.0.1", "localhost")}
    http = HttpOptions(pause=_at_once, usage=usage or Usage(), **options)
    build: Any = source_class
    source: CloudSource = build(config=source_class.parse_config(remote.config), token=token, http=http)
    return source


def _at_once(_seconds: float) -> None:
    """No test waits."""


def _listed(source: CloudSource) -> list[Listed]:
    return list(source.listing(deep=True))


def _fingerprints(source: CloudSource) -> dict[str, str | None]:
    return {item.id: item.fingerprint for item in _listed(source)}


def _fetched(source: CloudSource, item_id: str) -> Fetched:
    [answer] = source.fetch([item for item in _listed(source) if item.id == item_id])
    assert isinstance(answer, Fetched)
    return answer
