"""The map of the package, held by a machine: imports one way, no circles, folders and files of a size that one can survey.

The order of the packages is in docs/architecture.md. Imports count wherever they stand: at the top, inside of a function, and
under `TYPE_CHECKING`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "server" / "ragd"

# A package may import from those before it.
ORDER = (
    "core", "language", "diagrams", "config", "models", "vision", "providers", "store", "formats", "ingest", "retrieve", "answer",
    "evaluation", "sources", "access", "jobs", "app", "api", "client", "mcp", "daemon", "cli", "testing",
)  # fmt: skip
# What holds a connection, a file or a thread, or stands for one: built once, by the container or the stores that it extends.
HELD = {
    *("open_engine", "Tracer", "JsonlSink", "ModelQueue", "WorkerPool", "JobRunner", "SourceService", "LiveAccess"),
    *("Models", "QueryFactory", "open_indexes", "open_ingestion", "DocumentWriter", "DocumentReader", "Collections"),
    *("CleanupTasks", "UploadedDocuments", "Metrics"),
    *(
        "Passages",
        "Assets",
        "Jobs",
        "Overviews",
        "Evaluations",
        "Datasets",
        "Labels",
        "Traces",
        "Ledger",
        "Origins",
        "Sources",
        "VectorCache",
    ),
}
# The last opens two databases that it closes again before it returns.
BUILDERS = ("app.container", "app.stores", "store.database.copying")
AT_THE_ROOT = {"__init__.py", "__main__.py", "py.typed"}
MOST_FILES = 20
MOST_LINES = 350

Graph = Mapping[str, set[str]]


def modules_in(package: Path) -> dict[str, Path]:
    """Each module by its dotted name below the package; a package's own `__init__` by the package's name, the root's by ''."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_in(package: Path) -> dict[str, set[str]]:
    """For each module, the modules of the package that it imports, also lazily or for its types alone."""
    modules = modules_in(package)
    return {module: {*_imported(path, package.name, modules)} - {module} for module, path in modules.items()}


def _imported(path: Path, package: str, modules: Iterable[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path} imports relatively"
            names = [
                full if (full := f"{node.module}.{alias.name}").removeprefix(f"{package}.") in modules else node.module
                for alias in node.names
            ]
        for name in names:
            inner = name.removeprefix(f"{package}.")
            if name.startswith(f"{package}.") and inner in modules:
                yield inner


def upward(graph: Graph) -> list[str]:
    """Imports from a package that comes later than one's own."""
    place = {name: index for index, name in enumerate(ORDER)}
    return [
        f"{module} imports {other}"
        for module, others in sorted(graph.items())
        for other in sorted(others)
        if module not in ("", "__main__") and place[other.partition(".")[0]] > place[module.partition(".")[0]]
    ]


def circles(graph: Graph) -> list[list[str]]:
    """Groups of modules that import each other, directly or by a detour: Tarjan's strongly connected components."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def folders_of(graph: Graph) -> dict[str, set[str]]:
    """The same arrows between folders (a module's package), without those inside of one folder."""
    found: dict[str, set[str]] = {}
    for module, others in graph.items():
        folder = module.rpartition(".")[0]
        targets = found.setdefault(folder, set())
        for other in others:
            home = other.rpartition(".")[0]
            found.setdefault(home, set())
            if home != folder:
                targets.add(home)
    return found


def too_full(package: Path) -> list[str]:
    folders = {path.parent for path in package.rglob("*.py")}
    return sorted(str(folder) for folder in folders if sum(path.is_file() for path in folder.iterdir()) > MOST_FILES)


def too_long(package: Path) -> list[str]:
    return sorted(
        f"{path.relative_to(package)}: {lines}"
        for path in package.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    )


def built_elsewhere(package: Path) -> list[str]:
    """Calls, outside of the container, of what only the container builds."""
    found = []
    for module, path in modules_in(package).items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        imported = {
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package.name}.")
            for alias in node.names
            if alias.name in HELD and not (node.module or "").startswith(f"{package.name}.api.schemas")
        }
        called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        if module not in BUILDERS and not module.startswith("testing"):
            found += [f"{module} builds {name}" for name in sorted(imported & called)]
    return sorted(found)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return imports_in(PACKAGE)


def test_every_package_has_its_place_in_the_order() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(ORDER)


def test_imports_run_one_way(graph: Graph) -> None:
    assert upward(graph) == []


def test_no_modules_import_each_other(graph: Graph) -> None:
    assert circles(graph) == []


def test_nothing_lies_loose_at_the_root() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_file()} == AT_THE_ROOT


def test_a_folder_can_be_surveyed() -> None:
    assert too_full(PACKAGE) == []
    assert too_full(ROOT / "scripts") == []


def test_a_file_can_be_read_in_one_go() -> None:
    assert too_long(PACKAGE) == []
    assert too_long(ROOT / "scripts") == []


def test_a_provider_is_named_in_the_table_alone(graph: Graph) -> None:
    """Whoever needs a provider asks the registry; implementations are imported by their own folder and by the contract suites."""
    kinds = {path.name for path in (PACKAGE / "providers").iterdir() if (path / "__init__.py").is_file()}
    wrong = [
        f"{module} imports {other}"
        for module, others in sorted(graph.items())
        for other in sorted(others)
        if other.startswith(tuple(f"providers.{kind}." for kind in kinds)) and not module.startswith(("providers.", "testing."))
    ]
    assert wrong == []


def test_what_is_held_open_is_built_in_the_container_alone() -> None:
    assert built_elsewhere(PACKAGE) == []


def test_a_second_builder_would_be_found(tmp_path: Path) -> None:
    package = tmp_path / "ragd"
    (package / "app").mkdir(parents=True)
    text = "from ragd.store.documents import DocumentWriter\n\nwriter = DocumentWriter(engine, 0)\n"
    for name in ("container", "other"):
        (package / "app" / f"{name}.py").write_text(text, encoding="utf-8")
    assert built_elsewhere(package) == ["app.other builds DocumentWriter"]
