"""The scripts as modules, each loaded once, so that all tests meet the same classes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "scripts"


def load(name: str, module_name: str | None = None) -> ModuleType:
    """A script as a module; scripts/ is on the path only meanwhile, as its test.py would hide the standard `test`."""
    path = SCRIPTS / f"{name}.py"
    loaded = sys.modules.get(module_name or name)
    if loaded is not None and loaded.__file__ == str(path):
        return loaded
    spec = importlib.util.spec_from_file_location(module_name or name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(SCRIPTS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(SCRIPTS))
    return module
