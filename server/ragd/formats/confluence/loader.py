"""Confluence pages and blog posts: the envelope that their source fetched, as Markdown with the anchors of its headings."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any, Final

import bs4

from ragd.core.documents import Document, Place
from ragd.core.errors import ParseFailed
from ragd.core.sections import ANCESTORS
from ragd.formats.common.builder import FormatLoader
from ragd.formats.common.linked_pictures import PictureShelf
from ragd.formats.common.naming import choose_title
from ragd.formats.common.opc import LXML_VERSION
from ragd.formats.confluence.anchors import Anchors, comment_place
from ragd.formats.confluence.content import PageContent, view_tree, written_tree
from ragd.formats.confluence.embeds import survey_issues
from ragd.formats.confluence.envelope import Comment, Envelope, read_envelope
from ragd.formats.confluence.macros import ELEMENTS
from ragd.formats.confluence.page import PageParts
from ragd.formats.confluence.storage import StorageWriter
from ragd.formats.confluence.xml import parse_storage
from ragd.language.detection import detect_language
from ragd.providers.protocols import ALONE, LoadContext

_COMMENT_SHIFT: Final = 3


class ConfluenceLoader(FormatLoader):
    """Reads an envelope of the format `confluence/1`."""

    name = "confluence"
    version = "1"

    def load(self, data: bytes, name: str, context: LoadContext = ALONE) -> Document:  # noqa: ARG002
        envelope = read_envelope(data)
        page = PageParts(envelope)
        shelf = PictureShelf(LoadContext(linked=page.held))
        content = PageContent(shelf)
        title, metadata = choose_title(f"{envelope.kind} {envelope.id}", title=envelope.title)
        content.heading(1, title, Place())
        try:
            _write_body(content, page)
        except ParseFailed as error:
            raise ParseFailed(f"{envelope.kind} {envelope.id} can't be read: {error.message}") from error
        except RecursionError as error:
            raise ParseFailed(f"{envelope.kind} {envelope.id} is nested too deeply to be read.") from error
        if envelope.comments:
            content.heading(2, "Comments", Place())
            for comment in envelope.comments:
                _write_thread(content, page, comment)
        return self._document(
            title,
            content,
            metadata | _metadata(envelope) | shelf.metadata(),
            parser=f"lxml {LXML_VERSION}, beautifulsoup4 {bs4.__version__}, markdownify {installed('markdownify')}",
            marks=content.changes(),
            pictures=shelf.pictures,
            language=detect_language(content.markdown),
            warnings=(*(f"{what}: {count}" for what, count in sorted(page.notes.items())), *shelf.warnings()),
        )


def _metadata(envelope: Envelope) -> dict[str, Any]:
    values: dict[str, Any] = {
        ANCESTORS: [envelope.space_name or envelope.space_key, *envelope.ancestors],
        "space": envelope.space_key,
        "kind": envelope.kind,
        "author": envelope.author,
        "updated": envelope.updated,
        "tags": list(envelope.labels),
    }
    return {key: value for key, value in values.items() if value}


def _write_body(content: PageContent, page: PageParts) -> None:
    envelope = page.envelope
    anchors = Anchors(envelope.deployment, envelope.title)
    if envelope.body.representation == "view":
        content.html(view_tree(page, anchors, 1), Place())
        return
    root, is_well_formed = parse_storage(envelope.body.value)
    if not is_well_formed:
        page.notes["parts that are not well-formed XML, read as HTML"] += 1
    page.shown_issues, page.lone_query = survey_issues(root)
    writer = StorageWriter(page, anchors, ELEMENTS)
    writer.write(root)
    content.html(written_tree(writer.html), Place())


def _write_thread(content: PageContent, page: PageParts, comment: Comment) -> None:
    """A comment under a heading of its own, and its replies below it, each at its own place."""
    place = comment_place(page.envelope.deployment, page.envelope.url, comment.id)
    resolved = " (resolved)" if comment.resolved else ""
    content.heading(3, f"Comment by {_signed(comment)}{resolved}", place)
    content.paragraph("\n".join(f"> {line.strip()}" for line in comment.selection.splitlines() if line.strip()), place)
    _write_comment(content, page, comment, place)
    waiting = list(reversed(comment.replies))
    while waiting:
        reply = waiting.pop()
        place = comment_place(page.envelope.deployment, page.envelope.url, reply.id)
        content.paragraph(f"**Reply by {_signed(reply)}:**", place)
        _write_comment(content, page, reply, place)
        waiting += reversed(reply.replies)


def _signed(comment: Comment) -> str:
    return " ".join((comment.author or "an unknown author", f"on {comment.created[:10]}" if comment.created else "")).strip()


def _write_comment(content: PageContent, page: PageParts, comment: Comment, place: Place) -> None:
    """One that can't be read costs itself alone."""
    try:
        root, is_well_formed = parse_storage(comment.value)
        if not is_well_formed:
            page.notes["parts that are not well-formed XML, read as HTML"] += 1
        writer = StorageWriter(page, None, ELEMENTS, _COMMENT_SHIFT)
        writer.write(root)
        content.html(written_tree(writer.html), place)
    except (ParseFailed, RecursionError):
        page.notes["comments that could not be read"] += 1
        content.paragraph("[this comment could not be read]", place)
