"""Languages of source and configuration files, by their names."""

from __future__ import annotations

from typing import Final

from ragd.formats.common.naming import base_name, extension

EXTENSIONS: Final[dict[str, str]] = {
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
FILE_NAMES: Final[dict[str, str]] = {
    "cmakelists.txt": "cmake", "containerfile": "docker", "dockerfile": "docker", "gemfile": "ruby", "gnumakefile": "make",
    "jenkinsfile": "groovy", "justfile": "make", "makefile": "make", "rakefile": "ruby", "vagrantfile": "ruby",
}  # fmt: skip


def programming_language_of(name: str) -> str | None:
    """Language of a source or configuration file by its name, such as `python` for `a.py`."""
    return FILE_NAMES.get(base_name(name).lower()) or EXTENSIONS.get(extension(name))
