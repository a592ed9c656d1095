"""Imports run one way. The order of the layers is in docs/architecture.md."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "server" / "rag_assistant"

# A module may import from its own layer and from those before it.
LAYERS = [
    ["__init__", "types", "questions", "errors", "sse", "text"],
    ["settings", "config", "secrets", "policy", "tracing"],
    ["providers.__init__", "providers.base", "providers.models"],
    ["store", "supply", "providers"],
    ["ingest", "retrieve"],
    ["sources"],
    ["answer"],
    ["parts", "query_parts"],
    ["upkeep"],
    ["app", "daemon", "responses"],
    ["logs", "testing", "evaluation"],
    ["api"],
    ["mcp"],
    # The process that holds every door open.
    ["api.server", "cli", "__main__"],
]


def layer_of(module: str) -> int:
    """Index of the layer with the longest matching prefix."""
    matches = [
        (len(prefix), index) for index, layer in enumerate(LAYERS) for prefix in layer if (module + ".").startswith(prefix + ".")
    ]
    assert matches, f"{module} belongs to no layer; give it a place in LAYERS"
    return max(matches)[1]


def modules() -> list[str]:
    return sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py"))


def imports_of(module: str) -> set[str]:
    """Modules of the package that a module imports, at its top or later."""
    tree = ast.parse((PACKAGE / Path(*module.split("."))).with_suffix(".py").read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{module} imports relatively"
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name == "rag_assistant":
                found.add("__init__")
            elif name.startswith("rag_assistant."):
                inner = name.removeprefix("rag_assistant.")
                path = PACKAGE / Path(*inner.split("."))
                if path.with_suffix(".py").is_file():
                    found.add(inner)
                elif path.is_dir():
                    found.add(f"{inner}.__init__")
    return found


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_only_from_its_layer_and_those_before(module: str) -> None:
    wrong = [name for name in imports_of(module) if layer_of(name) > layer_of(module)]
    assert not wrong, f"{module} imports {wrong} from a later layer"


@pytest.mark.parametrize("module", [name for name in modules() if name.startswith(("ingest.", "retrieve."))])
def test_ingest_and_retrieve_do_not_know_each_other(module: str) -> None:
    other = "retrieve." if module.startswith("ingest.") else "ingest."
    assert not [name for name in imports_of(module) if name.startswith(other)]


PROVIDER_MODULES = [name for name in modules() if name.startswith("providers.")]
IMPLEMENTATION_PREFIXES = ("embed_", "dense_", "sparse_", "rerank_", "llm_", "ocr_", "fakes", "analyze")


def is_implementation(module: str) -> bool:
    name = module.rpartition(".")[2]
    return module.startswith("providers.") and (name.startswith(IMPLEMENTATION_PREFIXES) and name != "analysis")


@pytest.mark.parametrize("module", [name for name in PROVIDER_MODULES if is_implementation(name)])
def test_a_provider_knows_neither_the_store_nor_another_provider(module: str) -> None:
    wrong = [name for name in imports_of(module) if name.startswith("store.") or (is_implementation(name) and name != module)]
    assert not wrong


def test_a_provider_is_named_in_the_table_alone() -> None:
    table = PACKAGE / "providers" / "__init__.py"
    names = {"providers.dense_chroma", "providers.sparse_tantivy", "providers.embed_onnx"}
    users = {module for module in modules() if imports_of(module) & names}
    assert users <= {"testing"}, f"{users} import implementations; only {table.name} may name them"
