"""Pieces of the Confluence source that need no server: configuration, CQL, what a body refers to, the page tree, threads."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from ragd.core.errors import PayloadTooLarge, SourceUnavailable, ValidationFailed
from ragd.sources.atlassian.client import AtlassianClient, Auth
from ragd.sources.base import HttpOptions
from ragd.sources.confluence.body import References, references
from ragd.sources.confluence.cloud import CloudSite
from ragd.sources.confluence.content import Looked, Scope
from ragd.sources.confluence.cql import among, modified_since, quoted, results, short_lists
from ragd.sources.confluence.dc import DataCenterSite
from ragd.sources.confluence.envelope import Content, envelope, threads
from ragd.sources.confluence.items import Around, Attachment, Page, Rules, Space, utc_text
from ragd.sources.confluence.source import ConfluenceSource
from ragd.sources.confluence.tree import Tree

SITE = {"base_url": "https://wiki.example.com/confluence", "auth": {"kind": "pat", "token": "env:WIKI_TOKEN"}}
SPACE = Space("1", "DEV", "開発部")


def page(**values: Any) -> Page:
    made = {"id": "7", "kind": "page", "title": "Guide", "space": SPACE, "version": 3, "updated": "", "url": "https://wiki/7"}
    return Page(**{**made, **values})


def attachment(**values: Any) -> Attachment:
    made = {
        "id": "att1",
        "name": "手順.pdf",
        "page": "page/7",
        "page_title": "Guide",
        "space": "DEV",
        "media_type": "",
        "size": 10,
    }
    return Attachment(**{**made, "version": 1, "updated": "", "download": "", **values})


def fields_of(values: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as caught:
        ConfluenceSource.parse_config(values)
    return {problem.field: problem.code for problem in caught.value.details}


# Configuration


def test_a_configuration_is_completed() -> None:
    made = ConfluenceSource.parse_config(SITE | {"spaces": ["DEV", " 運用 ", "DEV"], "cql": " label = 'x' "})
    assert made["deployment"] == "data_center"
    assert made["spaces"] == ["DEV", "運用"]
    assert (made["cql"], made["attachments"], made["comments"], made["include"], made["exclude"]) == (
        "label = 'x'",
        True,
        True,
        [],
        [],
    )
    assert ConfluenceSource.parse_config(made) == made
    assert json.loads(json.dumps(made)) == made


def test_every_wrong_field_is_named() -> None:
    wrong = SITE | {"space": "DEV", "spaces": "DEV", "cql": 1, "comments": "yes", "include": ["["], "exclude": [""]}
    assert fields_of(wrong) == {
        "config.space": "unknown",
        "config.spaces": "invalid",
        "config.cql": "invalid",
        "config.comments": "invalid",
        "config.include[0]": "invalid",
        "config.exclude": "invalid",
    }


def test_an_unknown_field_gets_the_nearest_name() -> None:
    with pytest.raises(ValidationFailed, match="Did you mean 'attachments'"):
        ConfluenceSource.parse_config(SITE | {"atachments": True})


def test_a_filter_may_not_sort_but_may_speak_of_sorting() -> None:
    assert fields_of(SITE | {"cql": "label = x ORDER  BY created"}) == {"config.cql": "invalid"}
    assert ConfluenceSource.parse_config(SITE | {"cql": 'title ~ "order by phone"'})["cql"]


# CQL


@pytest.mark.parametrize("hours", [-12, -3.5, 0, 5.75, 9, 14])
def test_no_zone_of_the_site_cuts_off_a_change(hours: float) -> None:
    since = datetime(2026, 3, 29, 23, 59, 59, tzinfo=UTC)
    text = modified_since(since).split('"')[1]
    meant = datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=timezone(timedelta(hours=hours)))
    assert meant <= since


def test_texts_are_quoted_so_that_they_stay_texts() -> None:
    assert quoted('say "はい" \\ no') == '"say \\"はい\\" \\\\ no"'
    assert among("space", ["DEV", "~me"]) == 'space in ("DEV", "~me")'


def test_lists_of_long_titles_are_cut_so_that_an_address_holds_them() -> None:
    titles = [f"{number}番目の手順書について" * 5 for number in range(40)]
    parts = list(short_lists(titles, str))
    assert [title for part in parts for title in part] == titles
    assert all(len(quote(among("title", part))) < 4000 for part in parts)
    assert len(parts) > 1


@pytest.mark.parametrize("answer", [None, [], {"results": None}, {"results": ["x"]}, {"results": [{"title": "x"}]}])
def test_an_answer_that_is_no_list_is_an_error_and_not_an_empty_list(answer: Any) -> None:
    with pytest.raises(SourceUnavailable):
        results(answer)


# What a body refers to


def test_a_body_tells_people_files_pictures_drawings_and_includes() -> None:
    body = """
    <p>Ask <ac:link><ri:user ri:account-id="712:a" /></ac:link> or <ac:link><ri:user ri:userkey="ff80" /></ac:link></p>
    <ac:image ac:alt="a > b"><ri:attachment ri:filename="構成 &amp; 図.png" /></ac:image>
    <ac:image><ri:attachment ri:filename="theirs.png"><ri:page ri:content-title="Other" /></ri:attachment></ac:image>
    <ac:link><ri:attachment ri:filename="plan.pdf" /></ac:link>
    <ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="連絡先" /></ac:link>
    </ac:parameter></ac:structured-macro>
    <ac:structured-macro ac:name="excerpt-include"><ac:parameter ac:name=""><ac:link>
    <ri:page ri:space-key="DEV" ri:content-title="Terms" /></ac:link></ac:parameter></ac:structured-macro>
    <ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link>
    <ri:page ri:space-key="HR" ri:content-title="Elsewhere" /></ac:link></ac:parameter></ac:structured-macro>
    <ac:link><ri:page ri:content-title="Only linked" /></ac:link>
    <ac:structured-macro ac:name="drawio"><ac:parameter ac:name="diagramName">flow &amp; 図</ac:parameter></ac:structured-macro>
    """
    assert references(body, "DEV") == References(
        users={"712:a": None, "ff80": None},
        includes={"連絡先": None, "Terms": None},
        files={"plan.pdf": None},
        pictures={"構成 & 図.png": None},
        drawings={"flow & 図": None},
    )


def test_what_a_code_block_shows_is_no_reference() -> None:
    body = '<ac:plain-text-body><![CDATA[<ac:image><ri:attachment ri:filename="x.png" /></ac:image> a > b]]></ac:plain-text-body>'
    assert references(body, "DEV") == References()


def test_a_hostile_body_takes_no_time() -> None:
    references("<ac:image " * 20_000 + '<ri:user ri:account-id="a" ' * 20_000 + "<![CDATA[" * 20_000, "DEV")


# Items


def test_a_fingerprint_has_all_that_makes_a_page_another() -> None:
    base = page().base
    others = [page(version=4), page(title="Guide 2"), page(place=("Home",)), page(space=Space("1", "DEV", "New name"))]
    assert len({base, *(other.base for other in others)}) == 5
    assert "|" not in base
    assert page(updated="2026-01-01T00:00:00Z", author="x").base == base


def test_a_stamp_has_labels_comments_and_files_in_no_order() -> None:
    files = attachment(), attachment(id="att2", name="b.txt")
    around = Around(("a", "b"), (("1", 1, ""), ("2", 1, "open")), files)
    assert Around(("b", "a"), (("2", 1, "open"), ("1", 1, "")), files[::-1]).stamp == around.stamp
    assert Around(("a", "b"), (("1", 1, ""), ("2", 1, "resolved")), files).stamp != around.stamp
    assert Around(("a",), around.comments, files).stamp != around.stamp
    assert Around(around.labels, around.comments, files[:1]).stamp != around.stamp


def test_what_is_left_out_says_why() -> None:
    rules = Rules(("DEV/",), ("*draft*", "*.txt"), 5 << 20)
    files = {
        "a.pdf": attachment(name="a.pdf"),
        "big.pdf": attachment(name="big.pdf", size=9 << 20),
        "a.zip": attachment(name="a.zip"),
        "a.txt": attachment(name="a.txt"),
        "flow": attachment(name="flow", media_type="application/vnd.jgraph.mxfile"),
        "below": attachment(name="b.pdf", page_title="My Draft"),
    }
    reasons = {name: (skip := rules.attachment(file).left_out) and skip.reason for name, file in files.items()}
    assert reasons == {
        "a.pdf": None,
        "big.pdf": "too_large",
        "a.zip": "unsupported",
        "a.txt": "filtered",
        "flow": "unsupported",
        "below": "filtered",
    }
    assert rules.page(page(space=Space("2", "OPS", "x")), None).left_out is not None
    assert rules.page(page(), None).left_out is None


def test_an_attachment_is_the_same_after_it_was_listed() -> None:
    listed = Rules((), (), 100).attachment(attachment(size=3))
    stored = json.loads(json.dumps(listed.hint))
    assert Attachment(id="att1", **stored) == Attachment.of(listed) == attachment(size=3)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-03-05T10:00:00.123Z", "2026-03-05T10:00:00Z"),
        ("2026-03-05T10:00:00.000+09:00", "2026-03-05T01:00:00Z"),
        ("", ""),
        ("soon", ""),
    ],
)
def test_times_are_told_in_utc(text: str, meant: str) -> None:
    assert utc_text(text) == meant


# The tree of Cloud


def test_a_place_ends_at_what_is_no_page_and_titles_go_on_above_it() -> None:
    tree = Tree()
    rows = [
        {"id": "1", "title": "Home"},
        {"id": "2", "title": "規程", "parentId": "1", "parentType": "page"},
        {"id": "3", "title": "In a folder", "parentId": "9", "parentType": "folder"},
        {"id": "4", "title": "Leaf", "parentId": "3", "parentType": "page"},
    ]
    tree.add(rows)
    assert tree.place({"id": "5", "parentId": "2", "parentType": "page"}) == ("Home", "規程")
    assert tree.place(rows[3]) == ("?9", "In a folder")
    assert tree.unknown_folders(rows) == {"9"}
    tree.add_folder("9", {"id": "9", "title": "Folder", "parentId": "2", "parentType": "page"})
    assert tree.titles(rows[3]) == ("Home", "規程", "Folder", "In a folder")
    assert tree.place(rows[3]) == ("?9", "In a folder")


def test_a_tree_that_runs_in_a_circle_ends() -> None:
    tree = Tree()
    rows = [{"id": "1", "title": "A", "parentId": "2"}, {"id": "2", "title": "B", "parentId": "1"}]
    tree.add(rows)
    assert tree.titles(rows[0])
    assert tree.unknown_pages(rows) == set()


def test_a_page_in_a_folder_of_cloud_has_the_folder_in_its_path() -> None:
    rows = {
        "1": {"id": "1", "title": "Home", "parentId": None},
        "5": {"id": "5", "title": "休暇", "parentId": "9", "parentType": "folder", "body": {"storage": {"value": "<p>x</p>"}}},
    }
    folders = {"9": {"id": "9", "title": "人事 Folder", "parentId": "8", "parentType": "folder"}, "8": None}
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        path = request.url.path.removeprefix("/wiki/api/v2")
        asked.append(path)
        if path == "/spaces":
            return httpx2.Response(200, json={"results": [{"id": "77", "key": "HR", "name": "人事部"}]})
        if path.startswith("/folders/"):
            found = folders[path.rpartition("/")[2]]
            return httpx2.Response(200, json=found) if found else httpx2.Response(403, json={"errors": []})
        pages = [rows[id_] for id_ in request.url.params.get_list("id") if id_ in rows]
        more = {"spaceId": "77", "version": {"number": 2, "createdAt": "2026-01-02T03:04:05.678Z"}}
        return httpx2.Response(200, json={"results": [{**one, **more} for one in pages]})

    http = HttpOptions(pause=lambda _seconds: None, allowed_hosts=("*",))
    transport = httpx2.MockTransport(answer)
    client = AtlassianClient("https://x.example/wiki", Auth("oauth", "t"), http, product="confluence", transport=transport)
    site = CloudSite(client)
    site.spaces([])
    [found] = site.fetched([("page", "5")], Looked({}, {}))
    assert (found.above, found.place, found.space.name) == (("人事 Folder",), ("?9",), "人事部")
    assert found.url == "https://x.example/wiki/spaces/HR/pages/5"
    list(site.fetched([("page", "5")], Looked({}, {})))
    assert [path for path in asked if path.startswith("/folders/")] == ["/folders/9", "/folders/8"]
    client.close()


def test_data_center_is_asked_for_spaces_where_a_plain_listing_does_not_tell_them() -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/rest/api/space"):
            return httpx2.Response(200, json={"results": [{"id": 7, "key": "HR", "name": "人事部"}]})
        asked.append(request.url.params.get("expand", ""))
        space = {"space": {"id": 7, "key": "HR", "name": "人事部"}} if asked[-1] else {}
        return httpx2.Response(200, json={"results": [{"id": "5", "type": "page", "title": "休暇", **space}]})

    http = HttpOptions(pause=lambda _seconds: None, allowed_hosts=("*",))
    transport = httpx2.MockTransport(answer)
    client = AtlassianClient("https://x.example/wiki", Auth("pat", "t"), http, product="confluence", transport=transport)
    site = DataCenterSite(client)
    site.spaces([])
    [found] = site.listed(Scope(None, "", comments=True, attachments=True))
    assert (found.id, found.space.key, asked) == ("5", "HR", ["", "space"])
    client.close()


# The envelope


def comment(id_: str, *above: str, **more: Any) -> dict[str, Any]:
    made = {"id": id_, "body": {"storage": {"value": f"<p>{id_}</p>"}}, "version": {"number": 1}}
    return {**made, "ancestors": [{"id": one} for one in above], "history": {"createdBy": {"displayName": "佐藤"}}, **more}


def test_replies_stand_below_what_they_answer() -> None:
    inline = {"location": "resolved", "inlineProperties": {"originalSelection": "この値"}, "resolution": {"status": "resolved"}}
    made = threads(
        [comment("11", "9"), comment("12", "9", "11"), comment("9"), comment("10", extensions=inline), comment("13", "99")], {}
    )
    assert [one["id"] for one in made] == ["9", "10", "13"]
    assert [one["id"] for one in made[0]["replies"]] == ["11"]
    assert [one["id"] for one in made[0]["replies"][0]["replies"]] == ["12"]
    assert (made[1]["kind"], made[1]["selection"], made[1]["resolved"]) == ("inline", "この値", True)
    assert (made[0]["kind"], made[0]["author"], made[0]["resolved"]) == ("footer", "佐藤", False)


def test_equal_content_gives_equal_bytes_and_too_much_is_refused() -> None:
    body = '<p><ac:image><ri:attachment ri:filename="a.png" /></ac:image></p>'
    content = Content(
        "cloud", page(body=("storage", body)), references(body, "DEV"), files=[attachment(name="a.png")], base_url="https://w"
    )
    first, second = (envelope(content, lambda file, limit: b"png", 10_000) for _ in range(2))
    assert first == second
    made = json.loads(first)
    assert made["pictures"] == {"a.png": "cG5n"}
    assert made["attachments"]["a.png"]["url"] == "https://w/download/attachments/7/a.png"
    assert made["space"] == {"key": "DEV", "name": "開発部"}
    with pytest.raises(PayloadTooLarge, match="page/7"):
        envelope(content, lambda file, limit: b"png", 100)
