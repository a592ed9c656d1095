"""HTML pages: the main content as Markdown, block by block, each with the source lines that it came from.

markdownify turns one small block (paragraph, list item, table cell, quotation) into Markdown at a time; the walk over the page
is ours, since only so does a passage know its lines, and a page is never converted by deep recursion.
"""

from __future__ import annotations

import re
from typing import Any, Final

from bs4 import BeautifulSoup, Tag

from rag_assistant.errors import DocumentEmpty, ParseFailed
from rag_assistant.ingest.loaders.decoding import decode, is_blank
from rag_assistant.ingest.loaders.html_blocks import BlockWriter
from rag_assistant.ingest.loaders.html_tree import main_content, parse, remove_unseen, text_lines
from rag_assistant.ingest.loaders.language import detect_language, language_of_tag
from rag_assistant.ingest.loaders.naming import choose_title
from rag_assistant.types import Document

# `<meta charset=x>`, `<meta http-equiv=Content-Type content="text/html; charset=x">`, `<?xml encoding="x"?>`
_DECLARED: Final = re.compile(rb"<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*[\"']?\s*([-\w.:]+)", re.IGNORECASE)
_DECLARED_WITHIN: Final = 65_536


class HtmlLoader:
    """HTML and XHTML, without scripts, hidden parts and page furniture."""

    name = "html"
    version = "1"

    def load(self, data: bytes, name: str) -> Document:
        found = _DECLARED.search(data[:_DECLARED_WITHIN])
        decoded = decode(data, name, declared=found[1].decode("ascii", "replace") if found else None)
        tree = parse(decoded.text)
        writer = BlockWriter(text_lines(tree))
        page_title = tree.title.get_text() if tree.title else None
        keywords = _meta(tree, "keywords")
        declared_language = tree.html.get("lang") if tree.html else None
        remove_unseen(tree)
        try:
            writer.write(main_content(tree))
        except RecursionError as error:
            raise ParseFailed(f"'{name}' is nested too deeply to be read.") from error
        facts, marks, headings = writer.result()
        if is_blank(facts):
            raise DocumentEmpty(f"'{name}' holds no text once scripts, navigation and hidden parts are left out.")
        first_h1 = next((heading.title for heading in headings if heading.level == 1), None)
        title, metadata = choose_title(name, title_element=page_title, heading=first_h1)
        metadata |= {"encoding": decoded.encoding}
        if tags := [word.strip() for word in keywords.split(",") if word.strip()]:
            metadata["tags"] = tags
        return Document(
            doc_type="html",
            title=title,
            markdown=facts,
            loader=self.name,
            loader_version=self.version,
            marks=marks,
            headings=headings,
            language=(language_of_tag(declared_language) if isinstance(declared_language, str) else None)
            or detect_language(facts),
            metadata=metadata,
            warnings=decoded.warnings,
        )


def _meta(tree: BeautifulSoup, name: str) -> str:
    attributes: dict[str, Any] = {"name": re.compile(f"^{name}$", re.IGNORECASE)}
    tag = tree.find("meta", attrs=attributes)
    return str(tag.get("content", "")) if isinstance(tag, Tag) else ""
