"""What is logged, to whom, and who can read it."""

from __future__ import annotations

import json
import logging
import stat
from pathlib import Path

import pytest

from ragd.core.logs import DAEMON_LOG, logging_to, request_id

log = logging.getLogger("ragd.test")


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / DAEMON_LOG).read_text(encoding="utf-8").splitlines()]


def test_a_line_is_json_with_its_extras_and_its_request(tmp_path: Path) -> None:
    with logging_to(tmp_path, DAEMON_LOG, "INFO", people=True):
        token = request_id.set("r-1")
        log.info("done", extra={"document": "経費.md"})
        request_id.reset(token)
        log.info("later", extra={"request_id": "r-2"})
    first, second = lines(tmp_path)
    assert (first["message"], first["level"], first["logger"]) == ("done", "INFO", "ragd.test")
    assert (first["document"], first["request_id"]) == ("経費.md", "r-1")
    assert second["request_id"] == "r-2"
    assert "timestamp" in first


@pytest.mark.slow
def test_only_the_owner_can_read_the_log_before_and_after_it_rolls_over(tmp_path: Path) -> None:
    with logging_to(tmp_path / "logs", DAEMON_LOG, "INFO", people=True):
        for _ in range(3):
            log.info("x" * 6_000_000)
    files = list((tmp_path / "logs").iterdir())
    assert len(files) > 1
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_people_get_warnings_in_one_line_and_programs_the_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to(tmp_path, DAEMON_LOG, "INFO", people=True):
        log.info("not for people")
        try:
            raise ValueError("inside")
        except ValueError:
            log.exception("job failed", extra={"job_id": "j-1"})
    told = capsys.readouterr().err
    assert told == "error: job failed (job_id=j-1) [ValueError; details in daemon.jsonl]\n"
    assert "Traceback" in str(lines(tmp_path)[1]["exc_info"])


def test_nothing_in_a_name_begins_a_line_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "a\nerror: forged\r\x1b[2J\x9b\u2028\x85\u2029{}"
    with logging_to(tmp_path, DAEMON_LOG, "INFO", people=True):
        log.warning("refused", extra={"path": name})
    assert capsys.readouterr().err == (
        "warning: refused (path=a\\u000aerror: forged\\u000d\\u001b[2J\\u009b\\u2028\\u0085\\u2029{})\n"
    )
    [line] = lines(tmp_path)
    assert line["path"] == name


def test_other_packages_are_heard_from_warning_on_and_levels_are_put_back(tmp_path: Path) -> None:
    before = logging.getLogger().level, len(logging.getLogger().handlers)
    with logging_to(tmp_path, DAEMON_LOG, "DEBUG", people=True):
        logging.getLogger("httpx2").info("GET https://example.org/?secret")
        logging.getLogger("httpx2").warning("slow")
        log.debug("fine")
    assert [line["message"] for line in lines(tmp_path)] == ["slow", "fine"]
    assert (logging.getLogger().level, len(logging.getLogger().handlers)) == before
