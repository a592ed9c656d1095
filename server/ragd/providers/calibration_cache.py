"""The calibration of one embedder: made when it is first needed, kept as a small file."""

from __future__ import annotations

import io
import logging
import threading
import zipfile
from dataclasses import astuple
from pathlib import Path

import numpy as np

from ragd.core.files import write_whole
from ragd.core.ids import hash32
from ragd.language.detection import PASSAGE_LANGUAGES
from ragd.providers.calibration.measure import METHOD, Calibration, Logistic, TokenCalibration, calibrate, texts_json
from ragd.providers.protocols import Embedder, Vectors

log = logging.getLogger(__name__)


class CalibrationCache:
    """Makes the calibration of `embedder` and keeps it in `folder`; `weight` as in `calibrate`. Thread-safe."""

    def __init__(self, embedder: Embedder, folder: Path, weight: float) -> None:
        self.weight = weight
        self.identity = hash32(METHOD, embedder.model_id, embedder.revision, repr(weight), texts_json())[:16]
        """Names the calibration: model, weight, texts and method."""
        self._embedder = embedder
        self._path = folder / f"calibration-{self.identity}.npz"
        self._lock = threading.Lock()
        self._found: Calibration | None = None

    def get(self) -> Calibration:
        """Takes a second or two the first time. Raises what the embedder raises; then the next call tries again."""
        with self._lock:
            if self._found is None:
                self._found = _read_calibration(self._path, self._embedder.dimension)
            if self._found is None:
                self._found = calibrate(self._embedder, self.weight)
                try:
                    _write_calibration(self._path, self._found)
                except OSError as error:
                    log.warning("calibration not kept", extra={"path": str(self._path), "reason": str(error)})
            return self._found


def _write_calibration(path: Path, calibration: Calibration) -> None:
    """Write the file whole or not at all. Raises `OSError`."""
    arrays = {
        "queries": calibration.queries,
        "passages": calibration.passages,
        "related": np.array([astuple(calibration.related)]),
    }
    if tokens := calibration.tokens:
        arrays |= {
            "token_queries": tokens.queries,
            "token_passages": tokens.passages,
            "token_basis": tokens.basis,
            "token_related": np.array([astuple(tokens.related), astuple(tokens.related_compact)]),
        }
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, packed.getvalue())


def _read_calibration(path: Path, dimension: int) -> Calibration | None:
    """What the file holds; None when it is absent, damaged, or not of vectors of this dimension."""
    try:
        # From memory: numpy leaves a file open in which it finds no archive.
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return _calibration(arrays, dimension)
    except FileNotFoundError:
        return None
    # What numpy and zipfile raise for bytes that are no such file.
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        log.warning("calibration made anew", extra={"path": str(path), "reason": str(error)})
        return None


def _calibration(arrays: dict[str, Vectors], dimension: int) -> Calibration:
    means = (len(PASSAGE_LANGUAGES), dimension)
    tokens = None
    if "token_queries" in arrays:
        basis = arrays["token_basis"]
        whole, compact = _checked(arrays["token_related"], (2, 2))
        tokens = TokenCalibration(
            _checked(arrays["token_queries"], means),
            _checked(arrays["token_passages"], means),
            _checked(basis, (dimension, basis.shape[-1])),
            _logistic(whole),
            _logistic(compact),
        )
    related = _logistic(_checked(arrays["related"], (1, 2))[0])
    return Calibration(_checked(arrays["queries"], means), _checked(arrays["passages"], means), related, tokens)


def _checked(array: Vectors, shape: tuple[int, ...]) -> Vectors:
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"an array of {array.shape} in place of {shape} finite numbers")
    return array


def _logistic(numbers: Vectors) -> Logistic:
    return Logistic(float(numbers[0]), float(numbers[1]))
