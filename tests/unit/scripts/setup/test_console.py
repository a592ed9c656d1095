"""What a person reads while the scripts work."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from ..loading import load

console = load("setup.console")


class TestTheConsole:
    def test_away_from_a_terminal_nothing_is_redrawn(self, terminal, output: io.StringIO, tmp_path: Path) -> None:
        terminal.step("One")
        assert terminal.run_quietly(["/bin/sh", "-c", "echo a; echo b"], env={}, cwd=tmp_path) == ["a", "b"]
        assert output.getvalue() == "[1/2] One  (0 s)\n"

    def test_on_a_terminal_the_status_is_one_line_that_goes_away(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        monkeypatch.setenv("TERM", "xterm")
        stream = Terminal()
        console.Console(steps=1, stream=stream).run_quietly(["/bin/sh", "-c", "echo Downloading"], env={}, cwd=tmp_path)
        assert "\r      0 s  Downloading" in stream.getvalue()
        assert stream.getvalue().endswith("\r\033[K")
        assert "\n" not in stream.getvalue()

    def test_a_failed_command_brings_its_last_lines(self, terminal, tmp_path: Path) -> None:
        with pytest.raises(console.CommandFailedError) as raised:
            terminal.run_quietly(
                ["/bin/sh", "-c", "for i in $(seq 40); do echo line $i; done; exit 7"], env=dict(os.environ), cwd=tmp_path
            )
        assert raised.value.returncode == 7
        assert raised.value.tail.splitlines() == [f"  | line {i}" for i in range(16, 41)]

    def test_a_terminal_that_can_not_show_japanese_gets_question_marks(self) -> None:
        raw = io.BytesIO()
        with io.TextIOWrapper(raw, encoding="ascii") as stream:
            console.Console(steps=1, stream=stream).print("休暇 ok")
            printed = raw.getvalue()
        assert printed == b"?? ok\n"
