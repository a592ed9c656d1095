"""The same picture in another size or format is described once, and what is said of it is taken over with a mark."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from ragd.app.container import Application
from ragd.providers.captioners.fake import FakeCaptioner

from .conftest import ask
from .test_captions import described, ingest, table_picture

pytestmark = pytest.mark.slow

Open = Callable[..., Application]


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    """Two documents: one with a table, the other with the same one as a smaller JPEG."""
    folder = tmp_path / "twice"
    folder.mkdir()
    (folder / "a.png").write_bytes(table_picture())
    image = Image.open(io.BytesIO(table_picture()))
    image.resize((image.width * 3 // 4, image.height * 3 // 4)).save(folder / "b.jpg", quality=85)
    (folder / ".gitignore").write_text("*.png\n*.jpg\n", encoding="utf-8")
    for name, file in (("first", "a.png"), ("second", "b.jpg")):
        (folder / f"{name}.md").write_text(f"# {name}\n\nThe {name} one.\n\n![]({file})\n", encoding="utf-8")
    return folder


def test_a_picture_in_another_size_is_described_once_and_says_of_which_it_was_said(open_app: Open, twice: Path) -> None:
    app = open_app(captions__provider="fake", captions__max_per_day=1)
    ingest(app, twice / "first.md")
    described(app)
    ingest(app, twice / "second.md")
    described(app)
    captioner = app.captioning.captioner()
    assert isinstance(captioner, FakeCaptioner)
    assert len(captioner.asked) == 1
    (first,), (second,) = (ask(app, f"The {name} one").hits[0].passage.images for name in ("first", "second"))
    assert first.described
    assert second.described
    assert (first.described.same_as, second.described.same_as) == ("", first.asset_id)
    assert second.described.summary == first.described.summary


def test_who_wants_a_copy_described_by_its_id_gets_a_look_at_it(open_app: Open, twice: Path) -> None:
    app = open_app(captions__provider="fake")
    ingest(app, twice)
    described(app)
    (second,) = ask(app, "The second one").hits[0].passage.images
    app.picture_details.caption({"again": True, "redo": "fake", "asset_ids": [second.asset_id]}, None)
    described(app)
    captioner = app.captioning.captioner()
    assert isinstance(captioner, FakeCaptioner)
    assert len(captioner.asked) == 2
    assert app.captioning.described([second.asset_id])[second.asset_id].description.same_as == ""


def test_a_list_shows_one_of_those_that_show_the_same_and_says_how_many_more_there_are(open_app: Open, twice: Path) -> None:
    app = open_app(captions__provider="fake")
    (twice / "third.md").write_text("# third\n\nThe third one.\n\n![](a.png)\n", encoding="utf-8")
    ingest(app, twice)
    described(app)
    pages, nobody = app.picture_details, app.access.context({})
    each = pages.page(nobody)
    assert [(item["source"], item["more"]) for item in each] == [("first.md", 0), ("second.md", 0), ("third.md", 0)]
    (first, second, third) = (item["asset_id"] for item in each)
    assert first == third != second
    assert [(item["source"], item["more"]) for item in pages.page(nobody, fold=True)] == [("first.md", 2)]
    for asset_id in (first, second):
        assert [item["source"] for item in pages.page(nobody, same_as=asset_id)] == ["first.md", "second.md", "third.md"]
    assert pages.page(nobody, same_as="f" * 32) == []


def test_without_text_recognition_nothing_is_taken_over(open_app: Open, twice: Path) -> None:
    app = open_app(captions__provider="fake", ocr__provider="none")
    ingest(app, twice)
    described(app)
    captioner = app.captioning.captioner()
    assert isinstance(captioner, FakeCaptioner)
    assert len(captioner.asked) == 2


def test_documents_tell_whether_their_pictures_are_described(open_app: Open, twice: Path) -> None:
    app = open_app()
    ingest(app, twice)
    (twice / "plain.md").write_text("# Plain\n\nNo picture.\n", encoding="utf-8")
    ingest(app, twice / "plain.md")

    def listed(wanted: bool | None = None) -> dict[str, bool]:
        rows, total = app.documents.page(None, None, 1, 20, unprocessed=wanted)
        assert total == len(rows)
        return {row["source"]: row["has_unprocessed_images"] for row in rows}

    assert listed() == {"first.md": True, "plain.md": False, "second.md": True}
    assert list(listed(True)) == ["first.md", "second.md"]
    assert list(listed(False)) == ["plain.md"]
    app = open_app(captions__provider="rules")
    app.captions.request()
    described(app)
    assert not any(listed().values())
    assert listed(True) == {}
