"""What a token may not read is in no answer of the double; files come as from the real ones."""

from __future__ import annotations

from ....atlassian_server import Attachment, Served, World
from .conftest import Caller, get


def test_what_may_not_be_read_is_in_no_answer(caller: Caller, world: World) -> None:
    page = next(
        page
        for page in world.readable_pages(caller.token, "DEV")
        if list(world.below(page.id)) and world.children(page.id, Attachment) == []
    )
    child = next(world.below(page.id))
    file = world.attach(child.id, "plan.txt", b"secret", "text/plain")
    world.restrict(page.id, readers=[])
    for hidden in (page, child):
        assert caller.wiki(f"/api/v2/pages/{hidden.id}").status_code == 404
        assert caller.wiki(f"/rest/api/content/{hidden.id}").status_code == 404
        assert caller.confluence(f"/rest/api/content/{hidden.id}").status_code == 404
        assert caller.wiki("/api/v2/pages", id=hidden.id).json()["results"] == []
        assert caller.cql(f"id = {hidden.id}") == set()
    assert page.title not in caller.wiki("/rest/api/search", cql="type = page", limit=250).text
    assert caller.wiki(f"/rest/api/content/{child.id}/child/attachment/{file.id}/download").status_code == 404
    assert caller.wiki(f"/api/v2/attachments/{file.id}").status_code == 404
    assert caller.confluence(f"/download/attachments/{child.id}/plan.txt").status_code == 403
    world.restrict(page.id, readers=[caller.token])
    assert caller.wiki(f"/api/v2/pages/{child.id}").status_code == 200
    assert caller.confluence(f"/rest/api/content/{child.id}").status_code == 404


def test_a_space_without_rights_does_not_exist_and_neither_does_one_that_vanished(
    world: World, served: Served, caller: Caller
) -> None:
    narrow = Caller(world, served, "narrow", "space:DEV", "project:PROJ")
    assert [space["key"] for space in narrow.wiki("/api/v2/spaces").json()["results"]] == ["DEV"]
    assert narrow.wiki(f"/api/v2/spaces/{world.spaces['OPS'].id}/pages").status_code == 404
    assert narrow.confluence("/rest/api/space/OPS").status_code == 404
    assert narrow.jira("/rest/api/3/search/jql", jql="project = WEB").status_code == 400
    assert narrow.jira("/rest/api/3/issue/WEB-2").status_code == 404
    assert {hit["key"] for hit in narrow.jira("/rest/api/3/project/search").json()["values"]} == {"PROJ"}
    world.ungrant(narrow.token, "space:DEV")
    assert narrow.wiki("/api/v2/pages").json()["results"] == []
    world.remove_space("OPS")
    assert caller.wiki("/api/v2/spaces", keys="OPS").json()["results"] == []
    assert caller.cql("space = OPS") == set()
    narrow.close()


def test_a_download_of_cloud_leads_to_a_media_host_that_refuses_credentials(world: World, served: Served, caller: Caller) -> None:
    page = world.readable_pages(caller.token, "DEV")[0]
    file = world.attach(page.id, "日本語.txt", "中身".encode(), "text/plain")
    issue_file = world.attach_issue("PROJ-2", "log.txt", b"log", "text/plain")
    links = caller.wiki(f"/api/v2/attachments/{file.id}").json()
    for url, data in (
        (f"{served.confluence_cloud}/rest/api/content/{page.id}/child/attachment/{file.id}/download", "中身".encode()),
        (served.confluence_cloud + links["downloadLink"], "中身".encode()),
        (f"{served.jira_cloud}/rest/api/3/attachment/content/{issue_file.id}", b"log"),
    ):
        answer = caller.cloud.get(url)
        assert answer.status_code == 302
        assert answer.headers["location"].startswith(served.media)
        assert get(answer.headers["location"]).content == data
        assert caller.cloud.get(answer.headers["location"]).status_code == 400
        world.clock.advance(700)
        assert get(answer.headers["location"]).status_code == 403


def test_data_center_gives_files_itself(world: World, served: Served, caller: Caller) -> None:
    page = world.readable_pages(caller.pat, "DEV")[0]
    world.attach(page.id, "a b.txt", b"text", "text/plain")
    part = caller.confluence(f"/rest/api/content/{page.id}/child/attachment", filename="a b.txt").json()["results"][0]
    assert caller.dc.get(served.confluence_dc + part["_links"]["download"]).content == b"text"
    world.attach_issue("PROJ-2", "log.txt", b"log", "text/plain")
    shown = caller.jira_dc("/rest/api/2/issue/PROJ-2").json()["fields"]["attachment"][-1]
    assert caller.dc.get(shown["content"]).content == b"log"
    world.deny(caller.pat, "PROJ-2")
    assert caller.dc.get(shown["content"]).status_code == 403
