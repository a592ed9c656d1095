"""Which loader reads a file: the one map from a file's extension or whole name to a loader and a document type."""

from __future__ import annotations

from typing import Final

from rag_assistant.types import DocType

_CODE_EXTENSIONS: Final[dict[str, str]] = {
    ".astro": "astro", ".bash": "shell", ".bat": "batch", ".bicep": "bicep", ".c": "c", ".cc": "cpp", ".cfg": "ini",
    ".clj": "clojure", ".cmake": "cmake", ".cmd": "batch", ".conf": "ini", ".cpp": "cpp", ".cs": "csharp", ".css": "css",
    ".cxx": "cpp", ".dart": "dart", ".elm": "elm", ".erl": "erlang", ".ex": "elixir", ".exs": "elixir", ".f90": "fortran",
    ".fs": "fsharp", ".go": "go", ".gradle": "groovy", ".graphql": "graphql", ".groovy": "groovy", ".h": "c", ".hcl": "hcl",
    ".hh": "cpp", ".hpp": "cpp", ".hs": "haskell", ".ini": "ini", ".java": "java", ".jl": "julia", ".js": "javascript",
    ".json": "json", ".jsonc": "json", ".jsx": "javascript", ".kt": "kotlin", ".kts": "kotlin", ".less": "less",
    ".lua": "lua", ".m": "objective-c", ".mjs": "javascript", ".mk": "make", ".ml": "ocaml", ".nix": "nix", ".php": "php",
    ".pl": "perl", ".pm": "perl", ".properties": "properties", ".proto": "protobuf", ".ps1": "powershell", ".py": "python",
    ".pyi": "python", ".r": "r", ".rb": "ruby", ".rs": "rust", ".sass": "sass", ".scala": "scala", ".scss": "scss",
    ".sh": "shell", ".sql": "sql", ".svelte": "svelte", ".swift": "swift", ".tf": "hcl", ".toml": "toml",
    ".ts": "typescript", ".tsx": "typescript", ".vb": "vb", ".vue": "vue", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml",
    ".zig": "zig", ".zsh": "shell",
}  # fmt: skip
_CODE_NAMES: Final[dict[str, str]] = {
    "cmakelists.txt": "cmake", "containerfile": "docker", "dockerfile": "docker", "gemfile": "ruby", "jenkinsfile": "groovy",
    "justfile": "make", "makefile": "make", "rakefile": "ruby", "vagrantfile": "ruby",
}  # fmt: skip

_EXTENSIONS: Final[dict[str, tuple[str, DocType]]] = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), ("markdown", "markdown")),
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".adoc", ".asciidoc", ".org", ".tex"), ("text", "text")),
    **dict.fromkeys((".html", ".htm", ".xhtml"), ("html", "html")),
    ".pdf": ("pdf", "pdf"),
    **dict.fromkeys(_CODE_EXTENSIONS, ("code", "code")),
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
    return _NAMES.get(base_name(name).lower()) or _EXTENSIONS.get(extension(name))
