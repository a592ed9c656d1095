"""The token codes of one namespace in two files: codes, appended and mapped into memory, and a log of where each entry's are.

The log is the commit: a record of it (entry id, place, number and CRC-32 of the codes, CRC-32 of the record) is written after its
codes are durable. What the log ends within, and codes behind the last record, were never acknowledged and are cut off at opening;
anything else that doesn't add up is damage. Both files carry a generation in their names: compaction writes the next one beside
them and is done when its log has its name, since Windows lets nobody replace a file that is mapped.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragd.core.errors import IndexDamaged
from ragd.core.files import put_in_place, sync
from ragd.providers.token_index.codec import CODE_BYTES
from ragd.providers.token_protocols import TokenCodes

_MAGIC: Final = b"RAGTOK01"
_LONGEST_ID: Final = 32
_RECORD: Final = struct.Struct("<32sQIII")  # id, first code, number of codes, CRC-32 of the codes, CRC-32 of all before
_DELETED: Final = 0xFFFFFFFF
_CHECKSUM_BYTES: Final = 4
# A place in memory, from its lowest bit on: number of codes, checksum, first code.
_COUNT_BITS: Final = 20
_COUNT_MASK: Final = (1 << _COUNT_BITS) - 1
_CHECKSUM_MASK: Final = (1 << 32) - 1
_FIRST_AT: Final = _COUNT_BITS + 32
_COPIED: Final = 4096
_COMPACT_FLOOR: Final = 500_000
"""Dead codes (of 32 bytes) that are never worth a compaction."""
_MOST_RESIDENT: Final = 1024
"""Entries read before the pages of the map are let go. Each takes up to 64 kB of memory, as Linux maps what lies around a page,
too: a few questions would have the whole file there. It stays in the system's cache; to map it again takes .4 ms a question."""


class _Place(NamedTuple):
    """Where the codes of an entry are: number of the first, how many, their CRC-32."""

    first: int
    length: int
    checksum: int

    @classmethod
    def of(cls, packed: int) -> _Place:
        return cls(packed >> _FIRST_AT, packed & _COUNT_MASK, packed >> _COUNT_BITS & _CHECKSUM_MASK)

    @property
    def packed(self) -> int:
        """One number: a table of 100,000 tuples would take three times the memory."""
        return self.first << _FIRST_AT | self.checksum << _COUNT_BITS | self.length


class TokenFile:
    """Entries and their codes. Writers must take turns; readers need no lock."""

    def __init__(self, stem: Path) -> None:
        """Open the files `stem.N.log` and `stem.N.codes`, or begin them. Raises `IndexDamaged` when they can't be trusted."""
        self._stem = stem
        self._view: tuple[TokenCodes, dict[str, int]]
        stem.parent.mkdir(parents=True, exist_ok=True)
        generations = _generations(stem)
        self._generation = max(generations, default=0)
        if not generations:
            # The log last: it makes the two valid.
            _write_whole(self._path("codes"), _head(CODE_BYTES))
            _write_whole(self._path("log"), _head(_RECORD.size))
            sync(stem.parent)
        places, self._end = self._read_log()
        self._live = sum(_Place.of(packed).length for packed in places.values())
        self._remove_others()
        self._read = 0
        self._open(places)

    def ids(self) -> set[str]:
        return set(self._view[1])

    def upsert(self, entries: Mapping[str, TokenCodes]) -> None:
        """Write the entries that are not there as they are given."""
        _, places = self._view
        fresh, found, at = [], {}, self._end
        for entry_id, codes in entries.items():
            data = codes.tobytes()
            old, new = places.get(entry_id), _Place(at, len(codes), zlib.crc32(data))
            if old is None or _Place.of(old)[1:] != new[1:]:
                fresh.append(data)
                found[entry_id] = new
                at += new.length
        if not found:
            return
        _append(self._codes, self._end * CODE_BYTES, b"".join(fresh))
        _append(self._log, self._log.seek(0, os.SEEK_END), b"".join(_record(*entry) for entry in found.items()))
        self._end = at
        self._view = self._mapped(), places
        for entry_id, place in found.items():
            old = places.get(entry_id)
            places[entry_id] = place.packed
            self._live += place.length - (0 if old is None else _Place.of(old).length)
        self._compact_if_worth_it()

    def delete(self, ids: Sequence[str]) -> None:
        _, places = self._view
        known = [entry_id for entry_id in dict.fromkeys(ids) if entry_id in places]
        if not known:
            return
        records = b"".join(_record(entry_id, _Place(0, _DELETED, 0)) for entry_id in known)
        _append(self._log, self._log.seek(0, os.SEEK_END), records)
        self._live -= sum(_Place.of(places.pop(entry_id)).length for entry_id in known)
        self._compact_if_worth_it()

    def codes_of(self, ids: Sequence[str]) -> tuple[TokenCodes, NDArray[np.intp]]:
        """The codes of these entries, one after the other, and how many each has; -1 for an unknown one."""
        codes, places = self._view
        packed = [places.get(entry_id, -1) for entry_id in ids]
        firsts = np.array([place >> _FIRST_AT for place in packed], np.intp)
        lengths = np.array([place & _COUNT_MASK for place in packed], np.intp)
        # One that was written since the view was taken is beyond its map, and as good as unknown.
        known = (firsts >= 0) & (firsts + lengths <= len(codes))
        counts = np.where(known, lengths, -1)
        firsts, lengths = firsts[known], lengths[known]
        # All rows at once, each entry's one after the other: begun anew for each, this would take longer than to read them.
        rows = np.repeat(firsts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
        found = np.take(codes, rows, axis=0)
        self._read += len(lengths)
        if self._read >= _MOST_RESIDENT:
            self._read = 0
            self._let_go()
        return found, counts

    def _let_go(self) -> None:
        """Take the map's pages out of this process's memory; readers get them back as they touch them."""
        if sys.platform != "win32":
            self._map.madvise(mmap.MADV_DONTNEED)

    def damaged(self) -> list[str]:
        """Entries whose codes are not those that were written."""
        codes, places = self._view
        found = []
        for entry_id, packed in list(places.items()):
            place = _Place.of(packed)
            data = codes[place.first : place.first + place.length]
            # One that was written since lies beyond this map.
            if len(data) == place.length and zlib.crc32(data.tobytes()) != place.checksum:
                found.append(entry_id)
        return found

    def close(self) -> None:
        self._log.close()
        self._codes.close()
        self._view = np.empty((0, CODE_BYTES), np.uint8), {}

    def remove(self) -> None:
        """Close and remove the files. The log goes first: codes without one are nobody's, and the next opening removes them."""
        self.close()
        for generation in _generations(self._stem):
            self._path("log", generation).unlink(missing_ok=True)
        sync(self._stem.parent)
        self._remove_codes()

    def _path(self, suffix: str, generation: int | None = None) -> Path:
        generation = self._generation if generation is None else generation
        return self._stem.with_name(f"{self._stem.name}.{generation}.{suffix}")

    def _open(self, places: dict[str, int]) -> None:
        self._log: IO[bytes] = self._path("log").open("r+b", buffering=0)
        self._codes: IO[bytes] = self._path("codes").open("r+b", buffering=0)
        self._codes.truncate(self._end * CODE_BYTES)
        self._view = self._mapped(), places

    def _mapped(self) -> TokenCodes:
        self._map = mmap.mmap(self._codes.fileno(), self._end * CODE_BYTES, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, np.uint8).reshape(-1, CODE_BYTES)

    def _read_log(self) -> tuple[dict[str, int], int]:
        """The table of the log, and where the codes end, in codes."""
        log, codes = self._path("log"), self._path("codes")
        data = log.read_bytes()
        if data[: _RECORD.size] != _head(_RECORD.size):
            raise self._damage(log, "it does not begin as a log of token vectors")
        whole = len(data) - len(data) % _RECORD.size
        places: dict[str, int] = {}
        end = 1
        for at in range(_RECORD.size, whole, _RECORD.size):
            entry_id, first, count, checksum, own = _RECORD.unpack_from(data, at)
            if zlib.crc32(data[at : at + _RECORD.size - _CHECKSUM_BYTES]) != own:
                raise self._damage(log, f"the record at byte {at} has a false checksum")
            name = entry_id.rstrip(b"\0").decode()
            if count == _DELETED:
                places.pop(name, None)
            else:
                places[name] = _Place(first, count, checksum).packed
                end = max(end, first + count)
        try:
            with codes.open("rb") as file:
                head = file.read(CODE_BYTES)
        except FileNotFoundError:
            raise self._damage(codes, "it is missing") from None
        if head != _head(CODE_BYTES):
            raise self._damage(codes, "it does not begin as a file of token vectors")
        if codes.stat().st_size < end * CODE_BYTES:
            raise self._damage(codes, "it is cut off")
        if whole < len(data):
            os.truncate(log, whole)
        return places, end

    def _damage(self, path: Path, reason: str) -> IndexDamaged:
        return IndexDamaged(f"The file of token vectors {path.name} is damaged: {reason}. Rebuild the index with 'rag reindex'.")

    def _compact_if_worth_it(self) -> None:
        if self._end - self._live <= self._live + _COMPACT_FLOOR:
            return
        self._generation += 1
        _, old = self._view
        records, places, at, ids = [], {}, 1, list(old)
        with self._path("codes").open("wb") as file:
            file.write(_head(CODE_BYTES))
            for start in range(0, len(ids), _COPIED):
                batch = ids[start : start + _COPIED]
                codes, counts = self.codes_of(batch)
                file.write(codes.tobytes())
                for entry_id, count in zip(batch, counts.tolist(), strict=True):
                    place = _Place(at, count, _Place.of(old[entry_id]).checksum)
                    records.append(_record(entry_id, place))
                    places[entry_id] = place.packed
                    at += count
            file.flush()
            os.fsync(file.fileno())
        staged = self._path("new")
        _write_whole(staged, _head(_RECORD.size) + b"".join(records))
        put_in_place(staged, self._path("log"))
        sync(self._stem.parent)
        self._log.close()
        self._codes.close()
        self._end = at
        self._open(places)
        self._remove_others()

    def _remove_others(self) -> None:
        """Remove the files of other generations, as far as nobody has them mapped."""
        for generation in _generations(self._stem):
            if generation != self._generation:
                self._path("log", generation).unlink(missing_ok=True)
        self._remove_codes(keep=self._path("codes"))

    def _remove_codes(self, keep: Path | None = None) -> None:
        for path in [*self._stem.parent.glob(f"{self._stem.name}.*.codes"), *self._stem.parent.glob(f"{self._stem.name}.*.new")]:
            if path != keep:
                with suppress(PermissionError):  # a reader of another thread has it mapped still
                    path.unlink(missing_ok=True)


def _generations(stem: Path) -> list[int]:
    numbers = (path.name.removeprefix(f"{stem.name}.").removesuffix(".log") for path in stem.parent.glob(f"{stem.name}.*.log"))
    return [int(number) for number in numbers if number.isdecimal()]


def _head(size: int) -> bytes:
    return _MAGIC.ljust(size, b"\0")


def _write_whole(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _record(entry_id: str, place: _Place) -> bytes:
    name = entry_id.encode()
    if len(name) > _LONGEST_ID:
        raise ValueError(f"an entry id of more than {_LONGEST_ID} bytes: {entry_id}")
    body = _RECORD.pack(name, *place, 0)[:-_CHECKSUM_BYTES]
    return body + zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little")


def _append(file: IO[bytes], at: int, data: bytes) -> None:
    """Write behind the end and make it durable; a full disk must not leave half of it in front of the next one."""
    try:
        file.seek(at)
        written = file.write(data)
        if written != len(data):
            raise OSError(f"only {written} of {len(data)} bytes could be written")
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):  # a mapped file can't be cut on Windows; what is behind the end counts for nothing
            file.truncate(at)
        raise
