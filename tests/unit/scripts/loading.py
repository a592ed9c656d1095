"""The scripts as modules, each loaded once, so that all tests meet the same classes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "scripts"


def load(name: str, module_name: str | None = None) -> ModuleType:
    """A script, or a module `package.name` that scripts use.

    scripts/ is on the path only meanwhile, as its test.py would hide the standard `test`.
    """
    if (loaded := sys.modules.get(module_name or name)) is not None:
        return loaded
    sys.path.insert(0, str(SCRIPTS))
    try:
        if "." in name:
            return importlib.import_module(name)
        spec = importlib.util.spec_from_file_location(module_name or name, SCRIPTS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(SCRIPTS))
