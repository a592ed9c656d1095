"""Pages, comments and issues of the double have the shapes of each deployment."""

from __future__ import annotations

from ....atlassian_server import World
from .conftest import NEVER, Caller


def test_a_user_is_named_by_account_id_on_cloud_and_by_key_on_data_center(world: World, caller: Caller) -> None:
    user = next(iter(world.users.values()))
    page = world.add_page("DEV", None, "Hello", f'<p><ac:link><ri:user ri:account-id="{user.account_id}" /></ac:link></p>')
    on_cloud = caller.wiki(f"/api/v2/pages/{page.id}", **{"body-format": "storage"}).json()["body"]["storage"]["value"]
    on_dc = caller.confluence(f"/rest/api/content/{page.id}", expand="body.storage").json()["body"]["storage"]["value"]
    assert f'ri:account-id="{user.account_id}"' in on_cloud
    assert f'ri:userkey="{user.key}"' in on_dc
    assert caller.wiki("/rest/api/user", accountId=user.account_id).json()["displayName"] == user.display_name
    assert caller.confluence("/rest/api/user", key=user.key).json()["displayName"] == user.display_name


def test_comments_come_with_their_replies_and_places(world: World, caller: Caller) -> None:
    page = world.readable_pages(caller.token, "DEV")[0]
    root = world.add_comment(page.id, "<p>Why?</p>")
    reply = world.add_comment(page.id, "<p>So.</p>", parent=root.id)
    inline = world.add_comment(page.id, "<p>Here.</p>", kind="inline", selection="the text", resolved=True)
    ids = [part["id"] for part in caller.wiki(f"/api/v2/pages/{page.id}/footer-comments").json()["results"]]
    assert root.id in ids
    assert reply.id not in ids
    assert caller.wiki(f"/api/v2/footer-comments/{root.id}/children").json()["results"][0]["id"] == reply.id
    shown = caller.wiki(f"/api/v2/pages/{page.id}/inline-comments").json()["results"][-1]
    assert (shown["properties"]["inlineOriginalSelection"], shown["resolutionStatus"]) == ("the text", "resolved")
    every = caller.confluence(
        f"/rest/api/content/{page.id}/child/comment",
        depth="all",
        expand="ancestors,extensions.inlineProperties,body.storage",
        limit=100,
    ).json()["results"]
    by_id = {part["id"]: part for part in every}
    assert [above["id"] for above in by_id[reply.id]["ancestors"]] == [root.id]
    assert by_id[inline.id]["extensions"]["inlineProperties"]["originalSelection"] == "the text"
    assert by_id[inline.id]["extensions"]["location"] == "resolved"
    assert caller.cql(f"type = comment and container = {page.id}") >= {root.id, reply.id, inline.id}


def test_a_page_may_be_in_a_folder_which_only_cloud_knows(world: World, caller: Caller) -> None:
    folder = world.add_page("DEV", None, "Shelf", "", kind="folder")
    page = world.add_page("DEV", folder.id, "In the shelf", "<p>words</p>")
    shown = caller.wiki(f"/api/v2/pages/{page.id}").json()
    assert (shown["parentId"], shown["parentType"]) == (folder.id, "folder")
    assert caller.wiki(f"/api/v2/folders/{folder.id}").json()["title"] == "Shelf"
    assert caller.wiki(f"/api/v2/pages/{folder.id}").status_code == 404
    assert caller.cql("type = folder") == {folder.id}
    above = caller.confluence(f"/rest/api/content/{page.id}", expand="ancestors").json()
    assert folder.id not in [entry["id"] for entry in above["ancestors"]]
    assert "version" not in above
    assert above["_expandable"]["space"] == "/rest/api/space/DEV"


def test_a_trashed_page_is_gone_but_for_those_who_ask_for_the_trash(world: World, caller: Caller) -> None:
    page = world.add_page("DEV", None, "Old", "<p>old</p>")
    world.delete_page(page.id)
    assert caller.wiki(f"/api/v2/pages/{page.id}").status_code == 404
    assert caller.confluence(f"/rest/api/content/{page.id}").status_code == 404
    assert [found["id"] for found in caller.wiki("/api/v2/pages", status="trashed").json()["results"]] == [page.id]
    assert [
        found["id"] for found in caller.confluence("/rest/api/content", spaceKey="DEV", status="trashed").json()["results"]
    ] == [page.id]


def test_a_page_without_storage_format_has_a_view(world: World, caller: Caller) -> None:
    page = world.add_page("DEV", None, "Odd", "<p>words</p>")
    world.hide_storage(page.id)
    assert caller.wiki(f"/api/v2/pages/{page.id}", **{"body-format": "storage"}).json()["body"] == {}
    assert "words" in caller.wiki(f"/api/v2/pages/{page.id}", **{"body-format": "view"}).json()["body"]["view"]["value"]
    assert caller.wiki("/api/v2/pages", **{"body-format": "view"}).status_code == 400


def test_an_issue_says_the_same_in_both_formats(world: World, caller: Caller) -> None:
    key = world.add_issue(
        "PROJ", "Both", [("h", 2, "Cause"), ("p", ["It is ", ("b", "late"), "."]), ("code", "sql", "SELECT 1;")]
    ).key
    on_cloud = caller.jira(f"/rest/api/3/issue/{key}").json()["fields"]["description"]
    assert [node["type"] for node in on_cloud["content"]] == ["heading", "paragraph", "codeBlock"]
    on_dc = caller.jira_dc(f"/rest/api/2/issue/{key}").json()["fields"]["description"]
    assert on_dc == "h2. Cause\r\n\r\nIt is *late*.\r\n\r\n{code:sql}\r\nSELECT 1;\r\n{code}"


def test_an_issue_of_cloud_shows_its_first_comments_only(world: World, caller: Caller) -> None:
    shown = caller.jira("/rest/api/3/issue/PROJ-1", fields="comment").json()["fields"]["comment"]
    assert (len(shown["comments"]), shown["total"]) == (20, 25)
    rest = caller.jira("/rest/api/3/issue/PROJ-1/comment", startAt=20, maxResults=1000).json()
    assert (len(rest["comments"]), rest["maxResults"], rest["total"]) == (5, 100, 25)


def test_every_change_of_a_part_of_an_issue_is_an_update_of_the_issue(world: World, caller: Caller) -> None:
    issue = world.issue("PROJ-1")
    world.clock.freeze()
    for change in (
        lambda: world.comment_issue(issue.key, "new"),
        lambda: world.edit_issue_comment(issue.key, world.comments_of([issue])[-1].id, "other"),
        lambda: world.attach_issue(issue.key, "a.txt", b"a", "text/plain"),
        lambda: world.delete_issue_part(issue.key, world.attachments_of([issue])[-1].id),
        lambda: world.delete_issue_part(issue.key, world.comments_of([issue])[-1].id),
    ):
        world.clock.advance(60)
        now = int(world.clock.now().timestamp() * 1000)
        change()
        assert caller.jql(f"updated >= {now}") == {issue.id}


def test_changes_around_a_page_leave_its_version_and_date(world: World, caller: Caller) -> None:
    page = world.readable_pages(caller.token, "DEV")[5]
    before = caller.wiki(f"/api/v2/pages/{page.id}").json()["version"]
    world.clock.advance(3600)
    world.label(page.id, "new")
    world.add_comment(page.id, "<p>new</p>")
    world.attach(page.id, "a.txt", b"a", "text/plain")
    world.move_page(page.id, world.spaces["DEV"].homepage)
    assert caller.wiki(f"/api/v2/pages/{page.id}").json()["version"] == before
    world.edit_page(page.id, title="Another title")
    assert caller.wiki(f"/api/v2/pages/{page.id}").json()["version"]["number"] == before["number"] + 1


def test_bulkfetch_takes_at_most_100_and_leaves_out_what_may_not_be_read(world: World, caller: Caller) -> None:
    ids = [issue.id for issue in world.readable_issues(caller.token)]
    assert caller.post("/rest/api/3/issue/bulkfetch", {"issueIdsOrKeys": ids[:101]}).status_code == 400
    world.restrict_issue("PROJ-1", readers=[])
    answer = caller.post("/rest/api/3/issue/bulkfetch", {"issueIdsOrKeys": [*ids[:50], NEVER], "fields": ["summary"]})
    assert world.issue("PROJ-1").id in ids[:50]
    assert len(answer.json()["issues"]) == 49
