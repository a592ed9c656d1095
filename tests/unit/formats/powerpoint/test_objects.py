"""What stands on slides beside plain text: tables, charts, SmartArt, equations, pictures, embedded objects, comments."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.constants import RELATIONSHIP_TYPE as RT
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml
from pptx.util import Inches

from ragd.core.documents import Document, Place
from ragd.formats.powerpoint import charts as powerpoint_charts
from ragd.formats.powerpoint.charts import extended_chart
from ragd.formats.powerpoint.loader import PowerPointLoader

NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "a14": "http://schemas.microsoft.com/office/drawing/2010/main",
        "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "dsp": "http://schemas.microsoft.com/office/drawing/2008/diagram",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "o": "urn:schemas-microsoft-com:office:office",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
        "p188": "http://schemas.microsoft.com/office/powerpoint/2018/8/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
MICROSOFT = "http://schemas.microsoft.com/office/"


def load(*fill: Callable[[Any], object], title: str | None = "Slide") -> Document:
    """What is read from a presentation with a slide for each function, which fills it."""
    deck = Presentation()
    for function in fill:
        slide = deck.slides.add_slide(deck.slide_layouts[5 if title else 6])
        if title:
            slide.shapes.title.text = title
        function(slide)
    buffer = io.BytesIO()
    deck.save(buffer)
    return PowerPointLoader().load(buffer.getvalue(), "deck.pptx")


def body(document: Document) -> str:
    """The facts below the heading."""
    return document.markdown.partition("\n\n")[2]


def add_part(owner: Any, uri: str, kind: str, text: str) -> tuple[Any, str]:
    """Give a part of the package a related part; returns that and the relationship's id."""
    part = Part(PackURI(uri), "application/xml", owner.package, text.encode())
    return part, owner.relate_to(part, kind)


def png(width: int = 4, height: int = 3, red: int = 200) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes((red, 40, 40)) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def add_picture(slide: Any, alt: str = "", red: int = 200) -> Any:
    shape = slide.shapes.add_picture(io.BytesIO(png(red=red)), Inches(1), Inches(3))
    shape._element.nvPicPr.cNvPr.set("descr", alt)
    return shape


def frame(uri: str, content: str) -> str:
    return (
        f'<p:graphicFrame {NAMESPACES}><p:nvGraphicFramePr><p:cNvPr id="9" name="x"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="900000"/><a:ext cx="900000" cy="900000"/></p:xfrm>'
        f'<a:graphic><a:graphicData uri="{uri}">{content}</a:graphicData></a:graphic></p:graphicFrame>'
    )


def shape(content: str, name: str = "x") -> str:
    return (
        f'<p:sp {NAMESPACES}><p:nvSpPr><p:cNvPr id="8" name="{name}"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/>{content}</p:txBody></p:sp>"
    )


def append(slide: Any, text: str) -> None:
    slide.shapes._spTree.append(parse_xml(text))


def test_a_table_is_a_pipe_table_and_merged_cells_are_said_in_every_row() -> None:
    def fill(slide: Any) -> None:
        table = slide.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(8), Inches(2)).table
        rows = (("ゾーン", "load|rate", ""), ("north", "1\n2", "3"), ("", "4", "5"), ("all the same", "", ""))
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                table.cell(row, column).text = text
        table.cell(0, 1).merge(table.cell(0, 2))
        table.cell(1, 0).merge(table.cell(2, 0))
        table.cell(3, 0).merge(table.cell(3, 2))

    assert body(load(fill)) == (
        "| ゾーン | load\\|rate | load\\|rate |\n| --- | --- | --- |\n"
        "| north | 1<br>2 | 3 |\n| north | 4 | 5 |\n| all the same |  |  |"
    )


def test_a_long_text_of_a_merged_cell_is_said_once() -> None:
    def fill(slide: Any) -> None:
        table = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(8), Inches(2)).table
        for row in range(3):
            table.cell(row, 1).text = str(row)
        table.cell(0, 0).text = "長い説明" * 60
        table.cell(0, 0).merge(table.cell(2, 0))

    assert body(load(fill)).count("長い説明") == 60


def test_a_long_table_repeats_its_header_with_each_part() -> None:
    def fill(slide: Any) -> None:
        table = slide.shapes.add_table(80, 2, Inches(1), Inches(1), Inches(8), Inches(2)).table
        for row in range(80):
            table.cell(row, 0).text = "Queue" if row == 0 else f"queue number {row}"
            table.cell(row, 1).text = "状態" if row == 0 else f"状態は正常です {row}"

    parts = body(load(fill)).split("\n\n")
    assert len(parts) > 2
    assert all(part.startswith("| Queue | 状態 |\n") for part in parts)
    assert sum(part.count("queue number") for part in parts) == 79


def test_a_chart_tells_its_title_axes_categories_and_series_as_shown() -> None:
    def fill(slide: Any) -> None:
        data = CategoryChartData(number_format="0.0%")
        data.categories = ["第1四半期", "Q2"]
        data.add_series("Kestrel", (0.125, None))
        data.add_series("3.4", (0.3, 0.45))
        chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Inches(1), Inches(5), Inches(3), data).chart
        chart.has_title = chart.category_axis.has_title = chart.value_axis.has_title = True
        chart.chart_title.text_frame.text = "Share"
        chart.category_axis.axis_title.text_frame.text = "Quarter"
        chart.value_axis.axis_title.text_frame.text = "割合"

    assert body(load(fill)) == (
        "Chart: Share\n\nAxes: Quarter, 割合\n\n"
        "| Quarter | Kestrel | 3.4 |\n| --- | --- | --- |\n| 第1四半期 | 12.5% | 30.0% |\n| Q2 |  | 45.0% |"
    )


def test_a_scatter_chart_without_a_title_is_named_by_its_only_series() -> None:
    def fill(slide: Any) -> None:
        data = XyChartData()
        series = data.add_series("latency")
        series.add_data_point(1, 2.5)
        series.add_data_point(2, 3.25)
        slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, Inches(1), Inches(5), Inches(3), data)

    assert body(load(fill)) == "Chart: latency\n\n|  | latency |\n| --- | --- |\n| 1 | 2.5 |\n| 2 | 3.25 |"


def test_a_chart_with_more_points_than_are_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(powerpoint_charts, "MAX_POINTS", 3)

    def fill(slide: Any) -> None:
        data = CategoryChartData()
        data.categories = [f"c{number}" for number in range(6)]
        data.add_series("s", range(6))
        slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, Inches(1), Inches(5), Inches(3), data)

    document = load(fill)
    assert "c2" in document.markdown
    assert "c3" not in document.markdown
    assert document.warnings == ("a chart has more points than are read: slide 1",)


def test_charts_of_the_newer_kinds_are_read_too() -> None:
    categories = '<cx:lvl><cx:pt idx="0">開始</cx:pt><cx:pt idx="1">End</cx:pt></cx:lvl>'
    values = '<cx:lvl formatCode="#,##0"><cx:pt idx="0">1200</cx:pt><cx:pt idx="1">-30.2</cx:pt></cx:lvl>'
    root = parse_xml(
        f'<cx:chartSpace {NAMESPACES}><cx:chartData><cx:data id="0"><cx:strDim type="cat">{categories}</cx:strDim>'
        f'<cx:numDim type="val">{values}</cx:numDim></cx:data></cx:chartData><cx:chart>'
        "<cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Jobs left</a:t></a:r></a:p></cx:rich></cx:tx></cx:title>"
        '<cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Jobs</cx:v></cx:txData></cx:tx>'
        '<cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>'
    )
    assert extended_chart(root).text == "Chart: Jobs left\n\n|  | Jobs |\n| --- | --- |\n| 開始 | 1,200 |\n| End | -30 |"


def add_diagram(slide: Any, points: str, links: str, drawing: str = "") -> None:
    relation = ""
    if drawing:
        _, key = add_part(slide.part, "/ppt/diagrams/drawing1.xml", f"{MICROSOFT}2007/relationships/diagramDrawing", drawing)
        relation = f'<dgm:extLst><a:ext uri="x"><dsp:dataModelExt relId="{key}"/></a:ext></dgm:extLst>'
    data = (
        f"<dgm:dataModel {NAMESPACES}><dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst>{relation}</dgm:dataModel>"
    )
    _, key = add_part(slide.part, "/ppt/diagrams/data1.xml", f"{OFFICE}diagramData", data)
    append(slide, frame("http://schemas.openxmlformats.org/drawingml/2006/diagram", f'<dgm:relIds r:dm="{key}"/>'))


def point(key: str, *lines: str) -> str:
    text = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f'<dgm:pt modelId="{key}"><dgm:t><a:bodyPr/>{text}</dgm:t></dgm:pt>'


def test_smartart_is_a_list_in_the_order_and_nesting_of_its_data() -> None:
    def fill(slide: Any) -> None:
        points = (
            '<dgm:pt modelId="0" type="doc"/>' + point("3", "確認") + point("1", "Drain", "the queues") + point("2", "one zone")
        )
        links = "".join(
            f'<dgm:cxn modelId="c{number}" srcId="{parent}" destId="{child}" srcOrd="{order}"/>'
            for number, (parent, child, order) in enumerate((("0", "3", 1), ("0", "1", 0), ("1", "2", 0), ("2", "1", 0)))
        )
        add_diagram(slide, points, links)

    assert body(load(fill)) == "- Drain the queues\n  - one zone\n- 確認"


def test_smartart_without_text_in_its_data_falls_back_on_its_drawing() -> None:
    drawing = (
        f"<dsp:drawing {NAMESPACES}><dsp:spTree><dsp:sp><dsp:txBody><a:p><a:r><a:t>描かれた文字</a:t></a:r></a:p></dsp:txBody>"
        "</dsp:sp></dsp:spTree></dsp:drawing>"
    )
    assert body(load(lambda slide: add_diagram(slide, '<dgm:pt modelId="0" type="doc"/>', "", drawing))) == "- 描かれた文字"


def test_a_diagram_or_chart_that_is_missing_or_damaged_is_said() -> None:
    def fill(slide: Any) -> None:
        uri = "http://schemas.openxmlformats.org/drawingml/2006/"
        append(slide, frame(f"{uri}diagram", '<dgm:relIds r:dm="rId77"/>'))
        append(slide, frame(f"{uri}chart", f'<c:chart xmlns:c="{uri}chart" r:id="rId78"/>'))
        append(slide, frame("http://example.com/zoom", "<p:zoom/>"))

    assert load(fill).warnings == (
        "a diagram (SmartArt) is missing or damaged in the file: slide 1",
        "a chart is missing or damaged in the file: slide 1",
        "an object of an unknown kind was left out: slide 1",
    )


def test_of_alternate_content_what_can_be_read_is_taken_once() -> None:
    equation = "<m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>"

    def fill(slide: Any) -> None:
        append(
            slide,
            f'<mc:AlternateContent {NAMESPACES}><mc:Choice Requires="a14">'
            + shape(f"<a:p><a:r><a:t>平均 </a:t></a:r><a14:m>{equation}</a14:m></a:p>")
            + "</mc:Choice><mc:Fallback>"
            + shape("<a:p><a:r><a:t>unreadable</a:t></a:r></a:p>")
            + "</mc:Fallback></mc:AlternateContent>",
        )
        picture = add_picture(slide, "signed by hand")._element
        holder = parse_xml(
            f'<mc:AlternateContent {NAMESPACES}><mc:Choice Requires="p14"><p:contentPart r:id="rId9"/></mc:Choice><mc:Fallback/>'
            "</mc:AlternateContent>"
        )
        slide.shapes._spTree.append(holder)
        holder[1].append(picture)

    document = load(fill)
    assert body(document).startswith("平均 (a+b)/2\n\n![signed by hand](asset://")
    assert document.warnings == ()


def test_ink_without_a_picture_of_it_is_said() -> None:
    def fill(slide: Any) -> None:
        append(
            slide, f'<mc:AlternateContent {NAMESPACES}><mc:Choice><p:contentPart r:id="rId9"/></mc:Choice></mc:AlternateContent>'
        )

    assert load(fill).warnings == ("a drawing in ink was left out: slide 1",)


def test_raised_numbers_and_symbol_fonts_keep_their_meaning() -> None:
    def fill(slide: Any) -> None:
        append(
            slide,
            shape(
                '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>3</a:t></a:r><a:r><a:t> jobs </a:t></a:r>'
                '<a:r><a:rPr><a:sym typeface="Wingdings"/></a:rPr><a:t>\u00e0</a:t></a:r><a:r><a:t> 完了, 1</a:t></a:r>'
                '<a:r><a:rPr baseline="30000"/><a:t>st</a:t></a:r></a:p>'
            ),
        )

    assert body(load(fill)) == "10^3 jobs → 完了, 1st"


def test_pictures_are_referred_to_where_they_stand_with_their_alternative_texts() -> None:
    def fill(slide: Any) -> None:
        add_picture(slide, "構成図 [v2]")
        add_picture(slide, "image1.png", red=10)
        add_picture(slide, "A rack\n\nDescription automatically generated", red=20)

    document = load(fill)
    assert [item.alt for item in document.pictures] == ["構成図 (v2)", "", "A rack"]
    assert [item.data for item in document.pictures] == [png(), png(red=10), png(red=20)]
    assert {item.place for item in document.pictures} == {Place(slide=1)}
    assert body(document) == "\n\n".join(f"![{item.alt}]({item.link})" for item in document.pictures)


def test_a_picture_that_a_slide_shows_again_is_referred_to_once_for_each_slide() -> None:
    def fill(slide: Any) -> None:
        add_picture(slide)
        add_picture(slide)

    document = load(fill, fill)
    assert [item.place.slide for item in document.pictures] == [1, 2]
    assert document.markdown.count("asset://") == 2


def test_a_slide_that_is_nothing_but_a_picture_keeps_its_place() -> None:
    document = load(add_picture, title=None)
    assert document.markdown.startswith("## Slide 1\n\n![](asset://")
    assert document.marks[0].place == Place(slide=1)


def test_pictures_that_fill_shapes_and_backgrounds_are_found() -> None:
    def fill(slide: Any) -> None:
        picture = add_picture(slide)
        key = picture._element.blipFill.blip.rEmbed
        slide.shapes._spTree.remove(picture._element)
        filled = slide.shapes.add_textbox(0, 0, Inches(1), Inches(1))
        filled.text_frame.text = "label"
        filled._element.spPr.append(parse_xml(f'<a:blipFill {NAMESPACES}><a:blip r:embed="{key}"/></a:blipFill>'))

    def background(slide: Any) -> None:
        picture = add_picture(slide)
        key = picture._element.blipFill.blip.rEmbed
        slide.shapes._spTree.remove(picture._element)
        markup = f'<p:bg {NAMESPACES}><p:bgPr><a:blipFill><a:blip r:embed="{key}"/></a:blipFill></p:bgPr></p:bg>'
        slide._element.cSld.insert(0, parse_xml(markup))

    document = load(fill, background)
    assert [item.place.slide for item in document.pictures] == [1, 2]
    assert document.markdown.startswith("## Slide\n\nlabel\n\n![](asset://")


def test_linked_and_missing_pictures_are_said() -> None:
    def linked(slide: Any) -> None:
        blip = add_picture(slide)._element.blipFill.blip
        blip.attrib.clear()
        blip.set(f"{{{OFFICE[:-1]}}}link", "rId9")

    def missing(slide: Any) -> None:
        blip = add_picture(slide)._element.blipFill.blip
        blip.set(f"{{{OFFICE[:-1]}}}embed", "rId99")

    assert load(linked, missing).warnings == (
        "a picture that is only linked to was left out: slide 1",
        "a picture is missing in the file: slide 2",
    )


def test_embedded_objects_and_media_are_said_and_their_pictures_kept() -> None:
    def fill(slide: Any) -> None:
        slide.shapes.add_ole_object(io.BytesIO(b"x"), "Excel.Sheet.12", 0, 0, icon_file=io.BytesIO(png()))
        slide.shapes.add_movie(io.BytesIO(b"y"), 0, Inches(3), Inches(1), Inches(1), poster_frame_image=io.BytesIO(png(red=9)))

    document = load(fill)
    assert [item.data for item in document.pictures] == [png(), png(red=9)]
    assert document.warnings == (
        "an embedded object (Excel.Sheet.12) was left out, but for its picture: slide 1",
        "a video was left out, but for its picture: slide 1",
    )


def test_the_picture_of_an_object_of_powerpoint_2007_is_found() -> None:
    def fill(slide: Any) -> None:
        picture = add_picture(slide)
        image = slide.part.related_part(picture._element.blipFill.blip.rEmbed)
        slide.shapes._spTree.remove(picture._element)
        markup = f'<xml {NAMESPACES}><v:shape id="a" o:spid="_x0000_s1026"><v:imagedata o:relid="rId1"/></v:shape></xml>'
        drawing, _ = add_part(slide.part, "/ppt/drawings/vmlDrawing1.vml", f"{OFFICE}vmlDrawing", markup)
        drawing.relate_to(image, RT.IMAGE)
        append(
            slide,
            frame("http://schemas.openxmlformats.org/presentationml/2006/ole", '<p:oleObj spid="_x0000_s1026" progId="Visio"/>'),
        )

    document = load(fill)
    assert [item.data for item in document.pictures] == [png()]
    assert document.warnings == ("an embedded object (Visio) was left out, but for its picture: slide 1",)


def test_a_shapes_own_link_and_hidden_shapes() -> None:
    def fill(slide: Any) -> None:
        for number, text in enumerate(("手順書", "Two\nparagraphs")):
            box = slide.shapes.add_textbox(0, Inches(2 + number), Inches(2), Inches(0.5))
            box.text_frame.text = text
            box.click_action.hyperlink.address = "https://docs.tarnwood.example/"
        hidden = slide.shapes.add_textbox(0, 0, 1, 1)
        hidden.text_frame.text = "hidden"
        hidden._element.nvSpPr.cNvPr.set("hidden", "1")

    document = load(fill)
    assert body(document) == ("[手順書](https://docs.tarnwood.example/)\n\nTwo\n\nparagraphs\n\n<https://docs.tarnwood.example/>")
    assert document.warnings == ("hidden shapes were left out: slide 1",)


def test_comments_of_both_kinds_are_paragraphs_with_their_authors() -> None:
    def fill(slide: Any) -> None:
        deck = slide.part.package.main_document_part
        add_part(
            deck,
            "/ppt/commentAuthors.xml",
            f"{OFFICE}commentAuthors",
            f'<p:cmAuthorLst {NAMESPACES}><p:cmAuthor id="0" name="Reviewer One"/></p:cmAuthorLst>',
        )
        add_part(
            deck,
            "/ppt/authors.xml",
            f"{MICROSOFT}2018/10/relationships/authors",
            f'<p188:authorLst {NAMESPACES}><p188:author id="{{A}}" name="査読者"/></p188:authorLst>',
        )
        old = f'<p:cmLst {NAMESPACES}><p:cm authorId="0"><p:text>Is this right?</p:text></p:cm></p:cmLst>'
        add_part(slide.part, "/ppt/comments/comment1.xml", f"{OFFICE}comments", old)

        def text(line: str) -> str:
            return f"<p188:txBody><a:bodyPr/><a:p><a:r><a:t>{line}</a:t></a:r></a:p></p188:txBody>"

        new = (
            f'<p188:cmLst {NAMESPACES}><p188:cm authorId="{{A}}">{text("出典は？")}<p188:replyLst>'
            f'<p188:reply authorId="{{B}}">{text("Added.")}</p188:reply></p188:replyLst></p188:cm></p188:cmLst>'
        )
        add_part(slide.part, "/ppt/comments/modernComment1.xml", f"{MICROSOFT}2018/10/relationships/comments", new)
        add_part(slide.part, "/ppt/comments/comment3.xml", f"{OFFICE}comments", "<broken")

    document = load(fill)
    assert body(document) == "Comment (Reviewer One): Is this right?\n\nComment (査読者): 出典は？\n\nAnswer: Added."
    assert document.warnings == ("comments that are damaged were left out: slide 1",)
