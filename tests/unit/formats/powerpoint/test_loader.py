"""PowerPoint: slides in order with their texts, notes and places; files that can't be read."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.util import Inches

from ragd.core.documents import Document, Place
from ragd.core.errors import DocumentEmpty, DocumentEncrypted, ParseFailed
from ragd.core.sections import split_sections
from ragd.formats.powerpoint import loader as powerpoint
from ragd.formats.powerpoint import slides as powerpoint_slides
from ragd.formats.powerpoint.loader import PowerPointLoader
from ragd.formats.powerpoint.order import Box, reading_order
from ragd.providers.protocols import LoadContext

TITLE_SLIDE, CONTENT, TWO_COLUMNS, TITLE_ONLY, BLANK = 0, 1, 4, 5, 6


def make(*fill: Callable[[Any], object], layouts: tuple[int, ...] = (), properties: Mapping[str, str] = {}) -> bytes:
    """A presentation with a slide for each function, which fills it."""
    deck = Presentation()
    for key, value in properties.items():
        setattr(deck.core_properties, key, value)
    for number, function in enumerate(fill):
        function(deck.slides.add_slide(deck.slide_layouts[layouts[number] if layouts else CONTENT]))
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def titled(title: str, *lines: str | tuple[int, str]) -> Callable[[Any], None]:
    """Fills a slide with a title and paragraphs, given as texts or as (level, text)."""

    def fill(slide: Any) -> None:
        slide.shapes.title.text = title
        frame = slide.placeholders[1].text_frame
        for number, line in enumerate(lines):
            level, text = (0, line) if isinstance(line, str) else line
            paragraph = frame.add_paragraph() if number else frame.paragraphs[0]
            paragraph.text, paragraph.level = text, level

    return fill


def box(slide: Any, text: str, left: float = 1, top: float = 1, width: float = 3, height: float = 1) -> Any:
    shape = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    shape.text_frame.text = text
    return shape


def patched(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """The archive with each part put through `change`; None leaves it out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            if (content := change(part, old.read(part))) is not None:
                new.writestr(part, content)
    return buffer.getvalue()


def load(data: bytes, name: str = "dir/deck.pptx") -> Document:
    return PowerPointLoader().load(data, name)


def only(part: str, change: Callable[[bytes], bytes | None]) -> Callable[[str, bytes], bytes | None]:
    return lambda name, content: change(content) if name == part else content


def test_slides_are_sections_in_order_with_their_places() -> None:
    document = load(make(titled("Install", "Run it."), titled("設定", "再起動します。"), properties={"title": "Handbook"}))
    assert document.markdown == "## Install\n\n- Run it.\n\n## 設定\n\n- 再起動します。"
    assert [(mark.offset, mark.place) for mark in document.marks] == [
        (0, Place(slide=1)),
        (document.markdown.index("## 設定"), Place(slide=2)),
    ]
    assert [
        (section.path, document.markdown[section.start : section.end].strip()) for section in split_sections(document, "d")
    ] == [
        (("Install",), "- Run it."),
        (("設定",), "- 再起動します。"),
    ]
    assert document.parser.startswith("python-pptx ")


def test_title_author_tags_and_number_of_slides_are_told() -> None:
    document = load(
        make(titled("One", "x"), properties={"title": "Kestrel 手順", "author": "Tarnwood", "keywords": "queue; 手順, ops"})
    )
    assert document.title == "Kestrel 手順"
    assert document.metadata == {
        "title_source": "presentation_title",
        "author": "Tarnwood",
        "tags": ["queue", "手順", "ops"],
        "slide_count": 1,
    }


@pytest.mark.parametrize("stated", ["PowerPoint Presentation", "PowerPoint プレゼンテーション", "スライド 1", "draft.pptx"])
def test_a_title_that_a_program_made_gives_way_to_the_first_slides(stated: str) -> None:
    document = load(make(titled("Queue basics", "x"), properties={"title": stated}))
    assert (document.title, document.metadata["title_source"]) == ("Queue basics", "heading")


def test_lists_keep_their_levels_and_numbers() -> None:
    def fill(slide: Any) -> None:
        titled("Steps", "Drain", (1, "one zone"), (3, "deep"), "Upgrade", "結果を確認", "Notes apart")(slide)
        kinds = ("buAutoNum", "buChar", "buChar", "buAutoNum", "buAutoNum", "buNone")
        for paragraph, kind in zip(slide.placeholders[1].text_frame.paragraphs, kinds, strict=True):
            bullet = paragraph._p.get_or_add_pPr().makeelement(
                f"{{http://schemas.openxmlformats.org/drawingml/2006/main}}{kind}",
                {"buAutoNum": {"type": "arabicPeriod", "startAt": "3"}, "buChar": {"char": "•"}}.get(kind, {}),
            )
            paragraph._p.pPr.append(bullet)

    assert load(make(fill)).markdown == (
        "## Steps\n\n3. Drain\n   - one zone\n     - deep\n4. Upgrade\n5. 結果を確認\n\nNotes apart"
    )


def test_text_of_a_box_is_paragraphs_and_code_is_fenced() -> None:
    def fill(slide: Any) -> None:
        box(slide, "Overview\nSecond paragraph\vwith a line break")
        code = box(slide, "$ kestrelctl doctor\n    --all", top=3)
        for paragraph in code.text_frame.paragraphs:
            paragraph.runs[0].font.name = "Consolas"

    assert load(make(fill, layouts=(BLANK,))).markdown == (
        "## Overview\n\nSecond paragraph\nwith a line break\n\n```\n$ kestrelctl doctor\n    --all\n```"
    )


def test_links_are_kept_when_they_lead_to_the_web_or_to_mail() -> None:
    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Links"
        paragraph = slide.placeholders[1].text_frame.paragraphs[0]
        for text, address in (
            ("guide", "https://docs.tarnwood.example/a_(b)"),
            (" and ", None),
            ("mail", "mailto:ops@tarnwood.example"),
        ):
            run = paragraph.add_run()
            run.text, run.hyperlink.address = text, address
        run = paragraph.add_run()
        run.text, run.hyperlink.address = " run", "javascript:alert(1)"

    assert load(make(fill)).markdown == (
        "## Links\n\n- [guide](https://docs.tarnwood.example/a_%28b%29) and [mail](mailto:ops@tarnwood.example) run"
    )


def test_boxes_are_read_by_where_they_stand_and_columns_one_after_the_other() -> None:
    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Compare"
        for index, text in ((4, "many writers"), (3, "After"), (2, "one writer"), (1, "Before")):
            slide.placeholders[index].text = text
        box(slide, "below", top=6.8, width=7)

    assert load(make(fill, layouts=(TWO_COLUMNS,))).markdown == (
        "## Compare\n\nBefore\n\n- one writer\n\nAfter\n\n- many writers\n\nbelow"
    )


def test_groups_are_read_as_one_and_in_order_inside() -> None:
    def fill(slide: Any) -> None:
        box(slide, "below all", top=6)
        group = slide.shapes.add_group_shape()
        inner = group.shapes.add_group_shape()
        for holder, text, top in ((inner, "third", 3), (inner, "second", 2), (group, "first", 1)):
            holder.shapes.add_textbox(Inches(1), Inches(top), Inches(2), Inches(0.5)).text_frame.text = text

    assert load(make(fill, layouts=(BLANK,))).markdown == "## first\n\nsecond\n\nthird\n\nbelow all"


def test_groups_in_groups_without_end_are_left_out_and_said() -> None:
    def fill(slide: Any) -> None:
        box(slide, "seen")
        shapes = slide.shapes
        for _ in range(40):
            shapes = shapes.add_group_shape().shapes
        shapes.add_textbox(0, 0, 1, 1).text_frame.text = "unseen"

    document = load(make(fill, layouts=(BLANK,)))
    assert document.markdown == "## seen"
    assert document.warnings == ("shapes inside more than 32 groups were left out: slide 1",)


def test_speaker_notes_follow_the_slide() -> None:
    def fill(slide: Any) -> None:
        titled("Talk", "point")(slide)
        slide.notes_slide.notes_text_frame.text = "質問は最後に。\nSecond."

    assert load(make(fill)).markdown == "## Talk\n\n- point\n\nNotes: 質問は最後に。\n\nSecond."


def test_a_slide_without_a_title_is_headed_by_its_first_line_or_its_number() -> None:
    def long(slide: Any) -> None:
        box(slide, "A sentence that is far too long to be the title of anything, and that goes on and on and on for lines. ")

    document = load(make(lambda slide: box(slide, "短い見出し"), long, layouts=(BLANK, BLANK)))
    assert [heading.title for heading in document.headings] == ["短い見出し", "Slide 2"]


def test_a_title_alone_stays_searchable_as_the_text_of_its_section() -> None:
    document = load(make(titled("We move on 1 May"), titled("Why", "cost")))
    first = split_sections(document, "d")[0]
    assert (first.path, document.markdown[first.start : first.end].strip()) == (("We move on 1 May",), "## We move on 1 May")


def test_hidden_and_blank_slides_are_left_out_and_counted() -> None:
    document = load(
        make(
            titled("One", "x"),
            lambda slide: (titled("Secret", "y")(slide), slide._element.set("show", "0")),
            lambda slide: None,
            titled("Four", "z"),
        )
    )
    assert [mark.place.slide for mark in document.marks] == [1, 4]
    assert "Secret" not in document.markdown
    assert document.warnings == ("neither text nor pictures: slide 3", "1 of 4 slides are hidden and were left out: slide 2")


def test_footers_dates_slide_numbers_and_the_masters_text_are_no_content() -> None:
    def fill(slide: Any) -> None:
        titled("One", "x")(slide)
        for kind, text in (("dt", "2026-01-20"), ("ftr", "Tarnwood internal"), ("sldNum", "1")):
            shape = box(slide, text)
            shape._element.nvSpPr.nvPr.append(
                shape._element.makeelement("{http://schemas.openxmlformats.org/presentationml/2006/main}ph", {"type": kind})
            )

    assert load(make(fill)).markdown == "## One\n\n- x"


def test_named_sections_are_headings_above_their_slides() -> None:
    data = make(titled("One", "x"), titled("Two", "y"), titled("Three", "z"))
    entry = "<p14:sldId id='{}'/>".format
    ids = [slide.get("id") for slide in Presentation(io.BytesIO(data)).slides._sldIdLst]
    named = "".join(
        f"<p14:section name='{name}' id='{{0}}'><p14:sldIdLst>{''.join(map(entry, keys))}</p14:sldIdLst></p14:section>"
        for name, keys in (("Default Section", ids[:1]), ("運用", ids[1:]))
    )
    extension = (
        '<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst '
        f'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">{named}</p14:sectionLst></p:ext></p:extLst></p:presentation>'
    )
    document = load(
        patched(data, only("ppt/presentation.xml", lambda xml: xml.replace(b"</p:presentation>", extension.encode())))
    )
    assert [section.path for section in split_sections(document, "d")] == [
        ("One",),
        ("運用",),
        ("運用", "Two"),
        ("運用", "Three"),
    ]
    assert document.marks[1].offset == document.headings[1].start


def test_progress_is_reported_slide_by_slide() -> None:
    seen: list[tuple[int, int]] = []
    context = LoadContext(report=lambda done, total: seen.append((done, total)))
    PowerPointLoader().load(make(titled("One", "x"), titled("Two", "y")), "a.pptx", context)
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize("kind", ["slideshow.main+xml", "template.main+xml"])
def test_shows_and_templates_are_read_like_presentations(kind: str) -> None:
    data = make(titled("One", "x"))
    other = patched(data, only("[Content_Types].xml", lambda xml: xml.replace(b"presentation.main+xml", kind.encode())))
    assert load(other, "show.ppsx").markdown == "## One\n\n- x"


@pytest.mark.parametrize(
    ("name", "title", "language", "alt"),
    [
        ("rollout", "Kestrel 3.4 rollout", "en", "The queue server between its producers and workers"),
        ("rollout-ja", "Kestrel 3.4 の展開", "ja", "生産者とワーカーの間のキューサーバー"),
    ],
)
def test_a_presentation_of_libreoffice_is_read_as_its_reader_sees_it(
    project_root: Path, name: str, title: str, language: str, alt: str
) -> None:
    folder = project_root / "tests" / "data" / "powerpoint"
    document = load((folder / f"{name}.pptx").read_bytes(), f"{name}.pptx")
    assert document.markdown == (folder / f"{name}.facts.md").read_text(encoding="utf-8").rstrip("\n")
    assert (document.title, document.language, document.metadata["slide_count"]) == (title, language, 9)
    assert [mark.place.slide for mark in document.marks] == [1, 2, 3, 4, 5, 6, 7, 9]
    assert [(item.alt, item.place) for item in document.pictures] == [(alt, Place(slide=6))]
    assert document.warnings == ("1 of 9 slides are hidden and were left out: slide 8",)


def test_a_file_that_is_cut_off_is_refused() -> None:
    data = make(titled("One", "x"))
    with pytest.raises(ParseFailed, match=r"'dir/deck.pptx' is damaged or cut off"):
        load(data[: len(data) // 2])


def test_a_slide_that_is_missing_in_the_file_fails_the_whole() -> None:
    data = make(titled("One", "x"), titled("Two", "y"))
    with pytest.raises(ParseFailed, match=r"Slide 2 of 'dir/deck.pptx' is missing"):
        load(patched(data, only("ppt/slides/slide2.xml", lambda _: None)))


def test_a_slide_that_is_not_well_formed_fails_the_whole() -> None:
    data = make(titled("One", "x"))
    with pytest.raises(ParseFailed, match=r"'dir/deck.pptx' is damaged: its parts can't be read"):
        load(patched(data, only("ppt/slides/slide1.xml", lambda xml: xml[:-20])))


def test_a_notes_page_that_is_not_well_formed_fails_the_whole() -> None:
    def fill(slide: Any) -> None:
        titled("One", "x")(slide)
        slide.notes_slide.notes_text_frame.text = "note"

    with pytest.raises(ParseFailed):
        load(patched(make(fill), only("ppt/notesSlides/notesSlide1.xml", lambda xml: xml[:-20])))


def test_a_presentation_with_nothing_to_read_is_reported_as_empty() -> None:
    with pytest.raises(DocumentEmpty, match="has no slides"):
        load(make())
    with pytest.raises(DocumentEmpty, match="neither text nor pictures"):
        load(make(lambda slide: None))
    with pytest.raises(DocumentEmpty, match=r"All slides of 'dir/deck.pptx' are hidden"):
        load(make(lambda slide: slide._element.set("show", "0")))
    with pytest.raises(DocumentEmpty, match="0 bytes"):
        load(b"")


def ole_file(stream: str) -> bytes:
    name = stream.encode("utf-16-le")
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(1024, b"\0") + name.ljust(64, b"\0") + struct.pack("<H", len(name) + 2)


def test_old_and_protected_files_say_what_to_do() -> None:
    with pytest.raises(ParseFailed, match=r"can't be read: it is damaged.* save it as \.pptx"):
        load(ole_file("PowerPoint Document"))
    with pytest.raises(DocumentEncrypted, match="protected by a password"):
        load(ole_file("EncryptedPackage"))


def test_an_office_file_of_another_kind_is_refused() -> None:
    data = patched(
        make(titled("One", "x")),
        only("ppt/presentation.xml", lambda xml: xml.replace(b"presentationml/2006/main", b"wordprocessingml/2006/main")),
    )
    with pytest.raises(ParseFailed, match="not a presentation"):
        load(data)


def test_the_strict_form_is_named_in_the_reason() -> None:
    data = make(titled("One", "x"))
    strict = patched(
        data,
        only(
            "_rels/.rels",
            lambda xml: xml.replace(
                b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument",
                b"http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument",
            ),
        ),
    )
    with pytest.raises(ParseFailed, match="Strict Open XML"):
        load(strict)


@pytest.mark.slow
def test_an_entity_bomb_and_a_zip_bomb_are_refused() -> None:
    data = make(titled("One", "x"))
    bomb = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>'
    with pytest.raises(ParseFailed, match="DOCTYPE"):
        load(patched(data, only("ppt/slides/slide1.xml", lambda _: bomb)))
    with pytest.raises(ParseFailed, match="zip bomb"):
        load(patched(data, only("ppt/slides/slide1.xml", lambda _: b"<a>" + b" " * 60_000_000 + b"</a>")))


def test_more_markup_or_text_than_any_presentation_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make(titled("One", "x"), titled("Two", "y" * 200))
    together = make(titled("One", "x" * 60), titled("Two", "y" * 60))
    with monkeypatch.context() as patch:
        patch.setattr(powerpoint_slides, "MAX_TEXT_CHARS", 100)
        for slides in (data, together):
            with pytest.raises(ParseFailed, match="characters of text"):
                load(slides)
    monkeypatch.setattr(powerpoint, "MAX_XML_BYTES", 1000)
    with pytest.raises(ParseFailed, match="up to 1,000 are read"):
        load(data)


@pytest.mark.slow
def test_a_chain_of_parts_without_end_is_refused() -> None:
    data = make(titled("One", "x"))
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/customXml"
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            content = old.read(part)
            if part == "ppt/slides/_rels/slide1.xml.rels":
                content = content.replace(
                    b"</Relationships>", f'<Relationship Id="rId99" Type="{kind}" Target="../x0.xml"/></Relationships>'.encode()
                )
            new.writestr(part, content)
        for number in range(3000):
            new.writestr(f"ppt/x{number}.xml", "<x/>")
            new.writestr(
                f"ppt/_rels/x{number}.xml.rels",
                '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                f'<Relationship Id="rId1" Type="{kind}" Target="x{number + 1}.xml"/></Relationships>',
            )
    with pytest.raises(ParseFailed, match="damaged"):
        load(buffer.getvalue())


@pytest.mark.parametrize(
    ("boxes", "order"),
    [
        ([Box(0, 0, 49, 10), Box(51, 0, 100, 10), Box(0, 10, 49, 60), Box(51, 10, 100, 60)], [0, 2, 1, 3]),
        ([Box(0, 70, 100, 80), Box(51, 0, 100, 60), Box(0, 0, 49, 60)], [2, 1, 0]),
        ([Box(x, y, x + 30, y + 40) for y in (0, 45) for x in (0, 35, 70)], [0, 1, 2, 3, 4, 5]),
        ([Box(x, y, x + 20, y + h) for y, h in ((0, 10), (11, 40)) for x in (0, 27, 54)], [0, 3, 1, 4, 2, 5]),
        ([Box(60, 0, 100, 40), Box(0, 60, 40, 100)], [0, 1]),
        ([Box(0, 0, 50, 31), Box(0, 30, 50, 60)], [0, 1]),
        ([Box(50, 1, 90, 50), Box(0, 0, 60, 50), Box(0, 0, 60, 50)], [1, 2, 0]),
    ],
    ids=["captions stay with their column", "columns above a footer", "cards go row by row", "a timeline goes column by column",
         "steps go from the top", "boxes may overlap a little", "what can't be told apart goes by rows"],
)  # fmt: skip
def test_reading_order(boxes: list[Box], order: list[int]) -> None:
    assert reading_order(boxes) == order


def test_the_order_of_very_many_boxes_is_found_quickly() -> None:
    boxes = [Box(number % 100, number // 100, number % 100 + 1, number // 100 + 1) for number in range(20_000)]
    assert reading_order(boxes)[:3] == [0, 1, 2]
    assert sorted(reading_order(boxes)) == list(range(20_000))
