"""The tools as agents know them do not change by accident."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .test_names import listed

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "mcp_tools.json"


def test_the_contract_of_the_tools_is_kept() -> None:
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"description"}) for tool in listed()]
    text = json.dumps(tools, indent=1, ensure_ascii=False) + "\n"
    if not GOLDEN.exists():
        GOLDEN.write_text(text, encoding="utf-8")
        pytest.fail(f"{GOLDEN.name} did not exist; it was written now. Look at it and keep it.")
    kept = {tool["name"]: tool for tool in json.loads(GOLDEN.read_text(encoding="utf-8"))}
    changed = [tool["name"] for tool in json.loads(text) if tool != kept.pop(tool["name"], None)]
    assert not changed + list(kept), "To keep what is new, remove tests/golden/mcp_tools.json, run this again, and look at it."
