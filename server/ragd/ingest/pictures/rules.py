"""Which pictures of a document say nothing: lines, spacers, icons, blank areas, and what stands on nearly every page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np
from PIL import Image

from ragd.core.documents import Document
from ragd.providers.protocols import Pixels

MIN_SIDE: Final = 32
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
MIN_PAGES: Final = 4
"""Pages from which such a share means anything."""

_BAND: Final = 256


def says_nothing(image: Image.Image, pixels: Pixels, width: int, height: int) -> str | None:
    """Why a picture is no content; None when it may be.

    `image` is RGB or RGBA, `pixels` `[height, width, 3]` the same on paper, `width` and `height` its size as it is shown.
    """
    if min(width, height) < MIN_SIDE or width * height < _MIN_AREA:
        return "too small to show anything"
    if max(width, height) > _MAX_ASPECT * min(width, height):
        return "mere lines"
    if image.mode == "RGBA" and np.asarray(image.getchannel("A")).max() <= _MIN_ALPHA:
        return "transparent all over"
    if not _enough_edges(pixels):
        return "blank"
    return None


def repeated(document: Document) -> set[str]:
    """Asset ids of pictures that stand on most pages or slides."""
    pages: dict[str, set[int]] = defaultdict(set)
    for picture in document.pictures:
        number = picture.place.page or picture.place.slide
        if number:
            pages[picture.asset_id].add(number)
    last = max(_numbers(document), default=0)
    if last < MIN_PAGES:
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
