"""The process that reads files: `python -m ragd.ingest.workers.process OPTIONS`. Requests come by stdin, answers go to stdout.

What a hostile file does to a library, it does here: this process has limits, holds no token and no database, and is ended when
it takes too long. It ends by itself when the daemon is gone.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ragd.core.errors import ParseFailed, ParseOutOfMemory, RagError
from ragd.core.storage import Asset
from ragd.formats.common.links import LinkedFiles
from ragd.ingest.workers.ipc import pack_document, read_frame, require_kept, unpack_known, write_frame
from ragd.ingest.workers.text_process import TextReader
from ragd.providers.protocols import LoadContext, Loader
from ragd.providers.registry import build

if TYPE_CHECKING:
    from ragd.ingest.pictures.extraction import PictureLimits, PictureReader

# Address space beyond the memory limit: libraries reserve far more than they use. The limit itself is on what is in use, which
# the daemon watches; this one stops a single allocation that is out of all proportion.
_RESERVED = 4 * 1024**3
_REPORT_EVERY_S = 0.2
# A document's tree is many objects and hardly garbage: at Python's own thresholds, looking through them again and again is a
# quarter of the time that a long page takes. A process ends when it holds too much, whatever holds it.
_COLLECT_AFTER = (10_000, 20, 20)
_PARENT_CHECK_S = 1.0
_PARTS = {"look": "looking at the picture"}


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker reads; the same for every file. Sizes are in bytes, times in seconds."""

    memory: int
    ocr_provider: str
    ocr_threads: int
    ocr_budget_s: float
    max_pictures: int
    max_picture_size: int
    max_picture_pixels: int

    def encoded(self) -> str:
        """As one argument of a command."""
        return json.dumps(asdict(self))


class _Reader:
    """Loaders and text recognition of one process, each made when it is first needed."""

    def __init__(self, options: WorkerOptions) -> None:
        self.options = options
        self._loaders: dict[str, Loader] = {}

    def loader(self, name: str) -> Loader:
        if name not in self._loaders:
            self._loaders[name] = build("loader", name)
        return self._loaders[name]

    def pictures(self) -> PictureReader:
        """Text recognition with a fresh budget, for one document."""
        from ragd.ingest.pictures.extraction import PictureReader, shared_engine

        options = self.options
        return PictureReader(
            lambda: shared_engine(options.ocr_provider, options.ocr_threads),
            budget_s=options.ocr_budget_s,
            max_pixels=options.max_picture_pixels,
        )

    def limits(self) -> PictureLimits:
        from ragd.ingest.pictures.extraction import PictureLimits

        options = self.options
        return PictureLimits(options.max_pictures, options.max_picture_size, options.max_picture_pixels)


def _serve(reader: _Reader, requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until the other side closes."""
    texts = TextReader(requests, answers)
    while (frame := read_frame(requests)) is not None:
        request, blobs = frame
        try:
            if request["op"] == "render":
                _render(request, blobs, answers)
            elif request["op"] == "page_texts":
                _page_texts(request, blobs, answers)
            elif request["op"] == "text":
                texts.run(request, blobs)
            elif request["op"] == "look":
                _look(reader, request, blobs, answers)
            else:
                _parse(reader, request, blobs, requests, answers)
        except MemoryError:
            error = ParseOutOfMemory(f"Reading '{request['name']}' took more memory than one file may use (ingest.memory_mb).")
            _fail(answers, error)
        except RagError as error:
            _fail(answers, error)
        except Exception as error:  # noqa: BLE001 - a defect in a library costs the file, and is reported with its stack
            kind = type(error).__name__
            part = (
                texts.part
                if request["op"] == "text"
                else _PARTS.get(request["op"]) or f"the {request.get('loader', 'pdf')} loader"
            )
            failure = ParseFailed(f"'{request['name']}' could not be taken in: {part} failed ({kind}); the log has the details.")
            _fail(answers, failure, traceback.format_exc())


def _parse(reader: _Reader, request: Mapping[str, Any], blobs: Sequence[bytes], requests: IO[bytes], answers: IO[bytes]) -> None:
    last_report = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last_report
        if time.monotonic() - last_report >= _REPORT_EVERY_S:
            last_report = time.monotonic()
            write_frame(answers, {"kind": "progress", "done": done, "total": total})

    def known(asset_ids: Sequence[str]) -> Mapping[str, Asset]:
        write_frame(answers, {"kind": "known", "asset_ids": list(asset_ids)})
        frame = read_frame(requests)
        if frame is None:
            raise EOFError("the daemon went")
        return unpack_known(frame[0]["known"])

    pictures = reader.pictures()
    context = LoadContext(read_picture=pictures.read, report=report)
    if request["root"]:
        linked = LinkedFiles(Path(request["folder"]), Path(request["root"]), reader.options.max_picture_size)
        context = replace(context, linked=linked)
    document = reader.loader(request["loader"]).load(blobs[0], request["name"], context)
    require_kept(document, request["name"])
    header, packed = pack_document(document)
    write_frame(answers, {"kind": "document", **header}, packed)
    if not document.pictures:
        write_frame(answers, {"kind": "assets", "none": True})
        return
    normalize = importlib.import_module("ragd.ingest.pictures.extraction").normalize
    header, packed = normalize(document, pictures, known, reader.limits()).packed()
    write_frame(answers, {"kind": "assets", **header}, packed)


def _render(request: Mapping[str, Any], blobs: Sequence[bytes], answers: IO[bytes]) -> None:
    from ragd.ingest.pictures.page_images import render_page

    highlights = [(left, top, right, bottom) for left, top, right, bottom in request["highlights"]]
    write_frame(answers, {"kind": "image"}, [render_page(blobs[0], request["page"], request["width"], highlights)])


def _page_texts(request: Mapping[str, Any], blobs: Sequence[bytes], answers: IO[bytes]) -> None:
    from ragd.ingest.pictures.page_texts import read_page_texts

    pages = read_page_texts(blobs[0], request["first"], request["count"])
    # As bytes: the daemon keeps them, and reads only the page that is asked for.
    write_frame(answers, {"kind": "page_texts"}, [json.dumps(lines, ensure_ascii=False).encode() for lines in pages])


def _look(reader: _Reader, request: Mapping[str, Any], blobs: Sequence[bytes], answers: IO[bytes]) -> None:
    from ragd.ingest.pictures.looking import look
    from ragd.ingest.workers.looks import LookTask

    found = look(LookTask.unpacked(request, blobs), reader.pictures(), reader.options.max_picture_pixels)
    header, packed = found.packed()
    write_frame(answers, header, packed)


def _fail(answers: IO[bytes], error: RagError, details: str = "") -> None:
    write_frame(answers, {"kind": "failed", "code": error.code, "message": error.message, "details": details})


def _end_with_parent() -> None:
    """Leave when the process that started this one is gone, even in the middle of a file."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK_S)
        os._exit(1)

    threading.Thread(target=watch, name="rag-parent", daemon=True).start()


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the daemon watches the memory there alone
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = memory + _RESERVED
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _main() -> None:
    options = WorkerOptions(**json.loads(sys.argv[1]))
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _end_with_parent()
    _limit(options.memory)
    gc.set_threshold(*_COLLECT_AFTER)
    _serve(_Reader(options), sys.stdin.buffer, answers)


if __name__ == "__main__":
    _main()
