"""Makes the PDF fixtures of this folder with LibreOffice: `python tests/data/pdf/make.py`. The tests only read the PDFs.

Needs soffice (7.4 was used) and the fonts DejaVu Serif and Noto Serif CJK JP. Each document is written as flat OpenDocument and
exported by `soffice --headless --convert-to pdf`. The scans are pages of the tables, turned into pictures. `spaced-en.pdf` is
`spaced-en.html` as Chromium 156 prints it (`chromium --headless --no-pdf-header-footer --print-to-pdf=spaced-en.pdf spaced-en.html`).
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

import pypdfium2

SCAN_DPI = 200
TAGGED = (
    'pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"true"},'
    '"ExportBookmarks":{"type":"boolean","value":"false"}}'
)
HERE = Path(__file__).resolve().parent
NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"'
    for prefix, urn in {
        "office": "office", "style": "style", "text": "text", "table": "table", "draw": "drawing", "fo": "xsl-fo-compatible",
        "svg": "svg-compatible", "meta": "meta",
    }.items()
)  # fmt: skip

PRICES_EN = [
    ["Item", "Code", "Price", "Note"],
    ["Edge box, 480 GB", "KE-200-EU", "1,140", "two disks, mirrored, with a battery for ten minutes"],
    ["Wall bracket", "KE-RM1", "38", ""],
    ["Optical port", "KE-200-SFP", "212", "one for each box"],
    ["Support, one year", "KE-SUP-1", "96", "working days, nine to five; spare parts are sent overnight"],
]
PRICES_JA = [
    ["品名", "型番", "価格(円)", "備考"],
    ["エッジボックス 480GB", "KE-200-JP", "148,000", "記憶装置は二重化、十分間の電池を内蔵"],
    ["壁掛け金具", "KE-RM1", "4,800", ""],
    ["光ポート", "KE-200-SFP", "26,500", "装置一台につき一個"],
    ["保守契約(一年)", "KE-SUP-1", "12,000", "営業日の九時から十七時まで。交換部品は翌日に発送"],
]


def text(name: str) -> str:
    return (HERE / f"{name}.txt").read_text(encoding="utf-8")


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def table_xml(rows: list[list[str]], ruled: bool) -> str:
    style = "cell" if ruled else "bare"
    columns = "".join(f'<table:table-column table:style-name="col{index}"/>' for index in range(len(rows[0])))
    body = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell table:style-name="{style}"><text:p text:style-name="cell">{escape(cell)}</text:p>'
            "</table:table-cell>"
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    return f'<table:table table:name="t{ruled}">{columns}{body}</table:table>'


def body_xml(text: str) -> str:
    """Lines are `T` title, `H` heading, `G` one that only its style tells, `P` paragraph, `B` bullet; columns from `2` to `1`."""
    parts: list[str] = []
    for line in text.strip().split("\n"):
        kind, _, content = line.partition(" ")
        if kind == "2":
            parts.append('<text:section text:style-name="two" text:name="columns">')
        elif kind == "1":
            parts.append("</text:section>")
        elif kind == "B":
            parts.append(
                f'<text:list text:style-name="dots"><text:list-item><text:p text:style-name="item">{escape(content)}'
                "</text:p></text:list-item></text:list>"
            )
        elif kind == "G":
            parts.append(f'<text:h text:style-name="plain" text:outline-level="2">{escape(content)}</text:h>')
        else:
            style = {"T": "title", "H": "head", "P": "body"}[kind]
            parts.append(f'<text:p text:style-name="{style}">{escape(content)}</text:p>')
    return "".join(parts)


def flat_odt(
    body: str, font: str, header: str, footer: str, *, language: tuple[str, str], height: int = 200, vertical: bool = False
) -> str:
    lang, country = language
    paragraph = (
        f'style:font-name="{font}" fo:font-family="{font}" style:font-family-asian="{font}" fo:language="{lang}"'
        f' fo:country="{country}" style:language-asian="{lang}" style:country-asian="{country}"'
    )

    def style(name: str, size: float, above: float, below: float, extra: str = "", weight: str = "normal") -> str:
        return (
            f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties fo:margin-top="{above}mm"'
            f' fo:margin-bottom="{below}mm" fo:line-height="135%" {extra}/><style:text-properties {paragraph}'
            f' fo:font-size="{size}pt" style:font-size-asian="{size}pt" fo:font-weight="{weight}"'
            f' style:font-weight-asian="{weight}"/></style:style>'
        )

    columns = "".join(
        f'<style:style style:name="col{index}" style:family="table-column"><style:table-column-properties'
        f' style:column-width="{width}mm"/></style:style>'
        for index, width in enumerate((44, 32, 24, 66))
    )
    writing = ' style:writing-mode="tb-rl"' if vertical else ""
    size = f'fo:page-width="210mm" fo:page-height="{height}mm"'
    edge = "<text:p text:style-name='{}'>{}</text:p>"
    number = "<text:page-number/>"
    total = "<text:page-count/>"
    foot = footer.replace("#", number).replace("@", total)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:automatic-styles>
{style("title", 20, 0, 3, weight="bold")}{style("head", 13, 4, 1.5, 'fo:keep-with-next="always"', "bold")}
{style("body", 10, 0, 2, 'fo:text-align="justify" fo:hyphenation-ladder-count="no-limit"')}
{style("item", 10, 0, 1)}{style("cell", 9.5, 0, 0)}{style("edge", 8, 0, 0)}
{style("plain", 10, 0, 2)}{style("edgecenter", 8, 0, 0, 'fo:text-align="center"')}
<style:style style:name="two" style:family="section"><style:section-properties><style:columns fo:column-count="2"
 fo:column-gap="7mm"/></style:section-properties></style:style>
<style:style style:name="cell" style:family="table-cell"><style:table-cell-properties fo:border="0.5pt solid #000000"
 fo:padding="1mm"/></style:style>
<style:style style:name="bare" style:family="table-cell"><style:table-cell-properties fo:border="none"
 fo:padding="1mm"/></style:style>
{columns}
<text:list-style style:name="dots"><text:list-level-style-bullet text:level="1" text:bullet-char="•">
<style:list-level-properties text:space-before="1mm" text:min-label-width="4mm"/></text:list-level-style-bullet></text:list-style>
<style:page-layout style:name="page"><style:page-layout-properties {size} fo:margin-top="14mm" fo:margin-bottom="12mm"
 fo:margin-left="20mm" fo:margin-right="20mm"{writing}/><style:header-style><style:header-footer-properties fo:margin-bottom="5mm"
 fo:min-height="5mm"/></style:header-style><style:footer-style><style:header-footer-properties fo:margin-top="5mm"
 fo:min-height="5mm"/></style:footer-style></style:page-layout>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="page">
<style:header>{edge.format("edge", escape(header))}</style:header><style:footer>{edge.format("edgecenter", foot)}</style:footer>
</style:master-page></office:master-styles>
<office:body><office:text>{body}</office:text></office:body></office:document>"""


def flat_ods(rows: list[list[str]], font: str) -> str:
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="float" office:value="{cell.replace(",", "")}" table:style-name="c">'
            f"<text:p>{escape(cell)}</text:p></table:table-cell>"
            if cell.replace(",", "").isdigit()
            else '<table:table-cell office:value-type="string" table:style-name="c">'
            f"<text:p>{escape(cell)}</text:p></table:table-cell>"
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document {NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:automatic-styles>
<style:style style:name="c" style:family="table-cell"><style:text-properties style:font-name="{font}" fo:font-family="{font}"
 style:font-family-asian="{font}" fo:font-size="10pt" style:font-size-asian="10pt"/></style:style>
<style:style style:name="w" style:family="table-column"><style:table-column-properties style:column-width="45mm"/></style:style>
</office:automatic-styles>
<office:body><office:spreadsheet><table:table table:name="Sheet1"><table:table-column table:style-name="w"
 table:number-columns-repeated="3"/>{cells}</table:table></office:spreadsheet></office:body></office:document>"""


def convert(name: str, source: str, suffix: str, options: str = "pdf") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.{suffix}"
        path.write_text(source, encoding="utf-8")
        command = [
            "soffice",
            f"-env:UserInstallation=file://{folder}/profile",
            "--headless",
            "--convert-to",
            options,
            "--outdir",
            folder,
        ]
        subprocess.run([*command, str(path)], check=True, stdout=subprocess.DEVNULL, timeout=300)
        return path.with_suffix(".pdf").read_bytes()


def scan(data: bytes) -> bytes:
    """The first page as a picture of black and white, as a scanner makes it, and nothing else."""
    pdf = pypdfium2.PdfDocument(data)
    picture = (
        pdf[0].render(scale=SCAN_DPI / 72, grayscale=True).to_pil().point(lambda grey: 255 if grey > 150 else 0).convert("1")
    )
    pdf.close()
    target = io.BytesIO()
    picture.save(target, "PDF", resolution=SCAN_DPI)
    return target.getvalue()


def main() -> int:
    english = ("en", "GB")
    japanese = ("ja", "JP")
    latin, kanji = "DejaVu Serif", "Noto Serif CJK JP"
    documents = {
        "columns-en": flat_odt(
            body_xml(text("columns-en")), latin, "Tarnwood field notes 12", "Page # of @", language=english, height=150
        ),
        "columns-ja": flat_odt(
            body_xml(text("columns-ja")), kanji, "ターンウッド技報 第12号", "- # -", language=japanese, height=150
        ),
        "tables-en": flat_odt(
            body_xml("T Prices\nP Prices are in euros and without tax.") + table_xml(PRICES_EN, ruled=True)
            + body_xml("P The same list once more, without lines.") + table_xml(PRICES_EN, ruled=False)
            + body_xml("P Orders of ten or more are delivered free of charge."),
            latin, "", "# / @", language=english,
        ),
        "tables-ja": flat_odt(
            body_xml("T 価格表\nP 価格に消費税は含まれていません。") + table_xml(PRICES_JA, ruled=True)
            + body_xml("P 同じ表を罫線なしで示します。") + table_xml(PRICES_JA, ruled=False)
            + body_xml("P 十台以上の注文は送料が無料です。"),
            kanji, "", "#ページ", language=japanese,
        ),
        "vertical-ja": flat_odt(body_xml(text("vertical-ja")), kanji, "", "#", language=japanese, height=148, vertical=True),
    }  # fmt: skip
    tagged = {
        "tagged-en": flat_odt(body_xml(text("tagged-en")), latin, "", "", language=english),
        "tagged-ja": flat_odt(body_xml(text("tagged-ja")), kanji, "", "", language=japanese),
    }
    for name, source in tagged.items():
        (HERE / f"{name}.pdf").write_bytes(convert(name, source, "fodt", TAGGED))
    sheets = {"sheet-en": flat_ods(PRICES_EN, latin), "sheet-ja": flat_ods(PRICES_JA, kanji)}
    for name, source in documents.items():
        (HERE / f"{name}.pdf").write_bytes(convert(name, source, "fodt"))
    for name, source in sheets.items():
        (HERE / f"{name}.pdf").write_bytes(convert(name, source, "fods"))
    for language in ("en", "ja"):
        (HERE / f"scan-{language}.pdf").write_bytes(scan((HERE / f"tables-{language}.pdf").read_bytes()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
