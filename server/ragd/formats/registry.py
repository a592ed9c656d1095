"""Which loader reads a file: the one map from a file's extension or whole name to a loader and a document type."""

from __future__ import annotations

from typing import Final

from ragd.core.documents import DocType

_CODE_EXTENSIONS: Final[dict[str, str]] = {
    ".astro": "astro", ".bas": "vb", ".bash": "shell", ".bat": "batch", ".bicep": "bicep", ".c": "c", ".cc": "cpp",
    ".cfg": "ini", ".cjs": "javascript", ".clj": "clojure", ".cmake": "cmake", ".cmd": "batch", ".conf": "ini", ".cpp": "cpp",
    ".cs": "csharp", ".csproj": "xml", ".css": "css", ".cts": "typescript", ".cxx": "cpp", ".dart": "dart", ".ddl": "sql",
    ".dockerfile": "docker", ".elm": "elm", ".erl": "erlang", ".ex": "elixir", ".exs": "elixir", ".f90": "fortran",
    ".fs": "fsharp", ".geojson": "json", ".go": "go", ".gql": "graphql", ".gradle": "groovy", ".graphql": "graphql",
    ".groovy": "groovy", ".h": "c", ".hcl": "hcl", ".hh": "cpp", ".hpp": "cpp", ".hs": "haskell", ".ini": "ini",
    ".java": "java", ".jl": "julia", ".js": "javascript", ".json": "json", ".json5": "json", ".jsonc": "json",
    ".jsonl": "jsonl", ".jsx": "javascript", ".kt": "kotlin", ".kts": "kotlin", ".less": "less", ".lua": "lua",
    ".m": "objective-c", ".mjs": "javascript", ".mk": "make", ".ml": "ocaml", ".mm": "objective-c", ".mts": "typescript",
    ".ndjson": "jsonl", ".nix": "nix", ".php": "php", ".pl": "perl", ".pm": "perl", ".properties": "properties",
    ".proto": "protobuf", ".ps1": "powershell", ".psm1": "powershell", ".py": "python", ".pyi": "python", ".pyw": "python",
    ".r": "r", ".rb": "ruby", ".rs": "rust", ".sass": "sass", ".sbt": "scala", ".scala": "scala", ".scss": "scss",
    ".service": "ini", ".sh": "shell", ".sql": "sql", ".svelte": "svelte", ".swift": "swift", ".tf": "hcl",
    ".tfvars": "hcl", ".toml": "toml", ".ts": "typescript", ".tsx": "typescript", ".vb": "vb", ".vue": "vue", ".wsdl": "xml",
    ".xml": "xml", ".xsd": "xml", ".xsl": "xml", ".yaml": "yaml", ".yml": "yaml", ".zig": "zig", ".zsh": "shell",
}  # fmt: skip
_CODE_NAMES: Final[dict[str, str]] = {
    "cmakelists.txt": "cmake", "containerfile": "docker", "dockerfile": "docker", "gemfile": "ruby", "gnumakefile": "make",
    "jenkinsfile": "groovy", "justfile": "make", "makefile": "make", "rakefile": "ruby", "vagrantfile": "ruby",
}  # fmt: skip

_EXTENSIONS: Final[dict[str, tuple[str, DocType]]] = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), ("markdown", "markdown")),
    **dict.fromkeys(
        (".txt", ".text", ".log", ".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".org", ".tex", ".ltx", ".srt", ".vtt"),
        ("text", "text"),
    ),
    **dict.fromkeys((".html", ".htm", ".xhtml"), ("html", "html")),
    ".pdf": ("pdf", "pdf"),
    **dict.fromkeys((".docx", ".docm", ".dotx"), ("word", "docx")),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx"), ("excel", "xlsx")),
    **dict.fromkeys((".csv", ".tsv"), ("csv", "csv")),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".potx"), ("powerpoint", "pptx")),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".gif", ".svg"), ("image", "image")),
    ".ipynb": ("notebook", "notebook"),
    ".eml": ("email", "email"),
    **dict.fromkeys(_CODE_EXTENSIONS, ("code", "code")),
}
# Taken, so that their loaders can say in which format to save them.
_OLD_FORMATS: Final[dict[str, tuple[str, DocType]]] = {
    ".doc": ("word", "docx"),
    ".ppt": ("powerpoint", "pptx"),
    ".xls": ("excel", "xlsx"),
}
_NAMES: Final[dict[str, tuple[str, DocType]]] = {
    **dict.fromkeys(
        ("authors", "changelog", "changes", "contributing", "copying", "license", "notice", "readme"), ("text", "text")
    ),
    **dict.fromkeys(_CODE_NAMES, ("code", "code")),
}


def base_name(name: str) -> str:
    """The last part of a path or URL path, whichever slashes it has."""
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]


def extension(name: str) -> str:
    """`.md` of `docs/Guide.MD`; empty when there is none. A leading dot alone (`.gitignore`) makes no extension."""
    stem, dot, suffix = base_name(name).rpartition(".")
    return f".{suffix.lower()}" if dot and stem and suffix else ""


def loader_name_for(name: str) -> str | None:
    """Name of the loader, in the provider table, that reads a file called `name`; None when no loader does."""
    entry = _entry(name)
    return entry[0] if entry else None


def doc_type_for(name: str) -> DocType | None:
    """The document type of a file called `name`; None when no loader reads it."""
    entry = _entry(name)
    return entry[1] if entry else None


def programming_language_of(name: str) -> str | None:
    """Language of a source or configuration file by its name, such as `python` for `a.py`."""
    return _CODE_NAMES.get(base_name(name).lower()) or _CODE_EXTENSIONS.get(extension(name))


def supported_extensions() -> list[str]:
    """Extensions that some loader reads, lower case with their dot, sorted."""
    return sorted(_EXTENSIONS)


def _entry(name: str) -> tuple[str, DocType] | None:
    return _NAMES.get(base_name(name).lower()) or _EXTENSIONS.get(extension(name)) or _OLD_FORMATS.get(extension(name))
