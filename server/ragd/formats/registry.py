"""The one table of formats: each a row that says which files are in it, who reads them, and how people see them.

A package of one's own adds a format by two entry points of the group of providers: `loader.<name>` for the class that reads it,
and `format.<name>` for its row, a `FormatSpec`. The extension's lists are generated from what `python -m ragd.formats.registry`
prints.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Final, Literal, get_args

from ragd.core.documents import DocType
from ragd.core.errors import SettingsError, did_you_mean
from ragd.formats.code import languages
from ragd.formats.common.naming import base_name, extension
from ragd.providers.registry import ENTRY_POINT_GROUP, names

log = logging.getLogger(__name__)

_Shape = Literal["text", "pages", "table", "slides", "code", "picture", "cells"]
"""What a document of a format is made of; `text` flows."""


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """A format. `extensions` (lower case, with their dot) and `file_names` (lower case, whole) say which files are its.

    `media_types` are by what a picture of the format is known inside of other documents. `icon` is a codicon. An editor shows
    what `needs_program` as no more than bytes. `is_own_text`: the document's text is the file, word for word.
    """

    doc_type: DocType
    label: str
    loader: str
    icon: str
    extensions: tuple[str, ...] = ()
    file_names: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    shape: _Shape = "text"
    needs_program: bool = False
    is_own_text: bool = False


_ROWS: Final = (
    FormatSpec("pdf", "PDF", "pdf", "file-pdf", (".pdf",), shape="pages", needs_program=True),
    FormatSpec("docx", "Word", "word", "file", (".docx", ".docm", ".dotx", ".doc"), needs_program=True),
    FormatSpec(
        "xlsx", "Excel", "excel", "table", (".xlsx", ".xlsm", ".xltx", ".xlsb", ".xls", ".xlt", ".ods", ".ots"),
        shape="table", needs_program=True,
    ),
    FormatSpec(
        "pptx", "PowerPoint", "powerpoint", "preview", (".pptx", ".pptm", ".ppsx", ".potx", ".ppt", ".pps"),
        shape="slides", needs_program=True,
    ),
    FormatSpec(
        "markdown", "Markdown", "markdown", "markdown", (".md", ".markdown", ".mdown", ".mkd", ".mdx"), is_own_text=True
    ),
    FormatSpec("html", "Web page", "html", "globe", (".html", ".htm", ".xhtml")),
    FormatSpec(
        "text", "Text", "text", "file",
        (".txt", ".text", ".log", ".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".org", ".tex", ".ltx", ".srt", ".vtt"),
        ("authors", "changelog", "changes", "contributing", "copying", "license", "notice", "readme"),
        is_own_text=True,
    ),
    FormatSpec(
        "code", "Code", "code", "file-code", tuple(languages.EXTENSIONS), tuple(languages.FILE_NAMES),
        shape="code", is_own_text=True,
    ),
    FormatSpec(
        "image", "Picture", "image", "file-media",
        (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".gif", ".svg"),
        media_types=("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/svg+xml"),
        shape="picture",
    ),
    FormatSpec("csv", "CSV", "csv", "table", (".csv", ".tsv"), shape="table"),
    FormatSpec("notebook", "Notebook", "notebook", "notebook", (".ipynb",), shape="cells"),
    FormatSpec("email", "E-mail", "email", "mail", (".eml", ".msg"), needs_program=True),
    FormatSpec("odt", "OpenDocument", "opendocument", "file", (".odt", ".ott"), needs_program=True),
    FormatSpec("rtf", "Rich text", "rtf", "file", (".rtf",), needs_program=True),
    FormatSpec("epub", "Book", "epub", "book", (".epub",), needs_program=True),
    FormatSpec(
        "diagram", "Diagram", "diagram", "file-media", (".drawio", ".dio", ".excalidraw", ".bpmn", ".vsdx", ".vsdm"),
        needs_program=True,
    ),
    # Fetched by their sources, never found as files.
    FormatSpec("confluence", "Confluence", "confluence", "book"),
    FormatSpec("jira", "Jira", "jira", "issues"),
)  # fmt: skip

PICTURE_EXTENSIONS: Final = frozenset(extension for row in _ROWS if row.shape == "picture" for extension in row.extensions)
PICTURE_MEDIA_TYPES: Final = tuple(kind for row in _ROWS if row.shape == "picture" for kind in row.media_types)


@cache
def format_specs() -> tuple[FormatSpec, ...]:
    """All rows: our own, then those of installed packages, which can't take an extension or a name away from ours."""
    return (*_ROWS, *_installed())


def format_of_loader(loader: str) -> FormatSpec:
    """The row of what a loader of this name reads. Raises `KeyError` for one without a row."""
    for spec in format_specs():
        if spec.loader == loader:
            return spec
    raise KeyError(loader)


def shape_of(doc_type: str) -> _Shape:
    """What a document of this type is made of."""
    return next((spec.shape for spec in _ROWS if spec.doc_type == doc_type), "text")


def doc_types_called(name: str) -> tuple[str, ...]:
    """What a person's word for a type stands for; empty for an unknown one.

    `pdf`, `Word`, `md` and `.docx` are a document type each, `py` and `python` the files of that language, as patterns: `*.py`.
    """
    word = name.strip().lower().removeprefix("*").removeprefix(".")
    for spec in format_specs():
        if word in (spec.doc_type, spec.label.lower(), spec.loader):
            return (spec.doc_type,)
    language = languages.EXTENSIONS.get(f".{word}", word)
    if patterns := tuple(f"*{ending}" for ending, of in languages.EXTENSIONS.items() if of == language):
        return patterns
    return tuple(spec.doc_type for spec in format_specs() if f".{word}" in spec.extensions)[:1]


def require_loaders(loaders: Mapping[str, str]) -> None:
    """Raises `SettingsError` for the setting `ingest.loaders` when it names a loader that is not there."""
    known = [*names("loader"), "none"] if loaders else []
    for ending, loader in loaders.items():
        if loader not in known:
            raise SettingsError(
                f"Setting 'ingest.loaders': there is no loader '{loader}' for {ending} files.{did_you_mean(loader, known)} "
                f"Known: {', '.join(known)}."
            )


def loader_name_for(name: str) -> str | None:
    """Name of the loader, in the provider table, that reads a file called `name`; None when no loader does."""
    spec = _spec_for(name)
    return spec.loader if spec else None


def doc_type_for(name: str) -> DocType | None:
    """The document type of a file called `name`; None when no loader reads it."""
    spec = _spec_for(name)
    return spec.doc_type if spec else None


def is_text_file(name: str) -> bool:
    """Whether a file of this name is text in some encoding; so is one of no format, which only a setting gives a loader."""
    spec = _spec_for(name)
    return spec is None or not (spec.needs_program or spec.shape == "picture")


def supported_extensions() -> list[str]:
    """Extensions that some loader reads, lower case with their dot, sorted."""
    return sorted({extension for spec in format_specs() for extension in spec.extensions})


def _installed() -> Iterator[FormatSpec]:
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name.startswith("format."):
            try:
                spec = point.load()
            except Exception:  # another package's defect costs its own format alone
                log.exception("format of an installed package not read", extra={"entry_point": point.name})
                continue
            if isinstance(spec, FormatSpec) and spec.doc_type in get_args(DocType):
                yield spec
            else:
                log.error(
                    "format of an installed package is no FormatSpec of a known doc_type", extra={"entry_point": point.name}
                )


@cache
def _by_name() -> tuple[dict[str, FormatSpec], dict[str, FormatSpec]]:
    """The rows by whole file name, and by extension; of several claims the first counts."""
    specs = format_specs()
    names = {name: spec for spec in reversed(specs) for name in spec.file_names}
    return names, {extension: spec for spec in reversed(specs) for extension in spec.extensions}


def _spec_for(name: str) -> FormatSpec | None:
    names, extensions = _by_name()
    return names.get(base_name(name).lower()) or extensions.get(extension(name))


def _for_the_extension() -> list[dict[str, Any]]:
    """What the editor's extension has to know of our own rows."""
    kept = ("doc_type", "label", "icon", "shape", "needs_program", "is_own_text")
    return [{key: getattr(spec, key) for key in kept} for spec in _ROWS]


if __name__ == "__main__":
    print(json.dumps(_for_the_extension(), indent=2))
