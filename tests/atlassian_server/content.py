"""Content of Confluence as the v1 API shows it, on Cloud and on Data Center: a bare entry, and more for each name in `expand`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

from .cql import kind_of
from .face import Ask, Refusal, check_whole, utc, zoned
from .model import Attachment, Comment, Item, Page, Space
from .store import Store


class V1:
    def __init__(self, ask: Ask, *, cloud: bool) -> None:
        self.ask = ask
        self.world: Store = ask.world
        self.cloud = cloud
        self.context = "/wiki" if cloud else "/confluence"
        self.base = f"{ask.host}{self.context}"

    def content(self, item: Item, expand: Iterable[str]) -> dict[str, Any]:
        wanted = set(expand)
        kind = kind_of(item)
        made: dict[str, Any] = {
            "id": item.id,
            "type": kind,
            "status": getattr(item, "status", "current"),
            "title": self.title(item),
            "extensions": self._extensions(item, wanted),
            "_links": self._links(item),
        }
        if _wants(wanted, "body"):
            made["body"] = self._body(item, _below(wanted, "body"))
        if _wants(wanted, "version"):
            made["version"] = self._version(item)
        if _wants(wanted, "space"):
            made["space"] = self.space(self.world.spaces[self.page_of(item).space])
        if _wants(wanted, "container"):
            owner = self.page_of(item)
            inner = _below(wanted, "container")
            made["container"] = self.content(owner, inner) if owner is not item else self.space(self.world.spaces[owner.space])
        if _wants(wanted, "ancestors"):
            made["ancestors"] = [self.content(above, ()) for above in self._ancestors(item)]
        if _wants(wanted, "history"):
            made["history"] = self._history(item, _below(wanted, "history"))
        if _wants(wanted, "metadata"):
            made["metadata"] = self._metadata(item, _below(wanted, "metadata"))
        if _wants(wanted, "children"):
            made["children"] = {
                name: self._children(item, name, _below(wanted, f"children.{name}"))
                for name in ("comment", "attachment", "page")
                if _wants(_below(wanted, "children"), name)
            }
        if _wants(wanted, "restrictions"):
            made["restrictions"] = {"read": self._restrictions(item)}
        own, space = f"/rest/api/content/{item.id}", f"/rest/api/space/{self.page_of(item).space}"
        known = {"body": "", "version": "", "ancestors": "", "metadata": "", "space": space, "history": f"{own}/history"}
        known |= {"children": f"{own}/child", "container": space, "restrictions": f"{own}/restriction/byOperation"}
        made["_expandable"] = {name: address for name, address in known.items() if name not in made}
        if "space" not in made:
            made["_expandable"]["space"] = f"/rest/api/space/{self.page_of(item).space}"
        return made

    def title(self, item: Item) -> str:
        if isinstance(item, Comment):
            return f"Re: {self.world.pages[item.owner].title}"
        return item.name if isinstance(item, Attachment) else item.title if isinstance(item, Page) else ""

    def page_of(self, item: Item) -> Page:
        return item if isinstance(item, Page) else self.world.pages[item.owner]  # type: ignore[attr-defined]

    def date(self, item_date: Any) -> str:
        return utc(item_date) if self.cloud else zoned(item_date, self.ask, colon=True)

    def user(self, account_id: str) -> dict[str, Any]:
        user = self.world.users[account_id]
        if self.cloud:
            return {
                "type": "known",
                "accountId": user.account_id,
                "accountType": "atlassian",
                "email": "",
                "publicName": user.display_name,
                "displayName": user.display_name,
                "_links": {"self": f"{self.base}/rest/api/user?accountId={user.account_id}"},
            }
        address = f"{self.base}/rest/api/user?key={user.key}"
        return {
            "type": "known",
            "username": user.name,
            "userKey": user.key,
            "displayName": user.display_name,
            "_links": {"self": address},
        }

    def space(self, space: Space) -> dict[str, Any]:
        links = {
            "webui": f"/spaces/{space.key}" if self.cloud else f"/display/{space.key}",
            "self": f"{self.base}/rest/api/space/{space.key}",
        }
        made = {"id": int(space.id), "key": space.key, "name": space.name, "type": "global", "status": "current", "_links": links}
        return made if self.cloud else {**made, "_expandable": {"homepage": f"/rest/api/content/{space.homepage}"}}

    def body(self, text: str) -> str:
        """Storage format as this deployment has it: Data Center names people by their user key."""
        if self.cloud:
            return text

        def user_key(found: re.Match[str]) -> str:
            user = self.world.users.get(found[1])
            return f'ri:userkey="{user.key if user else found[1]}"'

        return re.sub(r'ri:account-id="([^"]*)"', user_key, text)

    def web_address(self, page: Page) -> str:
        return web_address(page, cloud=self.cloud)

    def _body(self, item: Item, wanted: set[str]) -> dict[str, Any]:
        check_whole(self.ask, item.id)
        text = str(getattr(item, "body", ""))
        made = {}
        for name in ("storage", "view", "export_view", "styled_view"):
            if _wants(wanted, name) and not (name == "storage" and getattr(item, "without_storage", False)):
                value = self.body(text) if name == "storage" else viewed(item)
                made[name] = {"value": value, "representation": name, "_expandable": {"content": f"/rest/api/content/{item.id}"}}
        return made

    def _version(self, item: Item) -> dict[str, Any]:
        return {
            "by": self.user(getattr(item, "editor", "") or item.author),
            "when": self.date(item.updated),
            "message": "",
            "number": getattr(item, "version", 1),
            "minorEdit": False,
            "hidden": False,
        }

    def _history(self, item: Item, wanted: set[str]) -> dict[str, Any]:
        made = {"latest": True, "createdBy": self.user(item.author), "createdDate": self.date(item.created)}
        return {**made, "lastUpdated": self._version(item)} if _wants(wanted, "lastUpdated") else made

    def _metadata(self, item: Item, wanted: set[str]) -> dict[str, Any]:
        made: dict[str, Any] = {"mediaType": item.media_type, "comment": ""} if isinstance(item, Attachment) else {}
        if _wants(wanted, "labels"):
            made["labels"] = self.listing([self.label(name) for name in getattr(item, "labels", ())])
        return made

    def label(self, name: str) -> dict[str, Any]:
        return {"prefix": "global", "name": name, "id": str(sum(name.encode()) * 7919 % 1_000_000), "label": name}

    def listing(self, results: list[Any]) -> dict[str, Any]:
        """Entries inside of others, all of them."""
        return {"results": results, "start": 0, "limit": 200, "size": len(results), "_links": {}}

    def _extensions(self, item: Item, wanted: set[str]) -> dict[str, Any]:
        if isinstance(item, Attachment):
            return {"mediaType": item.media_type, "fileSize": len(item.data), "comment": "", "mediaTypeDescription": ""}
        if not isinstance(item, Comment):
            return {"position": "none"}
        location = "footer" if item.kind == "footer" else "resolved" if item.resolved else "inline"
        made: dict[str, Any] = {"location": location}
        inner = _below(wanted, "extensions")
        if _wants(inner, "inlineProperties") and item.kind == "inline":
            made["inlineProperties"] = {"originalSelection": item.selection, "markerRef": f"marker-{item.id}"}
        if _wants(inner, "resolution"):
            made["resolution"] = {"status": "resolved" if item.resolved else "open"}
        return made

    def _links(self, item: Item) -> dict[str, str]:
        page = self.page_of(item)
        made = {"webui": self.web_address(page), "self": f"{self.base}/rest/api/content/{item.id}"}
        if isinstance(item, Attachment):
            made["download"] = download_address(item)
            made["webui"] = (
                f"/pages/viewpageattachments.action?pageId={page.id}&preview=%2F{page.id}%2F{item.id}%2F{quote(item.name)}"
            )
        elif isinstance(item, Comment):
            joint = "&" if "?" in made["webui"] else "?"
            made["webui"] += f"{joint}focusedCommentId={item.id}" + ("" if self.cloud else f"#comment-{item.id}")
        else:
            made["tinyui"] = f"/x/{int(item.id):x}"
        return made

    def _ancestors(self, item: Item) -> list[Any]:
        if isinstance(item, Page):
            return [above for above in self.world.ancestors(item) if self.cloud or above.kind != "folder"]
        parent = self.world.comments.get(getattr(item, "parent", None) or "")
        return [*self._ancestors(parent), parent] if parent else []

    def _children(self, item: Item, name: str, expand: set[str]) -> dict[str, Any]:
        if name == "page":
            below = [page for page in self.world.pages.values() if page.parent == item.id and page.status == "current"]
            parts: list[Any] = [page for page in below if self.ask.account.may_read_page(self.world, page)]
        elif isinstance(item, Comment):
            parts = [other for other in self.world.children(item.owner, Comment) if other.parent == item.id]
        else:
            every = self.world.children(item.id, Comment) if name == "comment" else self.world.children(item.id, Attachment)
            parts = [part for part in every if _is_root(part)]
        # Inside of another entry the real ones give the first 25.
        return {**self.listing([self.content(part, expand) for part in parts[:25]]), "limit": 25}

    def _restrictions(self, item: Item) -> dict[str, Any]:
        readers = getattr(item, "readers", None)
        people = [
            self.user(self.world.accounts[token].user.account_id)
            for token in sorted(readers or ())
            if token in self.world.accounts
        ]
        return {"operation": "read", "restrictions": {"user": self.listing(people), "group": self.listing([])}}


def readable(ask: Ask, id: str, *statuses: str) -> Page:
    """The page or blog post of this id, or 404 in the words of v1."""
    page = ask.world.pages.get(id)
    if page is None or page.status not in (statuses or ("current",)) or not ask.account.may_read_page(ask.world, page):
        raise Refusal(404, f"No content found with id: ContentId{{id={id}}}")
    return page


def web_address(page: Page, *, cloud: bool) -> str:
    """Below the base. Data Center has two forms, as titles with unusual characters have no pretty address."""
    if cloud and page.kind == "blogpost":
        return f"/spaces/{page.space}/blog/{page.created:%Y/%m/%d}/{page.id}/{quote_plus(page.title)}"
    if cloud:
        return f"/spaces/{page.space}/pages/{page.id}/{quote_plus(page.title)}"
    if page.kind == "blogpost":
        return f"/display/{page.space}/{page.created:%Y/%m/%d}/{quote_plus(page.title)}"
    if re.fullmatch(r"[\w .,-]+", page.title, re.ASCII):
        return f"/display/{page.space}/{quote_plus(page.title)}"
    return f"/pages/viewpage.action?pageId={page.id}"


def download_address(attachment: Attachment) -> str:
    """Below the base."""
    changed = int(attachment.updated.timestamp() * 1000)
    name = quote(attachment.name)
    return f"/download/attachments/{attachment.owner}/{name}?version={attachment.version}&modificationDate={changed}&api=v2"


def viewed(item: Item) -> str:
    """Roughly what a reader's browser gets."""
    if item.viewed is not None:
        return item.viewed
    text = str(getattr(item, "body", ""))
    text = re.sub(
        r'<ac:structured-macro ac:name="code".*?CDATA\[(.*?)\]\]>.*?</ac:structured-macro>',
        lambda found: f'<div class="code panel pdl"><pre class="syntaxhighlighter-pre">{escape(found[1])}</pre></div>',
        text,
        flags=re.DOTALL,
    )
    text = re.sub(
        r"<ac:link[^>]*>.*?CDATA\[(.*?)\]\]>.*?</ac:link>", lambda found: f'<a href="#">{found[1]}</a>', text, flags=re.DOTALL
    )
    text = re.sub(r"<ac:parameter[^>]*>.*?</ac:parameter>", "", text, flags=re.DOTALL)
    return re.sub(r"</?(ac|ri):[^>]*>", "", text)


def _is_root(part: Item) -> bool:
    return getattr(part, "parent", None) is None


def _wants(wanted: set[str], name: str) -> bool:
    return any(entry == name or entry.startswith(name + ".") for entry in wanted)


def _below(wanted: set[str], name: str) -> set[str]:
    return {entry[len(name) + 1 :] for entry in wanted if entry.startswith(name + ".")}
