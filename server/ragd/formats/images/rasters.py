"""Picture files to pixels, within limits: the header says the size before anything is decoded.

Only the decoders of the formats in `_FORMATS` are used; Pillow knows dozens more, and one of them starts another program.
"""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from ragd.core.errors import DocumentDamaged, ParseFailed, TooManyPixels, WrongType
from ragd.providers.protocols import Pixels

_FORMATS: Final = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "JPEG2000")
TOO_MANY_PIXELS: Final = "too many pixels"
DAMAGED: Final = "damaged or in no known format"
MAX_FRAMES: Final = 2000
"""Pages of one TIFF that are read."""

_MIMES: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""What every browser shows as it is; other formats are kept as PNG."""
_DRAFTS: Final = (2, 4, 8)
_DARK: Final = 0
_LIGHT: Final = 255
_LIGHT_CONTENT: Final = 200
_DARK_CONTENT: Final = 128
_FEW: Final = 0.03
"""Share of dark content beside transparency below which none of it would be missed."""
_REDUCED_COPY: Final = 1
_TURNED: Final = (5, 6, 7, 8)
# What Pillow's parsers raise for files that are not as they should be; each was seen, or stands in its source.
_BROKEN: Final = (
    OSError, SyntaxError, ValueError, TypeError, EOFError, IndexError, KeyError, AttributeError, AssertionError, OverflowError,
    ZeroDivisionError, RuntimeError, struct.error,
)  # fmt: skip


class PictureRefused(Exception):
    """A picture can't be shown or read. `reason` is of its kind ("3 pictures left out: blank"), `detail` of this one.

    `error` is what a document that is only this picture fails with.
    """

    def __init__(self, reason: str, detail: str = "", error: type[ParseFailed] = DocumentDamaged) -> None:
        super().__init__(detail or reason)
        self.reason = reason
        self.detail = detail or reason
        self.error = error


@dataclass(frozen=True, slots=True)
class Raster:
    """A picture as it is shown: upright, its first frame, in mode RGB or RGBA.

    `width` and `height` are the file's, even where it was decoded smaller. `mime` is empty when browsers don't show the format.
    """

    image: Image.Image
    format: str
    mime: str
    width: int
    height: int
    taken_at: str | None = None


def read_raster(data: bytes, max_pixels: int) -> Raster:
    """Decode the first frame. A JPEG of up to eight times `max_pixels` is decoded smaller. Raises `PictureRefused`."""
    with _guarded():
        image = _opened(data)
        width, height = _within(image, max_pixels)
        image.load()
        exif = image.getexif()
        if exif.get(ExifTags.Base.Orientation) in _TURNED:
            width, height = height, width
        taken_at = _taken_at(exif)
        return Raster(_shown(image), image.format or "", _MIMES.get(image.format or "", ""), width, height, taken_at)


def frames(data: bytes, max_pixels: int) -> Iterator[Image.Image]:
    """The pages of a TIFF as they are shown, without the small copies that scanners put beside them. Raises `PictureRefused`."""
    with _guarded():
        image = _opened(data)
        for number in range(MAX_FRAMES):
            try:
                image.seek(number)
            except EOFError:
                return
            tags: Any = getattr(image, "tag_v2", {})
            if number and int(tags.get(ExifTags.Base.NewSubfileType, 0)) & _REDUCED_COPY:
                continue
            _within(image, max_pixels)
            yield _shown(image.copy())


def on_paper(image: Image.Image) -> Pixels:
    """Pixels of an RGB or RGBA picture; what is transparent becomes white, or black where only light content borders on it.

    Boxes may be white: it is the lines between them, and their letters, that have to be seen.
    """
    if image.mode != "RGBA":
        return np.asarray(image.convert("RGB"))
    alpha = np.asarray(image.getchannel("A"))
    rim = np.asarray(image.convert("L"))[_rim(alpha > alpha.max() // 4)]
    is_light = rim.size > 0 and rim.mean() > _LIGHT_CONTENT and (rim < _DARK_CONTENT).mean() < _FEW
    paper = _DARK if is_light else _LIGHT
    flat = Image.new("RGB", image.size, (paper, paper, paper))
    flat.paste(image, mask=image.getchannel("A"))
    return np.asarray(flat)


def _rim(seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What is seen and has something beside it, above or below that is not."""
    rim = np.zeros_like(seen)
    rim[1:] |= ~seen[:-1]
    rim[:-1] |= ~seen[1:]
    rim[:, 1:] |= ~seen[:, :-1]
    rim[:, :-1] |= ~seen[:, 1:]
    return rim & seen


def _is_metafile(data: bytes) -> bool:
    """Whether these bytes are a drawing in EMF or WMF, which only Windows can draw."""
    return data[40:44] == b" EMF" or data.startswith(
        (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00\x00\x03", b"\x02\x00\x09\x00\x00\x03")
    )


@contextmanager
def _guarded() -> Generator[None]:
    with warnings.catch_warnings():
        # About damaged metadata and the like; and about sizes, which are looked at here.
        warnings.simplefilter("ignore")
        try:
            yield
        except Image.DecompressionBombError as error:
            most = 2 * (Image.MAX_IMAGE_PIXELS or 0) / 1_000_000
            raise PictureRefused(TOO_MANY_PIXELS, f"it has more than {most:.0f} million pixels", TooManyPixels) from error
        except UnidentifiedImageError as error:
            raise PictureRefused(DAMAGED, "it is in no known format of pictures", WrongType) from error
        except _BROKEN as error:
            raise PictureRefused(DAMAGED, "it is damaged or cut off") from error


def _opened(data: bytes) -> Image.Image:
    if _is_metafile(data):
        raise PictureRefused(
            "EMF or WMF drawings, which only Windows can show", "it is an EMF or WMF drawing: save it as PNG", WrongType
        )
    return Image.open(io.BytesIO(data), formats=_FORMATS)


def _within(image: Image.Image, max_pixels: int) -> tuple[int, int]:
    """Width and height, after arranging for a JPEG that has too many pixels to be decoded smaller."""
    width, height = image.size
    if width * height > max_pixels:
        scale = next((scale for scale in _DRAFTS if width * height <= max_pixels * scale * scale), None)
        if scale is None or image.format not in ("JPEG", "MPO"):
            millions = max_pixels / 1_000_000
            raise PictureRefused(
                TOO_MANY_PIXELS,
                f"it has {width} × {height} pixels, more than the {millions:g} million that are decoded",
                TooManyPixels,
            )
        image.draft(image.mode, (width // scale, height // scale))
    return width, height


def _shown(image: Image.Image) -> Image.Image:
    """Upright, in mode RGB or RGBA."""
    ImageOps.exif_transpose(image, in_place=True)
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        image = _eight_bits(image)
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        return image.convert("RGBA")
    return image if image.mode == "RGB" else image.convert("RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    """Pillow cuts samples of more than eight bits off at 255 instead of scaling them."""
    samples = np.nan_to_num(np.asarray(image).astype(np.float32))
    low, high = float(samples.min()), float(samples.max())
    if image.mode != "F" and low >= 0:
        low, high = 0.0, 65535.0 if high > 255 else 255.0
    return Image.fromarray(np.clip((samples - low) * (255 / max(high - low, 1e-9)), 0, 255).astype(np.uint8))


def _taken_at(exif: Image.Exif) -> str | None:
    """When a photograph was taken, as ISO 8601 without a time zone. Where it was taken is nobody's business here."""
    stated = exif.get_ifd(ExifTags.IFD.Exif).get(ExifTags.Base.DateTimeOriginal) or exif.get(ExifTags.Base.DateTime)
    date, _, time = str(stated or "").strip().strip("\0").partition(" ")
    digits = f"{date}{time}".replace(":", "")
    if len(digits) != 14 or not digits.isdigit() or digits.startswith("0000"):
        return None
    return f"{date.replace(':', '-')}T{time}"
