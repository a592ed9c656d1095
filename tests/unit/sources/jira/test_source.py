"""The Jira source against the double of Jira, Cloud and Data Center: listings, changes, faults, rights, and the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ragd.core.errors import DocumentVanished, PayloadTooLarge, SourceRefused, SourceUnavailable
from ragd.formats.jira.loader import JiraLoader
from ragd.sources.base import CloudSource, Fetched, HttpOptions, Listed, Unfetched, Usage
from ragd.sources.jira.source import JiraSource
from ragd.testing import CloudSourceContract

from ..atlassian.atlassian_http import Asked, Reply, SiteServer
from .jira_remote import DEPLOYMENTS, Remote

pytestmark = pytest.mark.slow


@pytest.fixture(params=DEPLOYMENTS)
def remote(request: pytest.FixtureRequest) -> Iterator[Remote]:
    remote = Remote(request.param)
    yield remote
    remote.close()


Open = Callable[..., JiraSource]


@pytest.fixture
def usage() -> Usage:
    return Usage()


@pytest.fixture
def opened(remote: Remote, usage: Usage) -> Iterator[Open]:
    sources: list[JiraSource] = []

    def build(max_size: int = 10**6, **config: Any) -> JiraSource:
        http = HttpOptions(
            pause=lambda _s: None,
            requests_per_minute=10**6,
            attempts=2,
            max_size=max_size,
            usage=usage,
            allowed_hosts=("*",),
        )
        sources.append(JiraSource(JiraSource.parse_config({**remote.config, **config}), remote.token, http))
        return sources[-1]

    yield build
    for source in sources:
        source.close()


class TestContract(CloudSourceContract):
    @pytest.fixture(params=DEPLOYMENTS)
    def remote(self, request: pytest.FixtureRequest) -> Iterator[Remote]:
        remote = Remote(request.param)
        yield remote
        remote.close()

    @pytest.fixture
    def source_class(self) -> type[CloudSource]:
        return JiraSource


def fetched(source: JiraSource, *item_ids: str) -> list[Fetched | Unfetched]:
    return list(source.fetch([item for item in source.listing(deep=True) if item.id in item_ids]))


def markdown(answer: Fetched | Unfetched) -> str:
    assert isinstance(answer, Fetched)
    return JiraLoader().load(answer.load(10**7), answer.name).markdown


def test_every_issue_and_attachment_is_listed_with_its_project(remote: Remote, opened: Open) -> None:
    items = list(opened().listing(deep=True))
    issues = {issue.id: issue for issue in remote.world.readable_issues(remote.token)}
    files = remote.world.attachments_of(list(issues.values()))
    assert files
    assert {item.id for item in items} == {f"issue/{number}" for number in issues} | {f"attachment/{file.id}" for file in files}
    assert all(item.container == issues[(item.owner or item.id).partition("/")[2]].project for item in items)


def test_an_issue_reads_the_same_whoever_asks_and_in_whatever_zone(remote: Remote, opened: Open) -> None:
    source = opened()
    issue = next(issue for issue in remote.world.issues.values() if remote.world.comments_of([issue]))
    item_id = f"issue/{issue.id}"
    [mine] = fetched(source, item_id)
    remote.world.time_zone = "Pacific/Auckland"
    [later] = fetched(source, item_id)
    theirs = source.current([Listed(item_id, "issue", "", "")], remote.reader, content=True)[item_id]
    assert isinstance(mine, Fetched)
    assert isinstance(later, Fetched)
    assert theirs.fetched is not None
    assert mine.load(10**7) == later.load(10**7) == theirs.fetched.load(10**7)
    assert mine.version == later.version == theirs.version
    assert mine.fingerprint == later.fingerprint
    shown = markdown(mine)
    assert shown.startswith(f"# {issue.key}: {issue.summary}")
    assert shown.count("\n### ") >= len(remote.world.comments_of([issue]))


def test_all_comments_are_read_and_each_opens_at_its_place(remote: Remote, opened: Open) -> None:
    item_id = remote.add("Many comments", "text")
    key = remote.world.issues[item_id.partition("/")[2]].key
    numbers = [remote.world.comment_issue(key, f"remark {number} これは").id for number in range(130)]
    [answer] = fetched(opened(), item_id)
    assert isinstance(answer, Fetched)
    document = JiraLoader().load(answer.load(10**7), answer.name)
    assert [document.markdown.count(f"remark {number} ") for number in range(130)] == [1] * 130
    anchors = [mark.place.anchor for mark in document.marks if mark.place.anchor]
    assert [anchor.partition("focusedCommentId=")[2].partition("&")[0] for anchor in anchors] == numbers
    assert answer.uri == f"{remote.config['base_url']}/browse/{key}"


def test_custom_fields_are_read_by_name_and_by_id(remote: Remote, opened: Open) -> None:
    item_id = remote.add("With fields", "text")
    key = remote.world.issues[item_id.partition("/")[2]].key
    remote.world.edit_issue(
        key, customfield_10050="原因 is the lock", customfield_10051="S1", customfield_10052=["kes-1", "kes-2"]
    )
    [answer] = fetched(opened(custom_fields=["root cause", "customfield_10051", "Affected hosts"]), item_id)
    shown = markdown(answer)
    assert "- Severity: S1\n- Affected hosts: kes-1, kes-2" in shown
    assert "## Root cause\n\n原因 is the lock" in shown


def test_the_title_of_a_linked_issue_that_another_may_not_read_is_nowhere(remote: Remote, opened: Open) -> None:
    hidden = remote.world.add_issue(remote.key, "Purchase of Ashgrove", "secret")
    near = remote.world.add_issue(remote.key, "Near", "text", links=[("Blocks", hidden.id)], parent=hidden.id)
    [answer] = fetched(opened(), f"issue/{near.id}")
    shown = markdown(answer)
    assert f"- Parent: {hidden.key}\n- Links: blocks {hidden.key}" in shown
    assert "Ashgrove" not in shown


def test_files_are_downloaded_and_their_limits_kept(remote: Remote, opened: Open) -> None:
    item_id = remote.add("With files", "text")
    key = remote.world.issues[item_id.partition("/")[2]].key
    good = remote.world.attach_issue(key, "手順 1.txt", "接続できない".encode(), "text/plain")
    remote.world.attach_issue(key, "core.dump", b"x" * 10, "application/octet-stream")
    remote.world.attach_issue(key, "large.log", b"x" * 4000, "text/plain")
    source = opened(max_size=3000)
    items = {item.title: item for item in source.listing(deep=True) if item.owner == item_id}
    reasons = {title: item.left_out.reason if item.left_out else None for title, item in items.items()}
    assert reasons == {"手順 1.txt": None, "core.dump": "unsupported", "large.log": "too_large"}
    [answer] = source.fetch([items["手順 1.txt"]])
    assert isinstance(answer, Fetched)
    assert answer.load(100).decode() == "接続できない"
    assert (answer.source, answer.name) == (f"{key}/手順 1.txt", "手順 1.txt")
    with pytest.raises(PayloadTooLarge):
        answer.load(5)
    remote.remove(f"attachment/{good.id}")
    with pytest.raises(DocumentVanished):
        answer.load(100)


def test_globs_choose_by_key_and_by_name(remote: Remote, opened: Open) -> None:
    listed = list(opened(include=[f"{remote.key}-*"], exclude=["*.png", f"{remote.key}-1"]).listing(deep=True))
    assert {item.left_out.reason for item in listed if item.left_out} >= {"filtered"}
    for item in listed:
        filtered = item.container != remote.key or item.title.endswith(".png") or item.title == f"{remote.key}-1"
        if filtered:
            assert item.left_out is not None
    first = next(item.id for item in listed if item.title == f"{remote.key}-1")
    assert all(item.left_out for item in listed if item.owner == first)


def test_projects_and_jql_bound_the_source(remote: Remote, opened: Open) -> None:
    item_id = remote.add("Labelled", "text")
    remote.world.edit_issue(remote._key(item_id), labels=["only-here"])
    project = {issue.id for issue in remote.world.readable_issues(remote.token, remote.key)}
    shown = opened(projects=[remote.key], attachments=False).listing(deep=False)
    assert {item.id for item in shown} == {f"issue/{number}" for number in project}
    for config in ({"jql": "labels = only-here"}, {"jql": "labels = only-here OR labels = none", "projects": [remote.key]}):
        assert [item.id for item in opened(attachments=False, **config).listing(deep=True)] == [item_id]


def test_a_project_that_vanishes_leaves_the_others(remote: Remote, opened: Open) -> None:
    source = opened(projects=list(remote.world.projects))
    other = list(remote.world.projects)[1]
    remote.world.remove_project(other)
    assert {item.container for item in source.listing(deep=False)} == {remote.key}
    remote.world.ungrant(remote.token, "project:*")
    assert list(source.listing(deep=True)) == []


def test_changes_bring_all_files_of_their_issues_and_know_no_zones(remote: Remote, opened: Open) -> None:
    remote.world.time_zone = "Asia/Tokyo"
    issue = next(issue for issue in remote.world.issues.values() if remote.world.attachments_of([issue]))
    remote.world.clock.advance(3600)
    remote.world.clock.freeze()
    since = remote.now()
    remote.world.comment_issue(issue.key, "one more")
    files = {f"attachment/{file.id}" for file in remote.world.attachments_of([issue])}
    source = opened()
    assert {item.id for item in source.changes(since)} == {f"issue/{issue.id}", *files}
    assert list(source.changes(since + timedelta(milliseconds=1))) == []


def test_an_issue_that_moves_is_noticed_by_a_cheap_listing(remote: Remote, opened: Open) -> None:
    item_id = remote.add("Moving", "text")
    source = opened()
    before = next(item for item in source.listing(deep=False) if item.id == item_id)
    deep = next(item for item in source.listing(deep=True) if item.id == item_id)
    assert deep.fingerprint is not None
    assert before.fingerprint == deep.fingerprint.partition("|")[0]


def test_an_issue_that_always_fails_costs_itself_alone(remote: Remote, opened: Open) -> None:
    broken = remote.add("Broken", "text")
    remote.world.faults.break_item(broken)
    source = opened()
    listed = {item.id: item for item in source.listing(deep=True)}
    assert listed[broken].fingerprint is not None
    assert broken in {item.id for item in source.changes(remote.now() - timedelta(hours=1))}
    answers = {answer.id: answer for answer in source.fetch([item for item in listed.values() if item.kind == "issue"])}
    failed = {item_id: answer.skip.reason for item_id, answer in answers.items() if isinstance(answer, Unfetched)}
    assert failed == {broken: "failed"}
    remote.world.faults.mend_item(broken)
    assert isinstance(next(source.fetch([listed[broken]])), Fetched)


def test_a_jql_that_jira_refuses_later_is_named_as_the_cause(opened: Open) -> None:
    with pytest.raises(SourceRefused, match="nofield") as caught:
        list(opened(jql="nofield = 1").listing(deep=False))
    assert caught.value.details[0].field == "config.jql"


def test_by_way_of_the_gateway_for_apps_a_citation_opens_the_site_itself() -> None:
    def answer(asked: Asked) -> Reply:
        if asked.path.endswith("/serverInfo"):
            return Reply({"baseUrl": "https://tarnwood.atlassian.net"})
        fields = {"summary": "It stops", "updated": "2026-01-02T03:04:05.000+0000", "comment": {"comments": [], "total": 0}}
        return Reply({"issues": [{"id": "10012", "key": "KES-12", "fields": fields}]})

    site = SiteServer(answer)
    auth = {"kind": "oauth", "token": "env:JIRA_TOKEN"}
    config = JiraSource.parse_config({"base_url": f"{site.url}/ex/jira/7f2", "deployment": "cloud", "auth": auth})
    source = JiraSource(config, "t0ken", HttpOptions(lambda _s: None, allowed_hosts=("*",)))
    try:
        [fetched] = source.fetch([Listed("issue/10012", "issue", "KES-12", "KES")])
        assert isinstance(fetched, Fetched)
        assert fetched.uri == "https://tarnwood.atlassian.net/browse/KES-12"
        assert all(asked.path.startswith("/ex/jira/7f2/rest/api/3/") for asked in site.asked)
    finally:
        source.close()
        site.close()


def test_a_site_that_is_down_is_no_listing_without_items(remote: Remote, opened: Open) -> None:
    source = opened()
    items = list(source.listing(deep=True))
    remote.world.faults.fail("/rest/", 503)
    for ask in (lambda: list(source.listing(deep=False)), lambda: list(source.fetch(items[:50]))):
        with pytest.raises(SourceUnavailable):
            ask()


def test_what_a_person_may_not_read_is_absent_with_its_files(remote: Remote, opened: Open) -> None:
    source = opened()
    issue = next(issue for issue in remote.world.issues.values() if remote.world.attachments_of([issue]))
    items = [item for item in source.listing(deep=True) if f"issue/{issue.id}" in (item.id, item.owner)]
    assert set(source.current(items, remote.reader, content=False)) == {item.id for item in items}
    remote.forbid(f"issue/{issue.id}", remote.reader)
    assert source.current(items, remote.reader, content=True) == {}


def test_a_person_gets_the_content_of_a_file_with_their_own_token(remote: Remote, opened: Open) -> None:
    item_id = remote.add("With a file", "text")
    remote.world.attach_issue(remote._key(item_id), "a.txt", b"hello", "text/plain")
    source = opened()
    [item] = [item for item in source.listing(deep=True) if item.owner == item_id]
    found = source.current([item], remote.reader, content=True)[item.id]
    assert found.fetched is not None
    assert found.fetched.load(100) == b"hello"


def test_a_check_names_the_projects_with_their_counts(remote: Remote, opened: Open) -> None:
    preview = opened().check()
    counts = {key: len(remote.world.readable_issues(remote.token, key)) for key in remote.world.projects}
    assert {container.key: container.items for container in preview.containers} == counts
    assert preview.account == "Syncer"
    assert preview.deployment == remote.config["deployment"]
    assert len(preview.names) == 10


def test_a_check_by_jql_names_the_projects_that_it_finds(remote: Remote, opened: Open) -> None:
    preview = opened(jql=f"key = {remote.key}-1").check()
    assert [(container.key, container.items) for container in preview.containers] == [(remote.key, 1)]
    assert preview.names == (f"{remote.key}-1",)
    assert opened(jql="labels = nobody-has-this").check().warnings


@pytest.mark.parametrize(
    ("config", "field", "said"),
    [
        ({"projects": ["NOPE"]}, "config.projects", "no project NOPE"),
        ({"jql": "nofield = 1"}, "config.jql", "nofield"),
        ({"custom_fields": ["No such field"]}, "config.custom_fields", "No such field"),
    ],
)
def test_a_check_says_what_to_change(opened: Open, config: dict[str, Any], field: str, said: str) -> None:
    with pytest.raises(SourceRefused, match=said) as caught:
        opened(**config).check()
    assert caught.value.details[0].field == field


def test_page_tokens_that_expire_meanwhile_do_no_harm() -> None:
    remote = Remote("cloud", issues=5200)
    source = JiraSource(
        JiraSource.parse_config(remote.config),
        remote.token,
        HttpOptions(lambda _s: None, 10**6, allowed_hosts=("*",)),
    )
    try:
        listing = source.listing(deep=False)
        first = next(listing)
        assert len(remote.world.readable_issues(remote.token)) > 5000
        remote.world.faults.expire_cursors()
        ids = [item.id for item in (first, *listing)]
        assert sorted(ids) == sorted(f"issue/{issue.id}" for issue in remote.world.readable_issues(remote.token))
    finally:
        source.close()
        remote.close()


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_more_issues_than_a_check_lists_are_counted_by_project(deployment: str) -> None:
    remote = Remote(deployment, issues=5200)
    source = JiraSource(
        JiraSource.parse_config(remote.config),
        remote.token,
        HttpOptions(lambda _s: None, 10**6, allowed_hosts=("*",)),
    )
    try:
        counts = {key: len(remote.world.readable_issues(remote.token, key)) for key in remote.world.projects}
        assert sum(counts.values()) > 5000
        assert {container.key: container.items for container in source.check().containers} == counts
    finally:
        source.close()
        remote.close()


@pytest.mark.slow
@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_twenty_changes_among_five_thousand_issues_cost_few_requests(deployment: str) -> None:
    remote = Remote(deployment, issues=5000)
    usage = Usage()
    source = JiraSource(
        JiraSource.parse_config(remote.config),
        remote.token,
        replace(HttpOptions(lambda _s: None, 10**6, allowed_hosts=("*",)), usage=usage),
    )
    try:
        remote.world.clock.advance(90_000)
        since = remote.now()
        for issue in list(remote.world.issues.values())[:2000:100]:
            remote.world.comment_issue(issue.key, "one more")
        changed = [item for item in source.changes(since) if item.kind == "issue"]
        assert len(changed) == 20
        assert len(list(source.listing(deep=False))) == len(remote.world.readable_issues(remote.token))
        assert all(isinstance(answer, Fetched) for answer in source.fetch(changed))
        assert usage.requests <= 15
    finally:
        source.close()
        remote.close()
