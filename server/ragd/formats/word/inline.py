"""A paragraph of a Word document to Markdown: runs, links, fields, changes, notes, readings, formulas, pictures.

Tracked changes are read as accepted. Elements that aren't named here are looked into, so that what new versions of Word wrap
around runs costs no text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ragd.formats.common.opc import MC, Element, R
from ragd.formats.common.text import followable
from ragd.formats.word.content import without_signs
from ragd.formats.word.drawings import drawn
from ragd.formats.word.fields import Fields
from ragd.formats.word.package import W, is_prompt, texts_of
from ragd.formats.word.reading import Reading
from ragd.formats.word.signs import SYMBOLS, M, equation, symbol, symbol_font
from ragd.formats.word.spans import Span, markdown_of
from ragd.formats.word.styles import Look

_PRESERVED: Final = "{http://www.w3.org/XML/1998/namespace}space"
_XML_BLANKS: Final = " \t\r\n"
_MAX_WORD: Final = 20
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


@dataclass(slots=True)
class Line:
    """What a paragraph holds: its text, with page signs inside, and the same as it stands if it is all `code`; and what hangs on
    it, to stand after it, each with its page: Markdown of floating pictures and charts, and the contents of text boxes."""

    text: str
    code: str | None = None
    apart: list[tuple[Element | str, int]] = field(default_factory=list)


class Inline:
    """Reads the paragraphs of one container (the body, a note, a text box) of `part`, in order.

    `pages_count` is false where the container's own breaks don't move the text's pages.
    """

    def __init__(self, reading: Reading, part: str, container: Element, *, pages_count: bool = True) -> None:
        self._reading = reading
        self._part = part
        self._pages_count = pages_count
        self._balanced = Fields.are_balanced(container)
        self._fields = Fields()
        self._spans: list[Span] = []
        self._line = Line("")
        self._link: str | None = None
        self._deleted = 0
        self._bold = self._italic = False
        self._hidden = self._paragraph_hidden = self._code = self._paragraph_code = False
        self._symbol_font = ""
        self._handlers: dict[str, Callable[[Element], None]] = {
            W + "r": self._run,
            W + "t": self._text,
            W + "hyperlink": self._hyperlink,
            W + "del": self._deletion,
            W + "moveFrom": self._deletion,
            W + "fldSimple": self._simple_field,
            W + "fldChar": self._field_character,
            W + "instrText": lambda element: self._fields.instruct(element.text or ""),
            W + "tab": lambda _: self._emit("\t"),
            W + "ptab": lambda _: self._emit("\t"),
            W + "cr": lambda _: self._emit("\n"),
            W + "br": self._break,
            W + "lastRenderedPageBreak": self._rendered_break,
            W + "noBreakHyphen": lambda _: self._emit("-"),
            W + "sym": self._symbol,
            W + "footnoteReference": lambda element: self._note("footnote", element),
            W + "endnoteReference": lambda element: self._note("endnote", element),
            W + "commentRangeStart": lambda element: self._reading.open_comment(element.get(W + "id") or "", quoting=True),
            W + "commentRangeEnd": lambda element: self._reading.commented.discard(element.get(W + "id") or ""),
            W + "commentReference": lambda element: self._reading.open_comment(element.get(W + "id") or "", quoting=False),
            W + "ruby": self._ruby,
            W + "drawing": self._drawing,
            W + "pict": self._drawing,
            W + "object": self._drawing,
            W + "sdt": self._control,
            W + "subDoc": lambda _: self._leave_out("chunks"),
            M + "oMath": lambda element: self._emit(equation(element), plain=True),
            MC + "AlternateContent": self._alternatives,
            # No text of the document: properties, and what changes have replaced.
            **dict.fromkeys((W + "pPr", W + "rPr", W + "delText", W + "delInstrText", W + "pgNum"), lambda _: None),
        }

    def read(self, paragraph: Element, look: Look, *, emphasis: bool = True) -> Line:
        """The next paragraph, of the style `look`. Without `emphasis`, bold, italic and code inside aren't marked."""
        self._spans = []
        self._line = Line("")
        self._hidden = self._paragraph_hidden = look.hidden
        self._code = self._paragraph_code = look.code or (look.monospaced and self._reading.shows_code)
        self._children(paragraph)
        if not self._balanced:
            self._fields.reset()
        spans = self._spans
        if any(span.code for span in spans) and all(span.code or not without_signs(span.text).strip() for span in spans):
            self._line.code = "".join(span.text for span in spans)
        self._line.text = markdown_of(spans, emphasis=emphasis)
        return self._line

    def words(self) -> str:
        """The bare text of the paragraph that was read last."""
        return without_signs("".join(span.text for span in self._spans if not span.plain)).strip()

    def within(self, box: Element) -> Inline:
        """For a text box that hangs on one of the paragraphs."""
        return Inline(self._reading, self._part, box, pages_count=False)

    @property
    def in_contents(self) -> bool:
        """Whether a table of contents or an index goes on here."""
        return self._fields.in_contents > 0

    def skip_pages(self, element: Element) -> None:
        """Count the page breaks of what isn't read."""
        for found in element.iter(W + "br", W + "lastRenderedPageBreak"):
            handler = self._break if found.tag == W + "br" else self._rendered_break
            handler(found)

    def _children(self, element: Element) -> None:
        for child in element:
            handler = self._handlers.get(child.tag)
            if handler is not None:
                handler(child)
            elif len(child):
                self._children(child)

    def _leave_out(self, what: str) -> None:
        self._reading.left_out[what] += 1

    @property
    def _shown(self) -> bool:
        return not (self._deleted or self._fields.muted)

    def _emit(self, text: str, *, plain: bool = False, reading: str | None = None) -> None:
        if not text or not self._shown:
            return
        if self._hidden:
            self._leave_out("hidden")
            return
        if text.strip():
            self._reading.pages.see()
        if self._reading.commented:
            self._reading.quote(text)
        span = Span(text, self._bold, self._italic, self._code, self._link or self._fields.link, reading, plain)
        last = self._spans[-1] if self._spans else None
        same_word = last and last.reading is not None and last.link == span.link and len(last.text) < _MAX_WORD
        if last and reading is not None and last.reading is not None and same_word:
            # A word whose characters have a reading each stays one word.
            last.text += text
            last.reading += reading
        else:
            self._spans.append(span)

    def _run(self, run: Element) -> None:
        properties = run.find(W + "rPr")
        if properties is not None:
            styles = self._reading.styles
            self._bold = styles.stated(properties, "b") or False
            self._italic = styles.stated(properties, "i") or False
            hidden = styles.stated(properties, "vanish")
            self._hidden = self._paragraph_hidden if hidden is None else hidden
            code = styles.stated(properties, "rFonts") if self._reading.shows_code else None
            self._code = self._paragraph_code if code is None else code
            self._symbol_font = symbol_font(properties)
        self._children(run)
        self._bold = self._italic = False
        self._symbol_font = ""
        self._hidden, self._code = self._paragraph_hidden, self._paragraph_code

    def _text(self, element: Element) -> None:
        text = element.text or ""
        if element.get(_PRESERVED) != "preserve":
            text = text.strip(_XML_BLANKS)
        text = text.replace("\r", " ").replace("\n", " ").replace("\t", " ")
        if self._symbol_font:
            text = "".join(self._known_symbol(self._symbol_font, ord(char)) if ord(char) in SYMBOLS else char for char in text)
        self._emit(text)

    def _symbol(self, element: Element) -> None:
        code = element.get(W + "char") or ""
        if 0 < len(code) <= 4 and _HEX_DIGITS.issuperset(code):
            self._emit(self._known_symbol(element.get(W + "font") or "", int(code, 16)))

    def _known_symbol(self, font: str, code: int) -> str:
        found = symbol(font, code)
        if not found:
            self._leave_out("symbols")
        return found

    def _hyperlink(self, element: Element) -> None:
        outer = self._link
        relation = self._reading.package.relation(self._part, element.get(R + "id"))
        if relation is not None and relation.external:
            anchor = element.get(W + "anchor")
            target = followable(relation.target + (f"#{anchor}" if anchor and "#" not in relation.target else ""))
            if target is None:
                self._leave_out("links")
            self._link = target or outer
        self._children(element)
        self._link = outer

    def _deletion(self, element: Element) -> None:
        """Of deleted text only the fields and pages count, so that what follows isn't taken for a part of a field."""
        if not self._deleted:
            self._leave_out("deleted")
        self._deleted += 1
        self._children(element)
        self._deleted -= 1

    def _simple_field(self, element: Element) -> None:
        self._fields.begin()
        self._fields.instruct(element.get(W + "instr") or "")
        self._fields.separate()
        self._children(element)
        self._fields.end()

    def _field_character(self, element: Element) -> None:
        match element.get(W + "fldCharType"):
            case "begin":
                self._fields.begin(element)
            case "separate":
                self._fields.separate()
            case "end":
                self._emit(self._fields.end())

    def _break(self, element: Element) -> None:
        match element.get(W + "type"):
            case "page" if self._deleted:
                pass
            case "page" if self._pages_count:
                self._reading.pages.break_here()
                self._sign_page()
            case _:
                self._emit("\n")

    def _rendered_break(self, _element: Element) -> None:
        if self._pages_count:
            self._reading.pages.break_rendered()
            self._sign_page()

    def _sign_page(self) -> None:
        self._spans.append(
            Span(self._reading.pages.sign(), self._bold, self._italic, self._code, self._link or self._fields.link)
        )

    def _note(self, tag: str, element: Element) -> None:
        if not self._shown:
            return
        label = self._reading.notes.refer(tag, element.get(W + "id") or "", self._reading.pages.now)
        if label is None:
            self._leave_out("notes")
        else:
            self._emit(f"[^{label}]", plain=True)

    def _ruby(self, element: Element) -> None:
        reading, base = (texts_of(element.find(W + tag)) for tag in ("rt", "rubyBase"))
        self._emit(base, reading=reading)

    def _control(self, element: Element) -> None:
        """A content control."""
        properties = element.find(W + "sdtPr")
        content = element.find(W + "sdtContent")
        if content is not None and not is_prompt(properties, content):
            self._children(content)

    def _alternatives(self, element: Element) -> None:
        """The first way to say it that gives anything: the others say the same in older ways."""
        for branch in element:
            before = (len(self._spans), len(self._line.apart))
            self._children(branch)
            if before != (len(self._spans), len(self._line.apart)):
                return

    def _drawing(self, element: Element) -> None:
        if not self._shown or self._hidden:
            return
        for item in drawn(element, self._reading.package, self._part):
            if item.picture is not None:
                shown = self._reading.show(self._part, item.picture, item.alt)
                if shown:
                    self._reading.pages.see()
                if shown and item.floats:
                    self._line.apart.append((shown, self._reading.pages.now))
                else:
                    self._emit(shown, plain=True)
            elif item.box is not None:
                self._line.apart.append((item.box, self._reading.pages.now))
            else:
                self._emit(item.text)
            if item.embedded:
                self._leave_out("objects")
