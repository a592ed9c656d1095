"""The text of paragraphs: links, fields, changes, notes, comments, signs, readings, formulas, pages and headings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragd.core.documents import Document

Read = Callable[..., Document]


def run(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def p(*content: str, look: str = "") -> str:
    return f"<w:p><w:pPr>{look}</w:pPr>{''.join(part if part.startswith('<') else run(part) for part in content)}</w:p>"


def char(kind: str, inner: str = "") -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{inner}</w:fldChar></w:r>'


def field(instruction: str, result: str | None) -> str:
    shown = "" if result is None else char("separate") + run(result)
    return f"{char('begin')}<w:r><w:instrText>{instruction}</w:instrText></w:r>{shown}{char('end')}"


def style(style_id: str, name: str, properties: str = "", more: str = "") -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>{more}<w:pPr>{properties}</w:pPr></w:style>'
    )


NOTES = "<w:footnotes NAMESPACES>{}</w:footnotes>"
BOLD = "<w:b/>"


def test_bold_and_italic_are_marked_around_words_only(read: Read) -> None:
    body = p("Wait", run(" three ", BOLD), run("or five", "<w:i/>"), " days. ", run("「重要」", BOLD), "です", run("!", BOLD))
    assert read(body).markdown == "Wait **three** *or five* days. 「**重要**」です!"


def test_neighbouring_runs_of_one_look_are_one(read: Read) -> None:
    assert read(p(run("Kes", BOLD), run("trel", BOLD), run(" "), run("3.4", BOLD))).markdown == "**Kestrel 3.4**"


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("https://docs.tarnwood.example/a b(1)", "[guide](https://docs.tarnwood.example/a%20b%281%29)"),
        ("mailto:ops@tarnwood.example", "[guide](mailto:ops@tarnwood.example)"),
        ("javascript:alert(1)", "guide"),
        ("file:///share/plan.docx", "guide"),
        ("https://docs.tarnwood.example/" + "x" * 3000, "guide"),
    ],
)
def test_links_are_followed_to_the_web_and_to_mail_only(read: Read, target: str, shown: str) -> None:
    body = p(f'<w:hyperlink r:id="rId5">{run("guide")}</w:hyperlink>')
    document = read(body, relations=[("rId5", "hyperlink", target)])
    assert document.markdown == shown
    assert bool(document.warnings) == (shown == "guide")


def test_a_link_that_shows_its_target_is_text(read: Read) -> None:
    url = "https://docs.tarnwood.example"
    document = read(p(f'<w:hyperlink r:id="rId5">{run(url)}</w:hyperlink>'), relations=[("rId5", "hyperlink", url)])
    assert document.markdown == url


def test_links_inside_of_the_document_are_text(read: Read) -> None:
    assert read(p(f'See <w:hyperlink w:anchor="x">{run("chapter 2")}</w:hyperlink>'.replace("See ", ""))).markdown == "chapter 2"


def test_a_field_shows_its_result_and_a_link_field_links(read: Read) -> None:
    body = p("See ", field(' HYPERLINK "https://docs.tarnwood.example/x" ', "the guide"), " on page ", field("PAGEREF x", "12"))
    assert read(body).markdown == "See [the guide](https://docs.tarnwood.example/x) on page 12"


def test_fields_in_fields_and_over_paragraphs(read: Read) -> None:
    inner = field("DATE", "2 March")
    begin = char("begin") + '<w:r><w:instrText>HYPERLINK "https://a.example"</w:instrText></w:r>' + char("separate")
    assert read(p("On ", begin, run("first "), inner) + p(run("second"), char("end"), " third")).markdown == (
        "On [first 2 March](https://a.example)\n\n[second](https://a.example) third"
    )


def test_a_field_that_never_ends_takes_no_text_away(read: Read) -> None:
    assert read(p("before", char("begin")) + p("after")).markdown == "before\n\nafter"


def test_a_table_of_contents_is_left_out_and_counted(read: Read) -> None:
    toc = char("begin") + "<w:r><w:instrText>TOC \\o</w:instrText></w:r>" + char("separate")
    body = p("Contents") + p(toc, run("Install 1")) + p(run("Use 2")) + p(char("end")) + p("Text")
    document = read(body)
    assert document.markdown == "Contents\n\nText"
    assert document.warnings == ("lines of tables of contents and indexes left out: 2",)


def test_entries_of_a_table_of_contents_that_is_text_by_now_are_left_out_by_their_style(read: Read) -> None:
    document = read(p("概要 1", look='<w:pStyle w:val="a"/>') + p("本文"), styles=style("a", "toc 1"))
    assert document.markdown == "本文"


def test_check_boxes_of_forms_show_their_state(read: Read) -> None:
    def box(more: str) -> str:
        data = f"<w:ffData><w:checkBox>{more}</w:checkBox></w:ffData>"
        return char("begin", data) + "<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>" + char("end")

    assert (
        read(p(box('<w:default w:val="1"/><w:checked w:val="0"/>'), " no ", box("<w:checked/>"), " yes")).markdown == "☐ no ☒ yes"
    )


def test_formula_fields_show_their_arguments_and_readings(read: Read) -> None:
    ruby = r'EQ \* jc2 \* "Font:MS Mincho" \* hps10 \o\ad(\s\up 9(じょうちょう),冗長)'
    assert read(p(field(ruby, None), "化: ", field(r"EQ \f(1,2)", None))).markdown == "冗長（じょうちょう）化: (1,2)"


def test_changes_are_read_as_accepted(read: Read) -> None:
    body = p("The alert fires after ", f"<w:del>{run('x').replace('w:t', 'w:delText')}</w:del>", f"<w:ins>{run('sixty')}</w:ins>")
    body += f"<w:p><w:moveFrom>{run('moved')}</w:moveFrom></w:p>" + f"<w:p><w:moveTo>{run('moved')}</w:moveTo></w:p>"
    document = read(body)
    assert document.markdown == "The alert fires after sixty\n\nmoved"
    assert document.warnings == ("tracked changes are read as accepted; deleted passages left out: 2",)


def test_paragraphs_whose_break_was_deleted_are_one(read: Read) -> None:
    body = p("再起動の", look="<w:rPr><w:del/></w:rPr>") + p("前に確認する")
    assert read(body).markdown == "再起動の前に確認する"


def test_former_properties_do_not_count(read: Read) -> None:
    former = '<w:pPrChange><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>'
    assert read(p("text", look=former)).headings == ()


def test_a_large_initial_belongs_to_its_word(read: Read) -> None:
    assert read(p("K", look='<w:framePr w:dropCap="drop"/>') + p("estrel hovers.")).markdown == "Kestrel hovers."


def test_notes_stand_at_the_end_of_their_section(read: Read) -> None:
    def ref(number: int, kind: str = "footnote") -> str:
        return f'<w:r><w:{kind}Reference w:id="{number}"/></w:r>'

    notes = NOTES.format(
        f'<w:footnote w:id="4">{p("An odd number", run(" only", BOLD))}{p("of nodes.")}</w:footnote>'
        f'<w:footnote w:id="2">{p("二つ目の注。")}</w:footnote>'
    )
    head = '<w:outlineLvl w:val="0"/>'
    body = p("Nodes", look=head) + p("Three", ref(4), " or five.") + p("次", look=head) + p("本文", ref(2), "と", ref(9))
    document = read(body, parts={"word/footnotes.xml": notes}, relations=[("n", "footnotes", "footnotes.xml")])
    assert document.markdown == (
        "# Nodes\n\nThree[^1] or five.\n\n[^1]: An odd number **only**\n    of nodes.\n\n# 次\n\n本文[^2]と\n\n[^2]: 二つ目の注。"
    )
    assert document.warnings == ("footnotes and endnotes that the file refers to and doesn't have: 1",)


def test_comments_follow_in_a_section_of_their_own_with_what_they_are_on(read: Read) -> None:
    comments = (
        f'<w:comments NAMESPACES><w:comment w:id="0" w:author="高木 慎" w:date="2026-02-21T08:00:00Z">{p("要確認")}</w:comment>'
        f'<w:comment w:id="1" w:author="Joan Abara">{p("Really?")}</w:comment></w:comments>'
    )
    about = '<w:commentRangeStart w:id="0"/>' + run("六十秒") + '<w:commentRangeEnd w:id="0"/>'
    body = p("警報は", about, "後に鳴ります。", '<w:r><w:commentReference w:id="1"/></w:r>')
    document = read(body, parts={"word/comments.xml": comments}, relations=[("c", "comments", "comments.xml")])
    assert document.markdown == '警報は六十秒後に鳴ります。\n\n- 高木 慎, 2026-02-21, "六十秒": 要確認\n- Joan Abara: Really?'
    assert [(heading.title, heading.start == heading.end) for heading in document.headings] == [("コメント", True)]


def test_readings_stand_after_their_word(read: Read) -> None:
    def ruby(base: str, reading: str) -> str:
        return f"<w:r><w:ruby><w:rt>{run(reading)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase></w:ruby></w:r>"

    assert read(p(ruby("冗", "じょう"), ruby("長", "ちょう"), "化と", ruby("復旧", "ふっきゅう"))).markdown == (
        "冗長（じょうちょう）化と復旧（ふっきゅう）"
    )


def test_signs_of_symbol_fonts_become_characters(read: Read) -> None:
    fonts = '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'
    body = p(
        '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>',
        " 5 ",
        '<w:r><w:sym w:font="Symbol" w:char="F0A3"/></w:r>',
        run(" \uf061", fonts),
        '<w:r><w:sym w:font="Webdings" w:char="F0FE"/></w:r>',
    )
    document = read(body)
    assert document.markdown == "✓ 5 ≤ α"
    assert document.warnings == ("characters of symbol fonts without an equal in Unicode left out: 1",)


def test_breaks_tabs_and_hyphens(read: Read) -> None:
    body = p("<w:r><w:t>Name:</w:t><w:tab/><w:t>Kestrel</w:t><w:br/><w:t>co</w:t><w:softHyphen/><w:t>operation</w:t></w:r>")
    body += p("<w:r><w:t>edge</w:t><w:noBreakHyphen/><w:t>7</w:t><w:cr/><w:t>next   line</w:t></w:r>")
    assert read(body).markdown == "Name:\tKestrel\ncooperation\n\nedge-7\nnext line"


def test_equations_are_text_in_one_line(read: Read) -> None:
    def r(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    limits = f"<m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup>"
    total = f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr>{limits}<m:e>{r("x")}</m:e></m:nary>'
    fraction = f"<m:f><m:num>{r('a+b')}</m:num><m:den>{r('2')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{r('x')}</m:e><m:sup>{r('2')}</m:sup></m:sSup>"
    root = f"<m:rad><m:deg/><m:e>{r('z')}</m:e></m:rad>"
    body = f"<w:p><m:oMathPara><m:oMath>{r('y=')}{total}{fraction}{power}{root}</m:oMath></m:oMathPara></w:p>"
    assert read(body).markdown == "y=∑_(i=1)^n x(a+b)/2x^2√(z)"


def test_content_controls_are_looked_into_unless_they_only_ask_for_text(read: Read) -> None:
    def control(text: str, properties: str = "<w:showingPlcHdr/>") -> str:
        return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{run(text)}</w:sdtContent></w:sdt>"

    body = p(
        control("Click or tap here to enter text."),
        control("ここをクリックして入力"),
        control("担当: 森下", ""),
        control(" [Team]"),
    )
    assert read(body).markdown == "担当: 森下 [Team]"


def test_headings_are_told_by_outline_levels_and_by_names_in_any_language(read: Read) -> None:
    styles = (
        style("1", "heading 1", '<w:outlineLvl w:val="0"/>')
        + style("mine", "Chapter", more='<w:basedOn w:val="1"/>')
        + style("b2", "見出し　２")
        + style("t", "Title")
        + style("plain", "Big", '<w:outlineLvl w:val="9"/>', '<w:basedOn w:val="1"/>')
    )
    body = "".join(
        p(text, look=f'<w:pStyle w:val="{name}"/>')
        for text, name in (("表題", "t"), ("章", "mine"), ("節", "b2"), ("text", "plain"), ("unknown", "nowhere"))
    )
    body += p("direct", look='<w:outlineLvl w:val="2"/>') + p("not", look='<w:pStyle w:val="1"/><w:outlineLvl w:val="9"/>')
    document = read(body, styles=styles)
    assert document.markdown == "# 表題\n\n# 章\n\n## 節\n\ntext\n\nunknown\n\n### direct\n\nnot"
    assert document.title == "表題"


def test_a_paragraph_in_the_style_of_a_heading_is_text_when_it_is_long(read: Read) -> None:
    assert read(p("x" * 301, look='<w:outlineLvl w:val="0"/>')).headings == ()


def test_styles_that_are_based_on_each_other_are_left_after_some_rounds(read: Read) -> None:
    styles = style("a", "one", more='<w:basedOn w:val="b"/>') + style("b", "two", more='<w:basedOn w:val="a"/>')
    assert read(p("text", look='<w:pStyle w:val="a"/>'), styles=styles).markdown == "text"


RENDERED = "<w:r><w:lastRenderedPageBreak/></w:r>"
BREAK = '<w:r><w:br w:type="page"/></w:r>'


def pages(document: Document) -> list[tuple[str, int | None]]:
    return [(document.markdown[mark.offset :].partition("\n")[0], mark.place.page) for mark in document.marks]


def test_a_break_and_the_editors_mark_for_it_are_one(read: Read) -> None:
    body = p("one", BREAK) + p(RENDERED, "two") + p("also two") + p(RENDERED, "three")
    assert pages(read(body)) == [("one", 1), ("two", 2), ("three", 3)]


def test_headings_that_begin_a_page_and_sections_count(read: Read) -> None:
    styles = style("h", "heading 1", "<w:pageBreakBefore/>")
    section = "<w:sectPr><w:type w:val='{}'/></w:sectPr>"
    body = p("First", look='<w:pStyle w:val="h"/>') + p("a", look=section.format("nextPage")) + p(RENDERED, "b")
    body += p("Second", look='<w:pStyle w:val="h"/>') + p("c", look=section.format("continuous")) + p("d")
    document = read(body + section.format("continuous"), styles=styles)
    # The type of a section says how it begins itself: the second one, continuous, goes on on the page of the first.
    assert pages(document) == [("# First", 1), ("b", 2), ("# Second", 3)]


def test_breaks_inside_of_what_is_left_out_count(read: Read) -> None:
    toc = char("begin") + "<w:r><w:instrText>TOC</w:instrText></w:r>" + char("separate")
    body = p("Title") + p(toc, run("a 1"), RENDERED) + p(run("b 2"), char("end")) + p("Text")
    assert pages(read(body)) == [("Title", 1), ("Text", 2)]


def test_breaks_count_as_pages_when_the_editor_counted_as_many(read: Read) -> None:
    office = "http://schemas.openxmlformats.org/officeDocument/2006"
    app = f'<Properties xmlns="{office}/extended-properties"><Pages>{{}}</Pages></Properties>'
    targets = {"officeDocument": "word/document.xml", "extended-properties": "app.xml"}
    items = "".join(
        f'<Relationship Id="{kind}" Type="{office}/relationships/{kind}" Target="{target}"/>' for kind, target in targets.items()
    )
    root = f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{items}</Relationships>'
    body = p("one", BREAK) + p("two")
    assert pages(read(body, parts={"_rels/.rels": root, "app.xml": app.format(2)})) == [("one", 1), ("two", 2)]
    assert pages(read(body, parts={"_rels/.rels": root, "app.xml": app.format(7)})) == []
    marked = read(p("one") + p(RENDERED, "two"), parts={"_rels/.rels": root, "app.xml": app.format(7)})
    assert marked.warnings == ("page numbers may be off: the editor counted 7 pages and marked 2",)


@pytest.mark.parametrize("wrapper", ["smartTag", "customXml", "ins", "dir", "bdo", "newElement"])
def test_text_in_elements_that_wrap_runs_is_kept(read: Read, wrapper: str) -> None:
    assert read(f"<w:p><w:{wrapper}>{run('kept')}</w:{wrapper}></w:p>").markdown == "kept"
