"""Resources by address: a picture, a document as Markdown, a collection with its first documents.

What may be read is decided by the API, with the tokens of whoever asks, as for tools. The part of an address that names something
is escaped: names of collections may hold anything but slashes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.shared.uri_template import UriTemplate
from mcp.types import Annotations, Resource, ResourceLink, ResourceTemplate

from ragd.client.asynchronous import AsyncClient
from ragd.client.requests import MAX_PAGE_SIZE, path
from ragd.core.errors import CollectionNotFound, NotFound, PayloadTooLarge
from ragd.mcp.library import Library
from ragd.mcp.results import markdown
from ragd.mcp.results.markdown import counted, one_line, short
from ragd.mcp.results.pictures import MAX_BYTES

MARKDOWN: Final = "text/markdown"

FIRST_DOCUMENTS: Final = 50
"""So many documents of a collection are named; list_documents has the others."""

_TITLE_CHARS: Final = 200
_ABOUT_CHARS: Final = 500
_MORE_CHARS: Final = 100
"""Kept for the line that says how many were left out."""
_MOST_COLLECTIONS: Final = 2_000


def _document_uri(doc_id: str) -> str:
    return f"doc://{quote(doc_id, safe='')}"


def _collection_uri(name: str) -> str:
    return f"collection://{quote(name, safe='')}"


def document_link(doc_id: str, title: str) -> ResourceLink:
    """What a result points to, for clients that open resources."""
    return ResourceLink(
        type="resource_link",
        uri=_document_uri(doc_id),
        name=title[:_TITLE_CHARS] or doc_id,
        title=title[:_TITLE_CHARS],
        mime_type=MARKDOWN,
        # For people: a model has the ids in the text, and get_document.
        annotations=Annotations(audience=["user"]),
    )


TEMPLATES: Final = (
    ResourceTemplate(
        uri_template="asset://{id}",
        name="asset",
        title="Picture",
        description="A picture of a document, as it is. Ids stand in results of searches; query_assets gives smaller ones.",
    ),
    ResourceTemplate(
        uri_template="doc://{id}",
        name="doc",
        title="Document",
        description="A document as Markdown, from its beginning. get_document reads on where this one is cut.",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        uri_template="collection://{name}",
        name="collection",
        title="Collection",
        description="What a collection is about, its counts, and its first documents with their addresses.",
        mime_type=MARKDOWN,
    ),
)

_Read = Callable[[AsyncClient, str], Awaitable[ReadResourceContents]]


class Resources:
    """All that can be read by address."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._readers: dict[str, _Read] = {"asset": self._picture, "doc": self._document, "collection": self._collection}

    async def listed(self, client: AsyncClient) -> list[Resource]:
        """One for each collection, as they are now; `MAX_PAGE_SIZE` at most, the others can be read all the same."""
        page = await client.get("/api/collections", page_size=MAX_PAGE_SIZE)
        return [
            Resource(
                uri=_collection_uri(row["name"]),
                name=row["name"],
                title=row["name"],
                description=markdown.cut(row["description"], _TITLE_CHARS)[0] or None,
                mime_type=MARKDOWN,
            )
            for row in page["items"]
        ]

    async def read(self, uri: str, client: AsyncClient) -> ReadResourceContents:
        """Raises `NotFound` for an address of no kind, and what the API refuses with."""
        for template in TEMPLATES:
            if (found := UriTemplate.parse(template.uri_template).match(uri)) is not None:
                (name,) = found.values()
                return await self._readers[template.name](client, str(name))
        raise NotFound("There is no such resource. Addresses are doc://ID, collection://NAME and asset://ID.")

    async def _picture(self, client: AsyncClient, asset_id: str) -> ReadResourceContents:
        content, mime = await client.bytes(path("/api/assets", asset_id), variant="raw")
        if len(content) > MAX_BYTES:
            message = (
                f"The picture has {len(content):,} bytes, and {MAX_BYTES:,} are sent at most. query_assets gives a thumbnail."
            )
            raise PayloadTooLarge(message)
        return ReadResourceContents(content=content, mime_type=mime)

    async def _document(self, client: AsyncClient, doc_id: str) -> ReadResourceContents:
        whole = (await client.get(path("/api/documents", doc_id, "content")))["markdown"]
        text, shortened = markdown.cut(whole, self._library.settings.max_chars)
        if shortened:
            text += f"\n\n(cut; {len(whole) - len(text)} more characters: get_document with doc_id {doc_id}, offset {len(text)})"
        return ReadResourceContents(content=text, mime_type=MARKDOWN)

    async def _collection(self, client: AsyncClient, name: str) -> ReadResourceContents:
        row = await _named(client, name)
        page = await client.get("/api/documents", collection=row["name"], status="ready", page_size=FIRST_DOCUMENTS)
        state = "" if row["status"] == "enabled" else f" ({row['status']})"
        lines = [f"# {one_line(row['name'])}{state}", ""]
        if row["description"]:
            lines += [short(row["description"], _ABOUT_CHARS), ""]
        lines += [f"{counted(row['document_count'], 'document')}, {counted(row['chunk_count'], 'passage')}.", ""]
        room = self._library.settings.max_chars - sum(len(line) + 1 for line in lines) - _MORE_CHARS
        shown = markdown.fitting((_line(document) for document in page["items"] if not document.get("restricted")), room)
        lines += shown
        if more := page["total"] - len(shown):
            lines.append(f"- … and {more} more: list_documents, with a token where one is needed.")
        return ReadResourceContents(content="\n".join(lines), mime_type=MARKDOWN)


def _line(document: Mapping[str, Any]) -> str:
    title, source = short(document["title"], _TITLE_CHARS), short(document["source"], _TITLE_CHARS)
    return f"- [{title}]({_document_uri(document['id'])}) ({source}, {document['doc_type']})"


async def _named(client: AsyncClient, name: str) -> Mapping[str, Any]:
    """The collection of that name; of that name in other letters when there is none, since clients make addresses lower case."""
    rows, _total = await client.rows("/api/collections", _MOST_COLLECTIONS)
    alike = [row for row in rows if row["name"].casefold() == name.casefold()]
    exact = [row for row in alike if row["name"] == name]
    if len(found := exact or alike) == 1:
        return found[0]
    raise CollectionNotFound(f"There is no collection '{name[:100]}'. list_collections names those there are.")
