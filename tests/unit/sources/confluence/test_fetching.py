"""What the Confluence source fetches, shows before it is added, and lets a person read, over the double of both deployments."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ragd.core.errors import SourceRefused, SourceUnavailable
from ragd.sources.base import Fetched, Unfetched
from ragd.sources.confluence.body import references
from ragd.sources.sync.changes import differs

from ....atlassian_server import Page
from .confluence_site import DEPLOYMENTS, LIMIT, Site, by_id, content, fetched, opened_site, stored

pytestmark = pytest.mark.slow


@pytest.fixture(params=DEPLOYMENTS)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    yield from opened_site(request.param)


# Fetching


def test_a_page_comes_with_all_that_it_shows(site: Site) -> None:
    world = site.world
    author = next(iter(world.users.values()))
    parent = site.page()
    included = world.add_page(parent.space, parent.id, '連絡先 "A&B"', "<p>Call 119</p>")
    macro = (
        '<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link>'
        '<ri:page ri:content-title="連絡先 &quot;A&amp;B&quot;" /></ac:link></ac:parameter></ac:structured-macro>'
    )
    body = (
        f'<p><ac:link><ri:user ri:account-id="{author.account_id}" /></ac:link>{macro}'
        '<ac:image><ri:attachment ri:filename="図.png" /></ac:image><ac:link><ri:attachment ri:filename="plan.txt" /></ac:link>'
        '<ac:structured-macro ac:name="drawio"><ac:parameter ac:name="diagramName">flow</ac:parameter></ac:structured-macro></p>'
    )
    page = world.add_page(parent.space, parent.id, "構成 Overview", body)
    world.label(page.id, "howto", "手順")
    world.attach(page.id, "図.png", b"png", "image/png")
    world.attach(page.id, "plan.txt", b"plan", "text/plain")
    world.attach(page.id, "unused.txt", b"unused", "text/plain")
    world.attach(page.id, "flow", b"<mxfile>x</mxfile>", "application/vnd.jgraph.mxfile")
    source = site.open()
    answer = fetched(source, by_id(source.listing(deep=True))[f"page/{page.id}"])[f"page/{page.id}"]
    made = content(answer)
    assert made["format"] == "confluence/1"
    assert made["deployment"] == site.deployment
    assert (made["title"], made["labels"]) == ("構成 Overview", ["howto", "手順"])
    assert made["ancestors"] == [*(above.title for above in world.ancestors(page))]
    assert list(made["users"].values()) == [author.display_name]
    assert made["includes"]['連絡先 "A&B"']["value"] == "<p>Call 119</p>"
    assert included.id in made["includes"]['連絡先 "A&B"']["url"]
    assert made["pictures"] == {"図.png": base64.b64encode(b"png").decode()}
    assert made["drawings"] == {"flow": "<mxfile>x</mxfile>"}
    assert set(made["attachments"]) == {"図.png", "plan.txt"}
    assert made["author"] == world.users[page.author].display_name
    assert (answer.source, answer.version, answer.loader) == (f"{page.space}/構成 Overview", "1", "confluence")
    assert page.id in answer.uri
    assert answer.load(LIMIT) == answer.load(LIMIT)


def test_what_not_all_readers_see_is_not_included(site: Site) -> None:
    world, parent = site.world, site.page()
    token = site.token("indexer", "space:*")
    hidden = world.add_page(parent.space, parent.id, "Salaries", "<p>secret</p>")
    below = world.add_page(parent.space, hidden.id, "給与表", "<p>secret, too</p>")
    world.restrict(hidden.id, [token])

    def including(title: str, above: str) -> Page:
        macro = f'<ac:parameter ac:name=""><ac:link><ri:page ri:content-title="{title}" /></ac:link></ac:parameter>'
        body = f'<ac:structured-macro ac:name="excerpt-include">{macro}</ac:structured-macro>'
        return world.add_page(parent.space, above, f"Includes {title} {above}", body)

    outside = [including(title, parent.id) for title in ("Salaries", "給与表")]
    inside = including("給与表", hidden.id)
    source = site.open(token)
    listed = by_id(source.listing(deep=True))
    found = fetched(source, *(listed[f"page/{page.id}"] for page in (*outside, inside, below)))
    assert [content(found[f"page/{page.id}"])["includes"] for page in outside] == [{}, {}]
    assert set(content(found[f"page/{inside.id}"])["includes"]) == {"給与表"}


def test_a_page_that_includes_another_is_read_again_by_every_deep_listing(site: Site) -> None:
    world, parent = site.world, site.page()
    world.add_page(parent.space, parent.id, "当番表", "<p>Mori</p>")
    macro = '<ac:parameter ac:name=""><ac:link><ri:page ri:content-title="当番表" /></ac:link></ac:parameter>'
    body = f'<ac:structured-macro ac:name="include">{macro}</ac:structured-macro>'
    including = f"page/{world.add_page(parent.space, parent.id, 'Duty', body).id}"
    source = site.open()
    plain = f"page/{parent.id}"
    deep = by_id(source.listing(deep=True))
    answers = fetched(source, deep[including], deep[plain])
    known = {item_id: answer.fingerprint for item_id, answer in answers.items() if isinstance(answer, Fetched)}
    assert differs(deep[including].fingerprint, known[including], deep=True)
    assert not differs(deep[plain].fingerprint, known[plain], deep=True)
    for listed in (by_id(source.listing(deep=False)), by_id(source.changes(datetime(2020, 1, 1, tzinfo=UTC)))):
        assert not differs(listed[including].fingerprint, known[including])


def test_a_body_without_storage_format_comes_as_it_is_shown(site: Site) -> None:
    page, source = site.page(), site.open()
    site.world.hide_storage(page.id)
    answer = fetched(source, by_id(source.listing(deep=True))[f"page/{page.id}"])[f"page/{page.id}"]
    assert content(answer)["body"]["representation"] == "view"
    assert content(answer)["body"]["value"]


def test_what_is_blank_in_storage_format_comes_as_it_is_shown(site: Site) -> None:
    page = site.page(lambda page: 'ac:name="include"' not in page.body)
    comment = site.world.add_comment(page.id, "<p>x</p>")
    site.world.blank_storage(page.id, "<p>The pump is primed by hand.</p>")
    site.world.blank_storage(comment.id, "<p>Not in winter.</p>")
    source = site.open()
    answer = content(fetched(source, by_id(source.listing(deep=True))[f"page/{page.id}"])[f"page/{page.id}"])
    assert answer["body"] == {"representation": "view", "value": "<p>The pump is primed by hand.</p>"}
    assert "<p>Not in winter.</p>" in [one["value"] for one in answer["comments"]]


def test_an_included_page_that_is_blank_in_storage_format_comes_as_it_is_shown(site: Site) -> None:
    including = site.page(lambda page: 'ac:name="include"' in page.body)
    title = next(iter(references(including.body, including.space).includes))
    included = next(page for page in site.world.pages.values() if page.title == title and page.space == including.space)
    site.world.blank_storage(included.id, "<p>The pump is primed by hand.</p>")
    source = site.open()
    answer = content(fetched(source, by_id(source.listing(deep=True))[f"page/{including.id}"])[f"page/{including.id}"])
    assert answer["includes"][title]["value"] == "<p>The pump is primed by hand.</p>"


def test_a_body_that_can_be_had_in_no_form_costs_its_page_alone(site: Site) -> None:
    page, source = site.page(), site.open()
    site.world.hide_storage(page.id)
    site.world.faults.fail(r"body-format=view|expand=body\.view", status=404)
    listed = [item for item in source.listing(deep=True) if item.kind == "page"]
    lost = [answer for answer in source.fetch(stored(listed)) if isinstance(answer, Unfetched)]
    assert [(answer.id, answer.skip.reason) for answer in lost] == [(f"page/{page.id}", "failed")]


def test_a_page_that_always_fails_fails_alone(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    # The page that others include: they come without it.
    page, source = site.page(lambda page: page.title == "Escalation contacts"), site.open()
    listed = [item for item in source.listing(deep=True) if item.kind != "attachment"]
    site.world.faults.break_item(f"page/{page.id}")
    with caplog.at_level(logging.DEBUG, "ragd"):
        answers = list(source.fetch(stored(listed)))
    lost = [answer for answer in answers if isinstance(answer, Unfetched)]
    assert [(answer.id, answer.skip.reason) for answer in lost] == [(f"page/{page.id}", "failed")]
    assert len(answers) == len(listed)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("ragd")]
    assert ours
    assert page.title not in lost[0].skip.message + str(ours)


def test_a_site_that_is_down_is_no_failure_of_its_pages(site: Site) -> None:
    source = site.open()
    listed = [item for item in source.listing(deep=True) if item.kind != "attachment"]
    site.world.faults.fail("", status=503)
    with pytest.raises(SourceUnavailable):
        list(source.fetch(stored(listed)))
    for ask in (lambda: source.listing(deep=True), lambda: source.listing(deep=False), lambda: source.changes(datetime.now(UTC))):
        with pytest.raises(SourceUnavailable):
            list(ask())


def test_what_went_away_since_it_was_listed_is_gone_alone(site: Site) -> None:
    token = site.token("indexer", "space:*")
    source = site.open(token)
    listed = by_id(source.listing(deep=True))
    gone, denied, stays = [item for item in listed.values() if item.kind == "page" and item.title != "x"][-3:]
    site.world.delete_page(gone.id)
    site.world.deny(token, denied.id)
    answers = {answer.id: answer for answer in source.fetch(stored([gone, denied, stays]))}
    for item in (gone, denied):
        answer = answers[item.id]
        assert isinstance(answer, Unfetched)
        assert answer.skip.reason in {"gone", "forbidden"}
        assert item.title not in answer.skip.message
    assert isinstance(answers[stays.id], Fetched)


# Before it is added


def test_a_check_shows_account_spaces_and_counts(site: Site) -> None:
    token = site.token("indexer", "space:*")
    preview = site.open(token, spaces=["DEV", "NOPE"]).check()
    assert preview.account == "Indexer"
    [space] = preview.containers
    assert (space.key, space.name, space.items) == ("DEV", "Development", len(site.world.readable_pages(token, "DEV")))
    assert preview.names
    assert ["NOPE" in warning for warning in preview.warnings] == [True]
    every = site.open(token).check()
    assert {space.key: space.items for space in every.containers} == {
        key: len(site.world.readable_pages(token, key)) for key in ("DEV", "OPS")
    }


def test_a_filter_that_the_site_does_not_understand_is_named(site: Site) -> None:
    source = site.open(cql="labell = x")
    for ask in (source.check, lambda: list(source.listing(deep=False)), lambda: list(source.listing(deep=True))):
        with pytest.raises(SourceRefused) as caught:
            ask()
        assert caught.value.details[0].field == "config.cql"
        assert "labell" in caught.value.message


# What a person's token may read


def test_a_person_gets_what_the_person_may_read_now(site: Site) -> None:
    world = site.world
    source = site.open(site.token("indexer", "space:*"))
    reader = site.token("reader", "space:DEV")
    asker = f"reader@example.com:{reader}" if site.deployment == "cloud" else reader
    listed = stored(source.listing(deep=True))
    page = site.page(lambda page: page.space == "DEV")
    secret = site.page(lambda one: one.space == "DEV" and one.id != page.id and not any(True for _ in world.below(one.id)))
    world.restrict(secret.id, [])
    world.edit_page(page.id, "<p>新しい本文</p>", title="新しい題")
    expected = {f"{one.kind}/{one.id}" for one in world.readable_pages(reader)}
    expected |= {f"attachment/{file.id}" for file in world.attachments_of(world.readable_pages(reader))}
    current = source.current(listed, asker, content=False)
    assert set(current) == expected & {item.id for item in listed}
    assert f"page/{secret.id}" not in current
    assert current[f"page/{page.id}"].version == str(page.version)
    assert all(one.fetched is None for one in current.values())
    [item] = [item for item in listed if item.id == f"page/{page.id}"]
    live = source.current([item], asker, content=True)[item.id].fetched
    assert live is not None
    made = content(live)
    assert (made["title"], made["body"]["value"], made["comments"]) == ("新しい題", "<p>新しい本文</p>", [])
    assert made["ancestors"] == [above.title for above in world.ancestors(page)]
    assert made["url"] == live.uri == fetched(source, item)[item.id].uri
    with pytest.raises(SourceRefused):
        source.current([item], "reader@example.com:nothing" if site.deployment == "cloud" else "nothing", content=True)


def test_many_pages_of_cloud_are_asked_for_at_once(site: Site) -> None:
    source = site.open()
    listed = [item for item in stored(source.listing(deep=False)) if item.kind == "page"]
    asker = site.token("reader", "space:*")
    site.world.reset_requests()
    token = f"reader@example.com:{asker}" if site.deployment == "cloud" else asker
    assert len(source.current(listed, token, content=True)) == len(listed)
    assert site.asked() == (1 if site.deployment == "cloud" else len(listed))
