"""What passes between the daemon and the processes that read files: frames of JSON and bytes.

Never pickle: what a hostile document made of its reader must not be able to run code here. A frame is two lengths (4 and 8
bytes, big-endian), a JSON object, and one run of bytes, which the object's `blobs` cut into pieces.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import IO, Any, Final

from ragd.core.documents import Document, Place, PlacedDiagram
from ragd.core.errors import TooComplex
from ragd.core.storage import Asset, PictureLink, pack_words, unpack_words
from ragd.store.places import decode_document, encode_places, pack_diagrams, unpack_diagrams

_LENGTHS: Final = struct.Struct(">IQ")
_MAX_HEADER: Final = 64 * 1024 * 1024
_ROWS: Final = 10_000
"""Places in one piece of JSON: the daemon's interpreter is held while one is read."""
_MOST_HEADINGS: Final = 200_000
_MOST_MARKS: Final = 1_500_000
"""Of one document; a table may have one mark for each row of Excel's largest sheet."""
_BYTES: Final = ("data", "thumbnail")

KnownAssets = Callable[[Sequence[str]], Mapping[str, Asset]]
"""Gives those of these assets that are kept already, without their bytes."""


@dataclass(frozen=True, slots=True)
class Normalized:
    """What became of a document's pictures.

    `ranges` of the content stand for pictures that were left out. `assets` holds each kept picture once, `links` where each
    stands; `diagrams` are those that picture files hold as such.
    """

    ranges: tuple[tuple[int, int], ...] = ()
    assets: tuple[Asset, ...] = ()
    links: tuple[PictureLink, ...] = ()
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, Any] | None = None
    diagrams: tuple[PlacedDiagram, ...] = ()

    def packed(self) -> tuple[dict[str, Any], list[bytes]]:
        """As a frame's header and blobs: for each asset its data and its thumbnail."""
        header = {
            "ranges": self.ranges,
            "assets": list(pack_known(self.assets).values()),
            "links": [[link.link, link.asset_id, link.alt, link.place.as_dict()] for link in self.links],
            "warnings": self.warnings,
            "metadata": self.metadata or {},
            "diagrams": pack_diagrams(self.diagrams),
        }
        return header, [blob for asset in self.assets for blob in (asset.data, asset.thumbnail)]

    @staticmethod
    def unpacked(header: Mapping[str, Any], blobs: Sequence[bytes]) -> Normalized:
        """The inverse of `packed`."""
        return Normalized(
            ranges=tuple((start, end) for start, end in header["ranges"]),
            assets=tuple(
                replace(_unpack_asset(values), data=blobs[2 * index], thumbnail=blobs[2 * index + 1])
                for index, values in enumerate(header["assets"])
            ),
            links=tuple(PictureLink(link, asset, alt, Place.from_dict(place)) for link, asset, alt, place in header["links"]),
            warnings=tuple(header["warnings"]),
            metadata=header["metadata"],
            diagrams=unpack_diagrams(header["diagrams"]),
        )


def write_frame(stream: IO[bytes], header: Mapping[str, Any], blobs: Sequence[bytes] = ()) -> None:
    """Send one frame. Raises `OSError` when the other side is gone, `TooComplex` when it would not read so much."""
    encoded = json.dumps({**header, "blobs": [len(blob) for blob in blobs]}).encode()
    if len(encoded) > _MAX_HEADER:
        raise TooComplex(f"What is to be kept of the file beside its text takes {len(encoded) >> 20:,} MB. Split the file.")
    stream.write(_LENGTHS.pack(len(encoded), sum(map(len, blobs))))
    stream.write(encoded)
    for blob in blobs:
        stream.write(blob)
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[dict[str, Any], list[bytes]] | None:
    """The next frame; None when the other side has closed. Raises `EOFError` for half a frame, `ValueError` for nonsense."""
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        return None
    if len(lengths) < _LENGTHS.size:
        raise EOFError("half a frame")
    header_size, total = _LENGTHS.unpack(lengths)
    if header_size > _MAX_HEADER:
        raise ValueError("a frame's header is too long")
    header: dict[str, Any] = json.loads(_exactly(stream, header_size))
    sizes: list[int] = header.pop("blobs")
    if sum(sizes) != total:
        raise ValueError("a frame's parts do not add up")
    return header, [_exactly(stream, size) for size in sizes]


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("half a frame")
    return data


def require_kept(document: Document, name: str) -> None:
    """Raises `TooComplex` for a document, of the file `name`, of more headings or places than are kept."""
    for what, count, most in (("headings", document.headings, _MOST_HEADINGS), ("places", document.marks, _MOST_MARKS)):
        if len(count) > most:
            raise TooComplex(f"'{name}' has {len(count):,} {what}; at most {most:,} are kept. Split the file.")


def pack_document(document: Document) -> tuple[dict[str, Any], list[bytes]]:
    """A document without its pictures, as a frame's header and blobs: its text, and its places piece by piece."""
    names = ("doc_type", "title", "loader", "loader_version", "parser", "language", "metadata", "warnings")
    header = {name: getattr(document, name) for name in names}
    # Half of a surrogate pair can be neither sent nor stored.
    blobs = [document.markdown.encode("utf-8", "replace")]
    places = encode_places(document)
    pieces: dict[str, int] = {}
    for name in [name for name, value in places.items() if isinstance(value, list)]:
        rows = places.pop(name)
        found = [json.dumps(rows[start : start + _ROWS]).encode() for start in range(0, len(rows), _ROWS)]
        pieces[name] = len(found)
        blobs += found
    return header | {"places": places, "pieces": pieces}, blobs


def unpack_document(header: Mapping[str, Any], blobs: Sequence[bytes]) -> Document:
    """The inverse of `pack_document`."""
    unread = iter(blobs)
    text = next(unread).decode()
    pieces: Mapping[str, int] = header["pieces"]
    lists = {name: [row for piece in islice(unread, count) for row in json.loads(piece)] for name, count in pieces.items()}
    return decode_document({**header, "places": header["places"] | lists, "markdown": text})


def pack_known(assets: Iterable[Asset]) -> dict[str, Any]:
    """Assets that are kept already, without their bytes."""
    return {asset.asset_id: _pack_asset(asset) for asset in assets}


def _pack_asset(asset: Asset) -> dict[str, Any]:
    values = {name: value for name, value in asdict(asset).items() if name not in _BYTES}
    return values | {"words": pack_words(asset.words)}


def _unpack_asset(values: Mapping[str, Any]) -> Asset:
    return Asset(**{**values, "words": unpack_words(values["words"])})


def unpack_known(header: Mapping[str, Any]) -> dict[str, Asset]:
    """The inverse of `pack_known`."""
    return {asset_id: _unpack_asset(values) for asset_id, values in header.items()}
