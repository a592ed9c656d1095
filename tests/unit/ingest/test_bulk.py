"""The stages of an ingestion one by one, with parts that go from process to process as bytes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from ragd.core.errors import ServiceUnavailable
from ragd.ingest.bulk import Stages, parts
from ragd.ingest.reading import Files, Tally


def _sent(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def _elsewhere(line: Any, lost_after: int | None = None) -> Callable[[Files, Mapping[str, Any]], Iterator[Tally]]:
    stages = Stages(line.pipeline)

    def run(files: Files, links: Mapping[str, Any]) -> Iterator[Tally]:
        for number, part in enumerate(parts(files, links)):
            made = _sent(stages.embed(_sent(stages.read(_sent(part)))))
            if number == lost_after:
                raise ServiceUnavailable("the cluster is gone")
            yield _sent(stages.store(made))

    return run


def _write(line: Any, count: int = 80) -> None:
    for number in range(count):
        line.write(
            f"page-{number}.md", f"# Page {number}\n\nIt says word{number}, and more below.\n\n## Part\n\nAnd {number * 7}."
        )
    line.write("notes.pdf", b"no PDF")


def test_stages_elsewhere_make_what_one_process_makes(new_line: Any) -> None:
    here, there = new_line(), new_line()
    _write(here)
    expected, found = here.ingest(), there.ingest(elsewhere=_elsewhere(there))
    assert found == expected
    assert (found.added, len(found.failed)) == (80, 1)
    there.check()
    assert there.texts() == here.texts()
    assert there.dense.ids(there.kb_id) == here.dense.ids(here.kb_id)
    kinds = [{event["kind"] for event in one["events"]} for one in there.envelopes if one["status"] == "ok"]
    assert kinds.count(kinds[0]) == 80
    spans = [[span["name"] for span in one["spans"]] for one in there.envelopes if one["status"] == "ok"]
    assert spans == [[span["name"] for span in one["spans"]] for one in here.envelopes if one["status"] == "ok"]
    again = there.ingest(elsewhere=_elsewhere(there))
    assert (again.unchanged, again.added, again.embedded) == (80, 0, 0)


def test_a_run_that_was_cut_off_goes_on_where_it_was_and_shows_nothing_half_done(line: Any) -> None:
    _write(line)
    with pytest.raises(ServiceUnavailable, match="the cluster is gone"):
        line.ingest(elsewhere=_elsewhere(line, lost_after=1))
    line.check()
    assert line.reader.page(page_size=1000)[1] == 32
    result = line.ingest(elsewhere=_elsewhere(line))
    assert (result.unchanged, result.added) == (31, 49)  # one of the first part is no PDF
    # The part that was lost had been embedded: its vectors are kept.
    assert result.reused > 0
    line.check()


def test_what_moved_and_what_is_gone_is_known_to_stages_elsewhere(line: Any) -> None:
    _write(line, 3)
    line.ingest()
    old = line.doc_id("page-0.md")
    (line.documents / "page-0.md").rename(line.documents / "renamed.md")
    (line.documents / "page-1.md").unlink()
    gone = [old, line.doc_id("page-1.md")]
    result = line.ingest(elsewhere=_elsewhere(line), gone=gone)
    assert (result.moved, result.deleted, result.unchanged) == (1, 1, 1)
    line.check()
