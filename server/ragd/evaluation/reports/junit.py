"""Gates as JUnit XML, which every CI system reads: a suite for each run, a case for each gate.

The shape is that of Ant's and Maven Surefire's reports, as Jenkins and GitLab take it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from xml.etree import ElementTree as ET

from ragd.evaluation.gates import Checked
from ragd.evaluation.reports.text import legible

_PROPERTIES: Final = ("run_id", "name", "dataset", "dataset_hash", "collection", "strategy", "strategy_config_id")


def junit(runs: Sequence[tuple[Mapping[str, Any], Sequence[Checked]]]) -> bytes:
    """The XML of runs with their gates; UTF-8. A suite's time is how long its run took, in seconds."""
    root = ET.Element("testsuites", name="rag eval")
    total = {"tests": 0, "failures": 0, "time": 0.0}
    for run, gates in runs:
        failures, seconds = sum(not gate.met for gate in gates), _seconds(run)
        total = {
            "tests": total["tests"] + len(gates),
            "failures": total["failures"] + failures,
            "time": total["time"] + seconds,
        }
        suite = ET.SubElement(root, "testsuite", name=legible(f"{run['dataset']}: {run['strategy']}"))
        suite.attrib |= {"tests": str(len(gates)), "failures": str(failures), "errors": "0", "skipped": "0"}
        suite.attrib |= {"time": f"{seconds:.3f}", "timestamp": run["started_at"][:19]}
        properties = ET.SubElement(suite, "properties")
        for name in _PROPERTIES:
            ET.SubElement(properties, "property", name=name, value=legible(run[name]))
        for gate in gates:
            classname = legible(f"rag.eval.{run['dataset']}.{run['strategy']}")
            case = ET.SubElement(suite, "testcase", name=str(gate.gate), classname=classname, time="0")
            if not gate.met:
                failure = ET.SubElement(case, "failure", type="gate", message=f"{gate.gate} is not met: {gate.value:.4g}")
                failure.text = legible(f"{gate.gate.name} of {run['strategy']} is {gate.value:.6g} over {_counted(run)}.")
    root.attrib |= {"tests": str(total["tests"]), "failures": str(total["failures"]), "errors": "0"}
    root.set("time", f"{total['time']:.3f}")
    ET.indent(root)
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _seconds(run: Mapping[str, Any]) -> float:
    began, ended = (datetime.fromisoformat(run[name]) for name in ("started_at", "finished_at"))
    return max(0.0, (ended - began).total_seconds())


def _counted(run: Mapping[str, Any]) -> str:
    count = run["metrics"]["overall"]["questions"]
    return f"{count} question{'' if count == 1 else 's'}"
