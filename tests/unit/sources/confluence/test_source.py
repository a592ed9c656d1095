"""What the Confluence source lists and what it finds changed, over the double of Confluence Cloud and Data Center."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from ragd.core.errors import SourceRefused, SourceUnavailable
from ragd.sources.base import ALWAYS_REFETCH, Fetched

from ....atlassian_server import World, serve
from .confluence_site import DEPLOYMENTS, LIMIT, Site, by_id, content, fetched, opened_site, stored

pytestmark = pytest.mark.slow


@pytest.fixture(params=DEPLOYMENTS)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    yield from opened_site(request.param)


# Listing


def test_all_that_the_account_may_read_is_listed_and_nothing_else(site: Site) -> None:
    token = site.token("indexer", "space:*")
    pages = site.world.readable_pages(token)
    files = site.world.attachments_of(pages)
    assert len(pages) < len(site.world.pages)
    listed = by_id(site.open(token).listing(deep=True))
    assert set(listed) == {f"{page.kind}/{page.id}" for page in pages} | {f"attachment/{file.id}" for file in files}
    assert {item.container for item in listed.values()} == {"DEV", "OPS"}
    assert all(item.fingerprint for item in listed.values())


def test_a_plain_listing_agrees_with_a_deep_one(site: Site) -> None:
    source = site.open()
    deep = by_id(source.listing(deep=True))
    plain = by_id(source.listing(deep=False))
    assert set(plain) == {id_ for id_, item in deep.items() if item.kind != "attachment"}
    told = site.deployment == "cloud"
    for id_, item in plain.items():
        assert item.fingerprint == ((deep[id_].fingerprint or "").partition("|")[0] if told else None)
        assert (item.container, item.title) == (deep[id_].container, deep[id_].title)


def test_what_is_fetched_has_the_fingerprint_that_was_listed(site: Site) -> None:
    source = site.open()
    listed = by_id(source.listing(deep=True))
    # Another run has only what the ledger keeps.
    for one in (source, site.open()):
        answers = list(one.fetch(stored(list(listed.values()))))
        assert {answer.id for answer in answers} == {id_ for id_, item in listed.items() if not item.left_out}
        for answer in answers:
            assert isinstance(answer, Fetched)
            assert answer.fingerprint.removesuffix(ALWAYS_REFETCH) == listed[answer.id].fingerprint


def test_chosen_spaces_alone_are_read(site: Site) -> None:
    source = site.open(spaces=["OPS"])
    assert {item.container for item in source.listing(deep=True)} == {"OPS"}
    site.world.edit_page(site.page(lambda page: page.space == "DEV").id, "<p>x</p>")
    assert list(source.changes(site.world.clock.now())) == []


def test_a_space_that_nobody_sees_is_empty_and_not_everything(site: Site) -> None:
    source = site.open(spaces=["NOPE"])
    assert list(source.listing(deep=True)) == list(source.changes(site.world.clock.now())) == []
    assert "NOPE" in source.check().warnings[0]


def test_a_filter_keeps_what_it_finds_with_its_files(site: Site) -> None:
    page = site.page(lambda page: site.world.attachments_of([page]))
    site.world.label(page.id, "極秘以外")
    source = site.open(cql='label = "極秘以外" or label = "none"')
    files = {f"attachment/{file.id}" for file in site.world.attachments_of([page])}
    listed = by_id(source.listing(deep=True))
    assert set(listed) == {f"page/{page.id}", *files}
    assert [
        answer.fingerprint for answer in source.fetch(stored([listed[f"page/{page.id}"]])) if isinstance(answer, Fetched)
    ] == [listed[f"page/{page.id}"].fingerprint]
    assert {item.id for item in source.listing(deep=False)} == {f"page/{page.id}"}
    other = site.page(lambda one: one.id != page.id)
    for changed in (page, other):
        site.world.edit_page(changed.id, "<p>new</p>")
    assert set(by_id(source.changes(site.world.clock.now()))) == set(listed)


def test_without_attachments_none_is_listed_and_none_is_downloaded(site: Site) -> None:
    source = site.open(attachments=False, comments=False)
    listed = by_id(source.listing(deep=True))
    assert {item.kind for item in listed.values()} == {"page", "blogpost"}
    made = [content(answer) for answer in fetched(source, *listed.values()).values()]
    assert not any(one["pictures"] or one["drawings"] or one["comments"] for one in made)


def test_a_listing_whose_cursor_expires_is_begun_once_more_and_else_raises() -> None:
    world = World(seed=3, spaces=2, pages=560, projects=0, issues=0)
    with serve(world) as served:
        site = Site(world, served.confluence_cloud, "cloud", [])
        token = site.token("indexer", "space:*")
        for filters in ({}, {"cql": 'title != "x"'}):
            source = site.open(token, **filters)
            world.faults.fail("cursor=", status=400, times=1)
            assert len(by_id(source.listing(deep=False))) == len(world.readable_pages(token))
            world.faults.fail("cursor=", status=400)
            with pytest.raises(SourceUnavailable) as caught:
                list(source.listing(deep=False))
            assert not isinstance(caught.value, SourceRefused)
            world.faults.clear()
        site.close()


# Changes


def test_a_cycle_over_5000_pages_with_20_changes_costs_at_most_30_requests() -> None:
    world = World(seed=1, spaces=3, pages=5000, projects=0, issues=0)
    with serve(world) as served:
        for deployment, base in zip(DEPLOYMENTS, (served.confluence_cloud, served.confluence_dc), strict=True):
            site = Site(world, base, deployment, [])
            token = site.token(f"indexer-{deployment}", "space:*")
            since = world.clock.now()
            world.clock.advance(40 * 3600)
            pages = [page for page in world.readable_pages(token) if page.kind == "page" and page.fact][10:4000:200]
            for page in pages:
                world.edit_page(page.id, f"{page.body}<p>{since}</p>")
            source = site.open(token, f"indexer-{deployment}@example.com")
            world.reset_requests()
            changes = by_id(source.changes(since + timedelta(hours=15)))
            plain = by_id(source.listing(deep=False))
            assert len(plain) == len(world.readable_pages(token))
            assert len(pages) == 20
            assert {f"page/{page.id}" for page in pages} <= set(changes)
            found = fetched(source, *(changes[f"page/{page.id}"] for page in pages))
            assert len(found) == 20
            assert all(
                answer.fingerprint.removesuffix(ALWAYS_REFETCH) == changes[id_].fingerprint for id_, answer in found.items()
            )
            assert site.asked() <= 30, world.requests
            site.close()


def test_a_comment_makes_a_page_another_though_its_version_stays(site: Site) -> None:
    page, source = site.page(), site.open()
    id_ = f"page/{page.id}"
    before = by_id(source.listing(deep=True))[id_].fingerprint or ""
    since = site.world.clock.now()
    comment = site.world.add_comment(page.id, "<p>承認は不要です</p>", kind="inline", selection="次の値")
    reply = site.world.add_comment(page.id, "<p>Thanks</p>", kind="inline", parent=comment.id)
    changed = by_id(source.changes(since))[id_]
    assert changed.fingerprint != before
    assert (changed.fingerprint or "").partition("|")[0] == before.partition("|")[0]
    answer = fetched(source, changed)[id_]
    assert answer.fingerprint == changed.fingerprint
    thread = next(one for one in content(answer)["comments"] if one["id"] == comment.id)
    assert (thread["value"], thread["selection"], thread["kind"]) == ("<p>承認は不要です</p>", "次の値", "inline")
    assert [one["id"] for one in thread["replies"]] == [reply.id]
    # Seen again by the overlap, it is what was fetched.
    assert by_id(source.changes(since))[id_].fingerprint == answer.fingerprint


def test_a_deep_listing_sees_what_leaves_no_date_behind(site: Site) -> None:
    page, source = site.page(), site.open()
    id_ = f"page/{page.id}"
    comment = site.world.add_comment(page.id, "<p>x</p>")
    seen = [by_id(source.listing(deep=True))[id_].fingerprint]
    site.world.label(page.id, "新しい")
    seen.append(by_id(source.listing(deep=True))[id_].fingerprint)
    site.world.delete_comment(comment.id)
    seen.append(by_id(source.listing(deep=True))[id_].fingerprint)
    assert len(set(seen)) == 3
    assert content(fetched(source, by_id(source.listing(deep=True))[id_])[id_])["labels"] == ["新しい"]


def test_a_changed_page_brings_all_its_attachments(site: Site) -> None:
    page, source = site.page(lambda page: not site.world.attachments_of([page])), site.open()
    old = site.world.attach(page.id, "old.txt", b"old", "text/plain")
    site.world.clock.advance(50 * 3600)
    since = site.world.clock.now()
    new = site.world.attach(page.id, "議事録 #1.txt", "本文".encode(), "text/plain")
    changed = by_id(source.changes(since))
    assert set(changed) == {f"page/{page.id}", f"attachment/{old.id}", f"attachment/{new.id}"}
    item = changed[f"attachment/{new.id}"]
    assert item.owner == f"page/{page.id}"
    answer = fetched(source, item)[item.id]
    assert (answer.load(LIMIT), answer.name) == ("本文".encode(), "議事録 #1.txt")
    assert answer.source == f"{page.space}/{page.title}/議事録 #1.txt"
    site.world.attach(page.id, "old.txt", b"newer", "text/plain")
    again = by_id(source.changes(since))[f"attachment/{old.id}"]
    assert again.fingerprint != changed[f"attachment/{old.id}"].fingerprint


def test_another_title_or_place_above_makes_pages_others(site: Site) -> None:
    parent = site.page(lambda page: any(True for _ in site.world.below(page.id)))
    child = next(site.world.below(parent.id))
    source = site.open()
    before = by_id(source.listing(deep=True))
    site.world.edit_page(parent.id, title="新しい名前")
    after = by_id(source.listing(deep=True))
    assert before[f"page/{child.id}"].fingerprint != after[f"page/{child.id}"].fingerprint
    assert content(fetched(source, after[f"page/{child.id}"])[f"page/{child.id}"])["ancestors"][-1] == "新しい名前"
    site.world.move_page(child.id, site.world.spaces[child.space].homepage)
    moved = by_id(source.listing(deep=True))[f"page/{child.id}"]
    assert moved.fingerprint != after[f"page/{child.id}"].fingerprint
    if site.deployment == "cloud":
        plain = by_id(source.listing(deep=False))[f"page/{child.id}"]
        assert plain.fingerprint == (moved.fingerprint or "").partition("|")[0]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Asia/Kolkata", "UTC", "Etc/GMT+12"])
def test_a_change_in_the_very_minute_is_found_in_every_zone(site: Site, zone: str) -> None:
    site.world.time_zone = zone
    source = site.open()
    for second in (0.0, 59.999):
        since = datetime(2030, 3, 31, 23, 59, tzinfo=UTC) + timedelta(seconds=second)
        site.world.clock.freeze(since)
        page = site.page()
        site.world.edit_page(page.id, f"<p>{second}</p>")
        assert f"page/{page.id}" in by_id(source.changes(since))


def test_what_the_index_learns_late_is_found_by_the_overlap(site: Site) -> None:
    site.world.index_lag_s = 300
    page, source = site.page(), site.open()
    id_ = f"page/{page.id}"
    since = site.world.clock.now()
    site.world.add_comment(page.id, "<p>late</p>")
    first = by_id(source.changes(since)).get(id_)
    site.world.clock.advance(600)
    late = by_id(source.changes(since))[id_]
    assert first is None or first.fingerprint != late.fingerprint
