"""Links, mentions, pictures and emoticons of the storage format."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from ragd.formats.common.opc import Element
from ragd.formats.confluence.storage import ElementWriter, StorageWriter
from ragd.formats.confluence.xml import all_text, attribute, child, name_of

_LINK_BODIES: Final = ("ac:link-body", "ac:plain-text-link-body")


def _write_link(writer: StorageWriter, link: Element) -> None:
    """`<ac:link>`: the text that is shown, and what it leads to where the text doesn't say so."""
    body = child(link, *_LINK_BODIES)
    html = writer.captured(lambda: writer.children(body)).strip() if body is not None else ""
    shown = writer.plain(lambda: writer.raw(html))
    target = next((node for node in link if name_of(node).startswith("ri:")), None)
    anchor = attribute(link, "anchor")
    if target is not None and name_of(target) == "ri:attachment":
        _write_file_link(writer, target, html)
        return
    says = writer.page.target_text(target)
    if anchor and says:
        says = f"{says} # {anchor}"
    if not html:
        writer.text(says or anchor)
    elif not says or says == shown or (target is not None and attribute(target, "content-title") == shown):
        writer.raw(html)
    else:
        writer.raw(html)
        writer.text(f" ({says})")


def _write_file_link(writer: StorageWriter, file: Element, html: str) -> None:
    name = attribute(file, "filename")
    page = child(file, "ri:page", "ri:blog-post")
    url = "" if page is not None or writer.included else writer.page.file_url(name)
    if url:
        with writer.inside("a", href=url):
            writer.raw(html or _escaped(writer, name))
    elif html:
        writer.raw(html)
    else:
        writer.text(name)
    beside = [] if not html or writer.plain(lambda: writer.raw(html)) == name else [name]
    if page is not None:
        beside.append(writer.page.target_text(page))
    if beside:
        writer.text(f" ({', '.join(beside)})")


def _escaped(writer: StorageWriter, text: str) -> str:
    return writer.captured(lambda: writer.text(text))


def _write_anchor(writer: StorageWriter, link: Element) -> None:
    """`<a>`; one without text, as smart links may be, shows its address."""
    href = writer.page.address(attribute(link, "href"))
    html = writer.captured(lambda: writer.children(link))
    if not html.strip():
        html = _escaped(writer, attribute(link, "href").strip())
    with writer.inside("a", href=href):
        writer.raw(html)


def _write_image(writer: StorageWriter, image: Element) -> None:
    """`<ac:image>`, with its caption below it."""
    caption = child(image, "ac:caption")
    captions = writer.captured(lambda: writer.children(caption)) if caption is not None else ""
    target = child(image, "ri:attachment", "ri:url")
    name = attribute(target, "filename" if name_of(target) == "ri:attachment" else "value") if target is not None else ""
    alt = attribute(image, "alt") or attribute(image, "title")
    page = child(target, "ri:page", "ri:blog-post") if target is not None else None
    if target is not None and name_of(target) == "ri:url":
        source = writer.page.address(name)
    else:
        source = "" if page is not None or writer.included else writer.page.picture(name) or writer.page.file_url(name)
        alt = alt or (writer.plain(lambda: writer.raw(captions)) or name)
    where = f" of {writer.page.target_text(page)}" if page is not None else ""
    if captions.strip():
        with writer.inside("figure"):
            _write_picture(writer, source, alt, f"{name}{where}")
            with writer.inside("figcaption"):
                writer.raw(captions)
    else:
        _write_picture(writer, source, alt, f"{name}{where}")


def _write_picture(writer: StorageWriter, source: str, alt: str, name: str) -> None:
    if source:
        writer.raw(_image(source, alt))
    elif name or alt:
        writer.badge(f"picture: {f'{alt}, {name}' if alt and name and alt not in name else name or alt}")


def write_picture_named(writer: StorageWriter, name: str, alt: str) -> bool:
    """An attachment of the page as a picture of its own, if its bytes are there."""
    source = "" if writer.included else writer.page.picture(name)
    if source:
        writer.raw(f"<p>{_image(source, alt)}</p>")
    return bool(source)


def _write_html_image(writer: StorageWriter, image: Element) -> None:
    source = attribute(image, "src").strip()
    alt = attribute(image, "alt")
    if writer.page.address(source):
        writer.raw(_image(writer.page.address(source), alt))
    else:
        writer.text(alt)


def _image(source: str, alt: str) -> str:
    return f'<img src="{escape(source)}" alt="{escape(" ".join(alt.split()))}">'


def _emoticon(element: Element) -> str:
    """The character that it stands for, else its name: `(tick)`."""
    fallback = attribute(element, "emoji-fallback")
    if fallback and not fallback.isascii():
        return fallback
    short = attribute(element, "emoji-shortname").strip(":") or fallback.strip(":") or attribute(element, "name")
    return f"({short})" if short else all_text(element)


ELEMENTS: Final[Mapping[str, ElementWriter]] = {
    "ac:link": _write_link,
    "ac:image": _write_image,
    "ac:emoticon": lambda writer, element: writer.text(_emoticon(element)),
    "a": _write_anchor,
    "img": _write_html_image,
}
