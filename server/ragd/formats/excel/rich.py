"""Pictures that are placed in cells (Excel 365): the cell holds an error for programs that don't know them, and a number `vm`.

The number leads through the value metadata to a rich value, that to a relation, and that to the picture (MS-XLSX 2.3.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from ragd.core.documents import Picture
from ragd.formats.common.opc import Element
from ragd.formats.common.pictures import picture
from ragd.formats.excel.package import Package, relation_id

T = TypeVar("T")

_TYPE: Final = "XLRICHVALUE"
_IMAGE: Final = "_rvRel:LocalImageIdentifier"
_ALT: Final = "Text"


def cell_pictures(package: Package) -> Mapping[str, Picture]:
    """The pictures by the number that cells have for them, without their places."""
    roots = {kind: _root(package, kind) for kind in ("sheetMetadata", "rdRichValue", "rdRichValueStructure")}
    listed = next(package.related(package.workbook_part, "richValueRel"), None)
    metadata, values, structures = roots.values()
    if listed is None or metadata is None or values is None or structures is None:
        return {}
    relations = package.relations(listed)
    targets = [relations.get(relation_id(element)) for element in package.tree(listed)]
    shapes = [[key.get("n", "") for key in structure] for structure in structures]
    rich = [dict(zip(_at(shapes, value.get("s")) or [], (item.text or "" for item in value), strict=False)) for value in values]
    found: dict[str, Picture] = {}
    for number, index in _rich_indexes(metadata).items():
        fields = _at(rich, index) or {}
        target = _at(targets, fields.get(_IMAGE))
        if target and target.part and (data := package.read(target.part)):
            found[number] = picture(data, fields.get(_ALT, ""))
    return found


def _rich_indexes(metadata: Element) -> dict[str, str]:
    """From the numbers in cells, which count from 1, to those of rich values."""
    types = [kind.get("name") for kind in metadata.iterfind("{*}metadataTypes/{*}metadataType")]
    wanted = str(types.index(_TYPE) + 1) if _TYPE in types else ""
    blocks = next((block for block in metadata.iterfind("{*}futureMetadata") if block.get("name") == _TYPE), ())
    references = [next((item.get("i", "") for item in block.iter("{*}rvb")), "") for block in blocks]
    found = {}
    for number, block in enumerate(metadata.iterfind("{*}valueMetadata/{*}bk"), 1):
        record = next((item for item in block if item.get("t") == wanted), None)
        if record is not None and (index := _at(references, record.get("v"))):
            found[str(number)] = index
    return found


def _root(package: Package, kind: str) -> Element | None:
    part = next(package.related(package.workbook_part, kind), None)
    return None if part is None else package.tree(part)


def _at(items: Sequence[T], index: str | None) -> T | None:
    return items[int(index)] if index and index.isdecimal() and len(index) < 8 and int(index) < len(items) else None
