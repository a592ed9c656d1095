"""Makes OLE compound files (MS-CFB) of storages and streams."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeAlias

Tree: TypeAlias = Mapping[str, "bytes | Tree"]
_SECTOR, _SMALL_SECTOR, _SMALL = 512, 64, 4096
_NONE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


class _Sectors:
    def __init__(self, size: int) -> None:
        self.size = size
        self.data = b""
        self.chains: list[int] = []

    def write(self, data: bytes) -> int:
        """Append a chain of sectors; where it begins."""
        first, count = len(self.chains), -(-len(data) // self.size)
        self.data += data.ljust(count * self.size, b"\0")
        self.chains += [*range(first + 1, first + count), _END] if count else []
        return first if count else _END


def compound_file(tree: Tree) -> bytes:
    """A file of these streams (bytes) and storages (mappings), by name."""
    sectors, small = _Sectors(_SECTOR), _Sectors(_SMALL_SECTOR)
    entries: list[tuple[str, int, int, int]] = []  # name, type, first sector, size
    links: list[list[int]] = [[_NONE, _NONE]]  # next and child of each, the root's first

    def add(parent: int, children: Tree) -> None:
        before: int | None = None
        for name, content in children.items():
            links.append([_NONE, _NONE])
            number = len(links) - 1
            if isinstance(content, bytes):
                first = (small if len(content) < _SMALL else sectors).write(content)
                entries.append((name, 2, first, len(content)))
            else:
                entries.append((name, 1, 0, 0))
            links[parent if before is None else before][1 if before is None else 0] = number
            before = number
            if not isinstance(content, bytes):
                add(number, content)

    add(0, tree)
    entries.insert(0, ("Root Entry", 5, sectors.write(small.data), len(small.data)))
    small_table = struct.pack(f"<{len(small.chains)}I", *small.chains)
    first_small = sectors.write(small_table + b"\xff" * (-len(small_table) % _SECTOR))
    directory = b"".join(_entry(*entry, *link) for entry, link in zip(entries, links, strict=True))
    first_entry = sectors.write(directory + b"\0" * (-len(directory) % _SECTOR))
    count = 1
    while (len(sectors.chains) + count) * 4 > count * _SECTOR:
        count += 1
    first_table = len(sectors.chains)
    table = struct.pack(f"<{first_table + count}I", *sectors.chains, *[_FAT] * count)
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
        0, count, first_entry, 0, _SMALL, first_small, -(-len(small_table) // _SECTOR), _END, 0,
    )  # fmt: skip
    places = struct.pack("<109I", *[*range(first_table, first_table + count), *[_NONE] * 109][:109])
    return header + places + sectors.data + table.ljust(count * _SECTOR, b"\xff")


def _entry(name: str, kind: int, first: int, size: int, after: int, child: int) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    head = struct.pack("<64sHBBIII", encoded, len(encoded), kind, 1, _NONE, after, child)
    return head + struct.pack("<36xIQ", first, size)
