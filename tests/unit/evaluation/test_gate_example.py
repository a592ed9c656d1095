"""The example of a missed gate in the documentation is what a run leaves."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import yaml

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "gates"


def test_the_example_misses_gates_of_the_shipped_file_and_its_files_agree() -> None:
    suite = ElementTree.parse(EXAMPLE / "gates.xml").getroot()
    cases = {case.get("name"): case.find("failure") is not None for case in suite.iter("testcase")}
    shipped = yaml.safe_load((ROOT / "config" / "gates.yaml").read_text("utf-8"))
    assert [f"{float(name.partition('>=')[2]):g}" for name in shipped] == [str(name).partition(">=")[2] for name in cases]
    assert [name.partition(">=")[0] for name in shipped] == [str(name).partition(">=")[0] for name in cases]
    missed = sum(cases.values())
    assert 0 < missed == int(suite.get("failures", "0"))
    for name in ("summary.md", "evaluation.md"):
        text = (EXAMPLE / name).read_text("utf-8")
        assert f"{missed} of {len(cases)} gate" in text
        assert text.count("❌") == missed
    pictures = re.findall(r"!\[\w+\]\(([^)]+)\)", (EXAMPLE / "evaluation.md").read_text("utf-8"))
    assert pictures
    assert all((EXAMPLE / picture).read_text("utf-8").startswith("<svg") for picture in pictures)
