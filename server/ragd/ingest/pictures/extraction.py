"""Pictures of a document become assets: each once, with a thumbnail and the text in it; what says nothing is left out.

This runs in the process that reads files. One picture that is damaged, too large or in an unknown format costs itself only, and
is counted in a warning.
"""

from __future__ import annotations

import hashlib
import io
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from PIL import Image

from ragd.core.documents import READ_IN_CONTENT, Document, Picture, PictureText, PlacedDiagram
from ragd.core.errors import RagError
from ragd.core.storage import Asset, PictureLink
from ragd.diagrams.model import Diagram
from ragd.diagrams.structure.pictures import read_picture
from ragd.formats.common.diagrams import FoundDiagram, placed_diagrams
from ragd.formats.common.pictures import REFERENCE, link_of
from ragd.formats.images.drawings import is_drawing, read_drawing
from ragd.formats.images.rasters import PictureRefused, Raster, on_paper, read_raster
from ragd.formats.registry import shape_of
from ragd.ingest.workers.ipc import KnownAssets, Normalized
from ragd.providers.protocols import OcrEngine, Pixels
from ragd.providers.registry import build
from ragd.vision.likeness import phash_of

THUMBNAIL_SIDE: Final = 320
"""Pixels of the longer side of a thumbnail."""
_MIN_READ_SIDE: Final = 8
"""Pixels below which no letter can be read."""

_THUMBNAIL_QUALITY: Final = 80
_NOT_READ: Final = "none"
_WHOLE_PAGE: Final = (0.0, 0.0, 1.0, 1.0)

log = logging.getLogger(__name__)

_MIN_SIDE: Final = 32
"""Pixels of the shorter side: below are bullets, spacers and rules. A line of text that can be read is not much lower."""
_MIN_AREA: Final = 64 * 64
"""Pixels in all: below are icons, which are drawn at 16 to 48 pixels. A formula of one line has more, being wide."""
_MAX_ASPECT: Final = 20.0
"""Longer side over shorter side: above are rules and edges."""
_MIN_EDGES: Final = 32
"""Places where neighbouring pixels differ; fewer is a plain area or a gradient. One small letter has about 30."""
_EDGE: Final = 10
"""Levels of grey between such neighbours. Gradients have up to 4; text so faint that it can just be read has 15."""
_MIN_ALPHA: Final = 8
"""A picture that is nowhere less transparent than this can't be seen."""
_REPEATED: Final = 0.6
"""Share of the pages or slides that show the same picture, from which it is a logo or a background."""
_MIN_PAGES: Final = 4
"""Pages from which such a share means anything."""
_BAND: Final = 256


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """Of one document: how many pictures are kept, and of one picture: bytes and pixels."""

    count: int
    size: int
    pixels: int


@cache
def shared_engine(provider: str, threads: int) -> OcrEngine:
    """The text recognition of this process. Raises a `RagError` when it can't be had; then it is tried again next time."""
    engine: OcrEngine = build("ocr", provider, threads=threads)
    return engine


class PictureReader:
    """Text recognition for one document, within its budget of seconds. The engine is made when there is something to read."""

    def __init__(self, engine: Callable[[], OcrEngine], *, budget_s: float, max_pixels: int) -> None:
        self._make_engine = engine
        self._engine: OcrEngine | None = None
        self._unavailable: str | None = None
        self._budget_s = budget_s
        self._used_s = 0.0
        self._max_pixels = max_pixels
        self._read: dict[bytes, PictureText] = {}

    @property
    def profile(self) -> str:
        """What reads pictures here, and in which version; `none` when nothing does."""
        engine = self._available()
        return engine.profile if engine else _NOT_READ

    def read(self, pixels: Pixels) -> PictureText:
        """The text of a picture `[height, width, 3]`. Never raises; the same picture is read once.

        The budget is looked at before a picture, so that the last one may exceed it.
        """
        height, width = pixels.shape[:2]
        if min(height, width) < _MIN_READ_SIDE:
            return PictureText(skipped="too small to be read")
        if height * width > self._max_pixels:
            return PictureText(skipped="too large to be read")
        engine = self._available()
        if engine is None:
            return PictureText(skipped=self._unavailable)
        key = _key(pixels)
        if key not in self._read:
            if self._used_s >= self._budget_s:
                return PictureText(skipped=f"the {self._budget_s:g} seconds of text recognition for one document are used up")
            self._read[key] = self._recognize(engine, pixels)
        return self._read[key]

    def known(self, pixels: Pixels) -> PictureText | None:
        """What was read in a picture already; None when it was not."""
        return self._read.get(_key(pixels)) if self._read else None

    def _recognize(self, engine: OcrEngine, pixels: Pixels) -> PictureText:
        start = time.monotonic()
        try:
            return PictureText(tuple(engine.recognize(pixels)))
        except RagError as error:
            self._unavailable = error.message
            return PictureText(skipped=error.message)
        except Exception as error:  # by the engine's contract, it means that the picture can't be read
            log.warning("text recognition failed", extra={"engine": engine.name}, exc_info=error)
            return PictureText(skipped=f"text recognition failed ({type(error).__name__})")
        finally:
            self._used_s += time.monotonic() - start

    def _available(self) -> OcrEngine | None:
        if self._engine is None and self._unavailable is None:
            try:
                self._engine = self._make_engine()
            except RagError as error:
                self._unavailable = error.message
        return None if self._unavailable else self._engine


def normalize(document: Document, reader: PictureReader, known: KnownAssets, limits: PictureLimits) -> Normalized:
    """The pictures of a document that are kept, where each stands, and what of the content stands for those that are not.

    `known` says which assets are kept already, read as `reader` reads; they come back without bytes. One whose text could not
    be read then is read again. Where the content is the source itself, none of their characters is left out.
    """
    assets: dict[str, Asset] = {}
    left_out: dict[str, str] = {}
    shown = _repeated(document)
    kept_already = known(list(dict.fromkeys(picture.asset_id for picture in document.pictures)))
    for picture in document.pictures:
        asset_id = picture.asset_id
        if asset_id in assets or asset_id in left_out:
            continue
        try:
            if _is_read_already(document, picture):
                assets[asset_id] = _asset(picture, None, limits, reader.known)
            else:
                assets[asset_id] = _kept(picture, shown, len(assets), kept_already.get(asset_id), reader, limits)
        except PictureRefused as refused:
            left_out[asset_id] = refused.reason
    unread = [asset.ocr_skipped for asset in assets.values() if asset.ocr_skipped]
    metadata: dict[str, Any] = {"ocr_skipped": True} if unread else {}
    if left_out:
        metadata["pictures_left_out"] = len(left_out)
    return Normalized(
        ranges=() if document.verbatim else _references(document, left_out),
        assets=tuple(assets.values()),
        links=tuple(
            PictureLink(picture.link, picture.asset_id, picture.alt, picture.place)
            for picture in document.pictures
            if picture.asset_id in assets
        ),
        warnings=tuple(
            [f"{_pictures(count)} left out: {reason}" for reason, count in Counter(left_out.values()).items()]
            + [f"the text of {_pictures(count)} was not read: {reason}" for reason, count in Counter(unread).items()]
        ),
        metadata=metadata,
        diagrams=_diagrams(document, left_out),
    )


def _kept(
    picture: Picture, shown: set[str], kept: int, known: Asset | None, reader: PictureReader, limits: PictureLimits
) -> Asset:
    """The asset of a picture. Raises `PictureRefused` with the reason why it is left out."""
    if picture.asset_id in shown:
        raise PictureRefused("on most of the pages (a logo or background)")
    if kept >= limits.count:
        raise PictureRefused(f"beyond the first {limits.count} of a document")
    if len(picture.data) > limits.size:
        raise PictureRefused(f"more than {limits.size / 2**20:g} MiB")
    if known and (not known.ocr_skipped or known.ocr_profile == _NOT_READ):
        return known
    return _asset(picture, reader, limits)


def _is_read_already(document: Document, picture: Picture) -> bool:
    """Whether the content holds already what was read in a picture: it is the document, or a page of it that was scanned."""
    scanned = picture.place.bbox == _WHOLE_PAGE and picture.place.page in document.metadata.get("ocr_pages", ())
    return scanned or shape_of(document.doc_type) == "picture"


def _asset(
    picture: Picture,
    reader: PictureReader | None,
    limits: PictureLimits,
    known: Callable[[Pixels], PictureText | None] = lambda _pixels: None,
) -> Asset:
    """A picture as it is kept. Without a `reader` it is not read; then `known` gives what was read in it already."""
    read: PictureText | None = None if reader else PictureText()
    if is_drawing(picture.data):
        drawing = read_drawing(picture.data, limits.pixels)
        found = Raster(drawing.image, "SVG", "", drawing.width, drawing.height)
        if drawing.text:
            read = PictureText()
        text = drawing.text if reader else ""
    else:
        found = read_raster(picture.data, limits.pixels)
        text = ""
    pixels = on_paper(found.image)
    # What somebody took in by itself is kept, whatever it shows.
    if reader and (reason := _says_nothing(found.image, pixels, found.width, found.height)):
        raise PictureRefused(reason)
    if read is None:
        assert reader
        read = reader.read(pixels)
        text = read.text
    before = read if reader else known(pixels)
    return Asset(
        asset_id=picture.asset_id,
        mime=found.mime or "image/png",
        width=found.width,
        height=found.height,
        text=text,
        ocr_skipped=read.skipped,
        ocr_profile=reader.profile if reader else READ_IN_CONTENT,
        data=picture.data if found.mime else _as_png(found.image),
        thumbnail=_thumbnail(found.image),
        words=before.lines if before and before.lines else None,
        phash=phash_of(pixels),
    )


def _as_png(image: Image.Image) -> bytes:
    """The picture as a PNG file."""
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


def _thumbnail(image: Image.Image) -> bytes:
    """A WebP of at most `THUMBNAIL_SIDE` pixels."""
    scale = min(1.0, THUMBNAIL_SIDE / max(image.size))
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    small = image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0) if scale < 1 else image
    target = io.BytesIO()
    small.save(target, "WEBP", quality=_THUMBNAIL_QUALITY)
    return target.getvalue()


def _references(document: Document, left_out: Mapping[str, str]) -> tuple[tuple[int, int], ...]:
    """Where the content refers to pictures that were left out, and to none that is kept by the same link."""
    by_link: dict[str, set[str]] = defaultdict(set)
    for picture in document.pictures:
        by_link[picture.link].add(picture.asset_id)
    gone = {link for link, asset_ids in by_link.items() if all(asset_id in left_out for asset_id in asset_ids)}
    if not gone:
        return ()
    return tuple(found.span() for found in REFERENCE.finditer(document.markdown) if link_of(found) in gone)


def _diagrams(document: Document, left_out: Mapping[str, str]) -> tuple[PlacedDiagram, ...]:
    """Diagrams that picture files hold beside their pixels, each where the content refers to the picture."""
    drawn: dict[str, list[Diagram]] = {}
    for picture in document.pictures:
        if picture.asset_id not in left_out and picture.link not in drawn:
            drawn[picture.link] = read_picture(picture.data)
    if not any(drawn.values()):
        return ()
    references = REFERENCE.finditer(document.markdown)
    placed: list[FoundDiagram] = [(*found.span(), diagram) for found in references for diagram in drawn.get(link_of(found), ())]
    return placed_diagrams(placed, document.language)


def _key(pixels: Pixels) -> bytes:
    digest = hashlib.sha256(repr(pixels.shape).encode())
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.digest()


def _pictures(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"


def _says_nothing(image: Image.Image, pixels: Pixels, width: int, height: int) -> str | None:
    """Why a picture is no content; None when it may be.

    `image` is RGB or RGBA, `pixels` `[height, width, 3]` the same on paper, `width` and `height` its size as it is shown.
    """
    if min(width, height) < _MIN_SIDE or width * height < _MIN_AREA:
        return "too small to show anything"
    if max(width, height) > _MAX_ASPECT * min(width, height):
        return "mere lines"
    if image.mode == "RGBA" and np.asarray(image.getchannel("A")).max() <= _MIN_ALPHA:
        return "transparent all over"
    if not _enough_edges(pixels):
        return "blank"
    return None


def _repeated(document: Document) -> set[str]:
    """Asset ids of pictures that stand on most pages or slides."""
    pages: dict[str, set[int]] = defaultdict(set)
    for picture in document.pictures:
        number = picture.place.page or picture.place.slide
        if number:
            pages[picture.asset_id].add(number)
    last = max(_numbers(document), default=0)
    if last < _MIN_PAGES:
        return set()
    return {asset_id for asset_id, shown in pages.items() if len(shown) >= _REPEATED * last}


def _numbers(document: Document) -> Iterable[int]:
    for place in [mark.place for mark in document.marks] + [picture.place for picture in document.pictures]:
        yield place.page or place.slide or 0


def _enough_edges(pixels: Pixels) -> bool:
    """Whether enough pixels differ from the one to their right or below. Looks at bands of rows until it is so."""
    found = 0
    for top in range(0, pixels.shape[0], _BAND):
        gray = pixels[top : top + _BAND + 1].mean(axis=2, dtype=np.float32)
        for axis in (0, 1):
            found += int(np.count_nonzero(np.abs(np.diff(gray, axis=axis)) > _EDGE))
        if found >= _MIN_EDGES:
            return True
    return False
