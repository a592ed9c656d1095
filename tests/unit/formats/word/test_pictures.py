"""What hangs on paragraphs: pictures, text boxes, diagrams, charts, embedded objects and imported documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragd.core.documents import Document
from ragd.formats.word.loader import WordLoader

Read = Callable[..., Document]
PNG = b"\x89PNG\r\n\x1a\n-not decoded here-"


def text(content: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{content}</w:t></w:r>'


def drawing(rel_id: str, alt: str = "", kind: str = "inline", link: str = "embed") -> str:
    blip = f'<pic:pic><pic:blipFill><a:blip r:{link}="{rel_id}"/></pic:blipFill></pic:pic>'
    data = f"<a:graphic><a:graphicData>{blip}</a:graphicData></a:graphic>"
    return f'<w:r><w:drawing><wp:{kind}><wp:docPr id="1" name="Picture 1" descr="{alt}"/>{data}</wp:{kind}></w:drawing></w:r>'


def box(*lines: str) -> str:
    return "<w:txbxContent>" + "".join(f"<w:p>{text(line)}</w:p>" for line in lines) + "</w:txbxContent>"


MEDIA = {"parts": {"word/media/a.png": PNG}, "relations": [("rId1", "image", "media/a.png")]}


def test_a_picture_in_the_line_stands_in_its_text(read: Read) -> None:
    document = read(f"<w:p>{text('Press ')}{drawing('rId1', '電源ボタン')}{text(' twice')}</w:p>", **MEDIA)
    assert document.markdown == f"Press ![電源ボタン]({document.pictures[0].link}) twice"
    assert document.pictures[0].data == PNG


def test_a_floating_picture_stands_after_its_paragraph(read: Read) -> None:
    document = read(
        f"<w:p>{text('The')}{drawing('rId1', 'gauge', 'anchor')}{text(' gauge')}</w:p><w:p>{text('End')}</w:p>", **MEDIA
    )
    assert document.markdown == f"The gauge\n\n![gauge]({document.pictures[0].link})\n\nEnd"


def test_a_picture_that_stands_twice_is_listed_twice_and_read_once(read: Read) -> None:
    document = read(f"<w:p>{drawing('rId1')}{drawing('rId1')}</w:p>", **MEDIA)
    assert len(document.pictures) == 2
    assert document.pictures[0].data is document.pictures[1].data


def test_a_picture_in_a_heading_follows_it(read: Read) -> None:
    body = f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>{drawing("rId1", "logo")}{text("導入")}</w:p>'
    document = read(body, **MEDIA)
    assert document.markdown == f"# 導入\n\n![logo]({document.pictures[0].link})"
    assert document.headings[0].title == "導入"


def test_pictures_in_cells_are_part_of_their_row(read: Read) -> None:
    cells = "".join(f"<w:tc><w:p>{content}</w:p></w:tc>" for content in (text("icon"), drawing("rId1", "ok")))
    head = "".join(f"<w:tc><w:p>{text(name)}</w:p></w:tc>" for name in "ab")
    document = read(f"<w:tbl><w:tr>{head}</w:tr><w:tr>{cells}</w:tr></w:tbl>", **MEDIA)
    assert f"| icon | ![ok]({document.pictures[0].link}) |" in document.markdown


def test_old_pictures_and_previews_of_objects_are_found(read: Read) -> None:
    shape = '<v:shape alt="plan"><v:imagedata r:id="rId1"/></v:shape>'
    document = read(f"<w:p><w:r><w:object>{shape}<o:OLEObject/></w:object></w:r></w:p>", **MEDIA)
    assert document.pictures[0].alt == "plan"
    assert document.warnings == ("embedded objects shown by their preview picture only: 1",)


def test_pictures_that_are_missing_or_elsewhere_are_counted(read: Read) -> None:
    relations = [("rId1", "image", "../NULL"), ("rId2", "image", "https://pictures.example/a.png")]
    body = f"<w:p>{text('text')}{drawing('rId1')}{drawing('rId2', link='link')}{drawing('rId3')}</w:p>"
    document = read(body, relations=relations)
    assert document.markdown == "text"
    assert document.warnings == (
        "pictures that are missing in the file or damaged: 2",
        "pictures that are only linked, not in the file: 1",
    )


def test_a_damaged_picture_does_not_cost_the_text(docx_of: Callable[..., bytes]) -> None:
    data = bytearray(docx_of(f"<w:p>{text('text')}{drawing('rId1')}</w:p>", **MEDIA))
    data[data.index(b"word/media/a.png") + 20] ^= 0xFF
    document = WordLoader().load(bytes(data), "plan.docx")
    assert document.markdown == "text"
    assert document.warnings == ("pictures that are missing in the file or damaged: 1",)


def test_a_text_box_is_read_once_though_it_is_written_twice(read: Read) -> None:
    content = box("内線 6120", "まで")
    new = f"<w:drawing><wp:anchor><wps:txbx>{content}</wps:txbx></wp:anchor></w:drawing>"
    old = f"<w:pict><v:shape><v:textbox>{content}</v:textbox></v:shape></w:pict>"
    both = f"<mc:Choice Requires='wps'>{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback>"
    body = f"<w:p><w:r><mc:AlternateContent>{both}</mc:AlternateContent></w:r>{text('Call')}</w:p>"
    assert read(body).markdown == "Call\n\n内線 6120\n\nまで"


def test_the_fallback_is_read_when_the_choice_gives_nothing(read: Read) -> None:
    content = f"<mc:Choice Requires='new'><w:drawing/></mc:Choice><mc:Fallback>{text('as text')}</mc:Fallback>"
    assert read(f"<w:p><mc:AlternateContent>{content}</mc:AlternateContent></w:p>").markdown == "as text"


def test_lettering_is_text(read: Read) -> None:
    assert read('<w:p><w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r></w:p>').markdown == "DRAFT"


def test_the_texts_of_a_diagram_are_a_list(read: Read) -> None:
    points = "".join(
        f'<dgm:pt modelId="{number}"><dgm:t><a:p><a:r><a:t>{name}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for number, name in enumerate(("受付", "審査"), 1)
    )
    data = f"<dgm:dataModel NAMESPACES><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>"
    inner = "<a:graphic><a:graphicData><dgm:relIds r:dm='rId1'/></a:graphicData></a:graphic>"
    document = read(
        f"<w:p><w:r><w:drawing><wp:inline>{inner}</wp:inline></w:drawing></w:r></w:p>",
        parts={"word/diagrams/data1.xml": data},
        relations=[("rId1", "diagramData", "diagrams/data1.xml")],
    )
    assert document.markdown == "- 受付\n- 審査"


def test_a_chart_gives_its_title_and_values(read: Read) -> None:
    def cache(kind: str, *values: str) -> str:
        points = "".join(f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in enumerate(values))
        return f"<c:{kind}Ref><c:{kind}Cache>{points}</c:{kind}Cache></c:{kind}Ref>"

    values = f"<c:cat>{cache('str', 'Jan', 'Feb')}</c:cat><c:val>{cache('num', '3', '5')}</c:val>"
    bars = f"<c:barChart><c:ser><c:tx>{cache('str', 'Jobs')}</c:tx>{values}</c:ser></c:barChart>"
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Backlog</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    chart = f"<c:chartSpace NAMESPACES><c:chart>{title}<c:plotArea>{bars}</c:plotArea></c:chart></c:chartSpace>"
    inner = "<a:graphic><a:graphicData><c:chart r:id='rId1'/></a:graphicData></a:graphic>"
    facts = read(
        f"<w:p>{text('Load:')}<w:r><w:drawing><wp:inline>{inner}</wp:inline></w:drawing></w:r></w:p>",
        parts={"word/charts/chart1.xml": chart},
        relations=[("rId1", "chart", "charts/chart1.xml")],
    ).markdown
    assert facts.startswith("Load:")
    assert "Backlog" in facts
    assert "| Jan | 3 |" in facts
    assert "| Feb | 5 |" in facts


HTML = "<!DOCTYPE html><html><body><h2>手順</h2><p>Restart <b>one</b> node.</p></body></html>"
MHT = (
    'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n'
    "Content-Location: file:///C:/page.html\r\n\r\n<p>Gauge <img src='file:///C:/gauge.png' alt='gauge'></p>\r\n--b\r\n"
    "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: file:///C:/gauge.png\r\n\r\n"
    "iVBORw0KGgo=\r\n--b--\r\n"
)


@pytest.mark.parametrize(
    ("chunk", "facts"),
    [
        (HTML, "before\n\n## 手順\n\nRestart **one** node.\n\nafter"),
        (MHT, "before\n\nGauge ![gauge](asset://4c4b6a3be1314ab86138bef4314dde02)\n\nafter"),
        ("ただの文章\n", "before\n\nただの文章\n\nafter"),
        ("{\\rtf1 text}", "before\n\nafter"),
    ],
    ids=["HTML", "MHTML", "text", "RTF"],
)
def test_imported_documents_are_read_where_they_stand(read: Read, chunk: str, facts: str) -> None:
    document = read(
        f'<w:p>{text("before")}</w:p><w:altChunk r:id="rId1"/><w:p>{text("after")}</w:p>',
        parts={"word/chunk.html": chunk.encode()},
        relations=[("rId1", "aFChunk", "chunk.html")],
    )
    assert document.markdown == facts
    assert bool(document.warnings) == chunk.startswith("{")
    assert [heading.title for heading in document.headings] == (["手順"] if "h2" in chunk else [])
