"""Cycles over the double: everything is found, accounted for, kept current, and costs few requests."""

from __future__ import annotations

from typing import Any

import pytest

from ragd.core.query import QueryRequest

from .conftest import FACES, Cloud, Opened

pytestmark = pytest.mark.e2e


@pytest.fixture(params=FACES)
def cloud(request: pytest.FixtureRequest, open_cloud: Opened) -> Cloud:
    return open_cloud(request.param)


def some_owners(cloud: Cloud, count: int) -> list[Any]:
    """Items that stand for themselves: pages or issues, always the same ones."""
    if cloud.is_confluence:
        pages = [page for page in cloud.world.readable_pages(cloud.token) if page.kind == "page" and page.parent]
        return sorted(pages, key=lambda page: page.id)[:count]
    return sorted(cloud.world.readable_issues(cloud.token), key=lambda issue: issue.id)[:count]


def edit(cloud: Cloud, owner: Any, words: str) -> None:
    if cloud.is_confluence:
        cloud.world.edit_page(owner.id, body=f"<p>{words}</p>")
    else:
        cloud.world.edit_issue(owner.key, description=words)


def delete(cloud: Cloud, owner: Any) -> None:
    if cloud.is_confluence:
        cloud.world.delete_page(owner.id)
    else:
        cloud.world.delete_issue(owner.key)


def found(cloud: Cloud, question: str) -> list[str]:
    """What a question finds by its words alone, with the rights of the source's own account."""
    source = cloud.app.sources.page()[0][0]
    tokens = {source.source_id: asking(cloud)}
    result = cloud.app.search.query(QueryRequest(question, strategy="sparse_only", top_k=5, source_tokens=tokens))
    assert not result.warnings
    return [hit.passage.content for hit in result.hits]


def asking(cloud: Cloud) -> str:
    return f"indexer@example.com:{cloud.token}" if cloud.deployment == "cloud" else cloud.token


def test_a_page_that_is_blank_in_every_form_is_left_out_with_its_reason(open_cloud: Opened) -> None:
    cloud = open_cloud(FACES[0])
    blank, shown = some_owners(cloud, 2)
    cloud.world.blank_storage(shown.id, "<p>The windlass is greased with tallow.</p>")
    source = cloud.add()
    cloud.world.edit_page(blank.id, body="<p></p>")
    cloud.sync(source)
    cloud.check_accounted(source)
    row = cloud.ledger.some(source.source_id, [f"page/{blank.id}"])[f"page/{blank.id}"]
    assert (row.state, row.reason, row.doc_id) == ("skipped", "empty", None)
    assert found(cloud, "windlass tallow")


def test_everything_that_the_token_may_read_is_indexed_or_has_a_reason(cloud: Cloud) -> None:
    source = cloud.add()
    cycle = cloud.check_accounted(source)
    assert (cycle.kind, source.last_error) == ("full", None)
    assert cycle.indexed == cycle.added
    assert source.last_result is not None
    assert source.last_result["remote"] == cycle.remote


def test_a_second_cycle_finds_nothing_to_do(cloud: Cloud) -> None:
    source = cloud.add()
    cloud.sync(source)
    cycle = cloud.check_accounted(source)
    assert (cycle.kind, cycle.added, cycle.updated, cycle.deleted, cycle.embedded) == ("incremental", 0, 0, 0, 0)
    assert cycle.unchanged == cycle.indexed
    cloud.sync(source, full=True)
    cycle = cloud.check_accounted(source)
    assert (cycle.kind, cycle.added, cycle.updated, cycle.embedded) == ("full", 0, 0, 0)


def test_what_changed_is_read_again_and_nothing_else(cloud: Cloud) -> None:
    source = cloud.add()
    changed = some_owners(cloud, 5)
    for number, owner in enumerate(changed):
        edit(cloud, owner, f"The gauge zyx{number}q reads green.")
    cloud.sync(source)
    cycle = cloud.check_accounted(source)
    assert (cycle.added, cycle.updated, cycle.deleted) == (0, 5, 0)
    assert 0 < cycle.embedded <= 5 * 12
    assert any("zyx3q" in text for text in found(cloud, "zyx3q"))


def test_what_is_new_comes_and_what_is_deleted_goes_within_a_cycle(cloud: Cloud) -> None:
    source = cloud.add()
    gone = some_owners(cloud, 1)[0]
    attached = len(cloud.world.attachments_of([gone]))
    indexed = cloud.last(source).indexed
    delete(cloud, gone)
    if cloud.is_confluence:
        space = next(iter(cloud.world.spaces))
        cloud.world.add_page(space, None, "新しい手順", "<p>qwv77 is the new word.</p>")
    else:
        cloud.world.add_issue(next(iter(cloud.world.projects)), "新しい課題", "qwv77 is the new word.")
    cloud.sync(source)
    cycle = cloud.check_accounted(source)
    assert cycle.added == 1
    assert 1 <= cycle.deleted <= 1 + attached
    assert abs(cycle.indexed - indexed) <= attached
    assert any("qwv77" in text for text in found(cloud, "qwv77"))
    assert not [name for name in cloud.sources_of(source) if name.endswith(f"/{getattr(gone, 'title', '')}")]


def test_a_comment_makes_its_page_or_issue_be_read_again(cloud: Cloud) -> None:
    source = cloud.add()
    owner = some_owners(cloud, 3)[2]
    if cloud.is_confluence:
        cloud.world.add_comment(owner.id, "<p>The valve xkj42 sticks.</p>")
    else:
        cloud.world.comment_issue(owner.key, "The valve xkj42 sticks.")
    cloud.sync(source)
    assert cloud.check_accounted(source).updated == 1
    assert any("xkj42" in text for text in found(cloud, "xkj42"))
    cloud.sync(source)
    assert cloud.check_accounted(source).updated == 0


def test_an_attachment_comes_changes_and_goes_with_its_owner_unchanged(cloud: Cloud) -> None:
    source = cloud.add()
    owner = some_owners(cloud, 2)[1]
    world = cloud.world
    data = b"The pump model is vbn19.\n"
    if cloud.is_confluence:
        world.attach(owner.id, "pump.txt", data, "text/plain")
    else:
        world.attach_issue(owner.key, "pump.txt", data, "text/plain")
    cloud.sync(source)
    cycle = cloud.check_accounted(source)
    assert cycle.added == 1
    assert any("vbn19" in text for text in found(cloud, "vbn19"))


def test_what_cannot_be_read_is_left_out_with_its_reason_and_can_be_tried_again(cloud: Cloud) -> None:
    owner = some_owners(cloud, 1)[0]
    attach = cloud.world.attach if cloud.is_confluence else cloud.world.attach_issue
    name = owner.id if cloud.is_confluence else owner.key
    attach(name, "virus.exe", b"MZ", "application/octet-stream")
    attach(name, "half.pdf", b"%PDF-1.7 and then nothing", "application/pdf")
    source = cloud.add()
    cloud.check_accounted(source)
    skipped = {item.reason: item for item in cloud.ledger.items(source.source_id, "skipped").values()}
    assert {"unsupported", "parse_error"} <= skipped.keys()
    broken = skipped["parse_error"]
    cloud.wait(cloud.app.sources.retry(source.source_id, [broken.item_id], token=cloud.token).job_id)
    cycle = cloud.last(source)
    assert (cycle.kind, cycle.complete) == ("items", True)
    assert cloud.ledger.items(source.source_id, "skipped")[broken.item_id].reason == "parse_error"


def test_rights_that_are_lost_take_documents_out_of_the_index(cloud: Cloud) -> None:
    source = cloud.add()
    owner = some_owners(cloud, 1)[0]
    cloud.world.deny(cloud.token, f"{'page' if cloud.is_confluence else 'issue'}/{owner.id}")
    cloud.sync(source)
    cycle = cloud.check_accounted(source)
    assert cycle.deleted >= 1


@pytest.mark.parametrize("face", ["confluence_dc", "jira_cloud"])
def test_a_space_or_project_that_vanishes_is_held_back_until_somebody_says_so(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=120, issues=120)
    source = cloud.add()
    indexed = cloud.last(source).indexed
    if cloud.is_confluence:
        cloud.world.ungrant(cloud.token, "space:*")
        cloud.world.grant(cloud.token, f"space:{next(iter(cloud.world.spaces))}")
    else:
        cloud.world.ungrant(cloud.token, "project:*")
        cloud.world.grant(cloud.token, f"project:{next(iter(cloud.world.projects))}")
    cloud.sync(source)
    cycle = cloud.last(source)
    assert cycle.held > 20
    assert (cycle.deleted, cycle.complete) == (0, False)
    assert cycle.indexed + cycle.held + cycle.skipped >= indexed
    assert "gone at once" in (cycle.notice or "")
    cloud.sync(source, allow_empty=True)
    cycle = cloud.check_accounted(source)
    assert (cycle.held, cycle.deleted > 20) == (0, True)


@pytest.mark.parametrize("face", ["confluence_cloud", "jira_dc"])
def test_hundreds_of_deletions_are_found_in_one_cycle_and_twenty_changes_cost_few_requests(open_cloud: Opened, face: str) -> None:
    cloud = open_cloud(face, pages=480, issues=450)
    source = cloud.add(config={"attachments": False, "comments": False})
    first = cloud.last(source)
    assert first.complete
    # Of a page that goes, those below move up, which is another change.
    above = {page.parent for page in cloud.world.pages.values()}
    owners = [owner for owner in some_owners(cloud, 480) if owner.id not in above]
    for owner in owners[:20]:
        edit(cloud, owner, f"Another text for {owner.id}.")
    cloud.sync(source)
    cycle = cloud.last(source)
    assert (cycle.updated, cycle.deleted, cycle.complete) == (20, 0, True)
    assert cycle.requests <= 15
    # Fewer than the share of each space at which the guard holds back.
    for owner in owners[20:270]:
        delete(cloud, owner)
    cloud.sync(source)
    cycle = cloud.last(source)
    assert (cycle.deleted, cycle.complete) == (250, True)
    assert cycle.indexed == first.indexed - 250
