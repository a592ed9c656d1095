"""`rag config`, `rag completion` and `rag status`: what is set, by what, and where things are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Rag


def test_what_is_set_is_shown_with_what_set_it_and_without_a_login(
    rag: Rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    settings = tmp_path / "config" / "settings.yaml"
    settings.write_text("retrieval: {top_k: 7}\nllm: {api_key: 'env:MODEL_KEY'}\n")
    monkeypatch.setenv("RAG_STORE__URL", "postgresql://me@db.example.com/rag")
    monkeypatch.setenv("RAG_MAX_TOP_K", "9")
    shown = rag("config", "show").stdout
    assert "secret" not in shown
    rows = {row["setting"]: (row["value"], row["set_by"]) for row in json.loads(rag("config", "show", "--json").stdout)}
    assert rows["retrieval.top_k"] == (7, str(settings))
    assert rows["llm.api_key"] == ("env:MODEL_KEY", str(settings))
    assert rows["limits.max_top_k"] == (9, "RAG_MAX_TOP_K")
    assert rows["store.url"] == ("postgresql://***@db.example.com/rag", "RAG_STORE__URL")
    assert "server.port" not in rows
    every = {row["setting"]: row["set_by"] for row in json.loads(rag("config", "show", "--all", "--json").stdout)}
    assert every["server.port"] == "default"


def test_the_places_are_shown(rag: Rag, tmp_path: Path) -> None:
    places = json.loads(rag("config", "path", "--json").stdout)
    assert places["settings"] == str(tmp_path / "config" / "settings.yaml")
    assert places["logs"] == str(tmp_path / "data" / "logs")
    assert "(not there yet)" in rag("config", "path").stdout


def test_status_says_plainly_what_answers(rag: Rag) -> None:
    shown = rag("status").stdout
    assert "quoted sentences, no language model" in shown
    assert "auto\n" not in shown


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell"])
def test_completion_is_printed_for_a_shell_and_completes(rag: Rag, shell: str) -> None:
    script = rag("completion", shell).stdout
    assert "_RAG_COMPLETE" in script
    # What the script asks for is what the program answers.
    assert f"{shell}_complete" in script


@pytest.mark.slow
@pytest.mark.parametrize(("shell", "words"), [("zsh", "rag comp"), ("powershell", "rag comp"), ("powershell", "rag.exe comp")])
def test_commands_are_completed(shell: str, words: str) -> None:
    asked = {"_RAG_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "from ragd.cli import main; main()"]
    done = subprocess.run(command, env={**os.environ, **asked}, capture_output=True, encoding="utf-8", check=True)
    kind, value, explained = done.stdout.splitlines()
    assert (kind, value) == ("plain", "completion")
    assert explained.startswith("Print what makes the Tab key")


def test_a_loader_that_is_not_there_is_found_by_the_doctor_and_refused_by_an_ingestion(
    rag: Rag, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAG_INGEST__LOADERS", "{.epub: pandoc}")
    checks = json.loads(rag("doctor", "--json", code=1).stdout)["checks"]
    assert [(check["name"], check["level"]) for check in checks][-1] == ("settings", "fail")
    assert "no loader 'pandoc' for .epub files" in rag("ingest", str(tmp_path), code=2).stderr
