"""Text recognition by RapidOCR: the PP-OCRv6 models that its package carries, on onnxruntime. Nothing is downloaded.

RapidOCR fetches a model that it does not find, so it gets the paths of the files, and a missing file is reported here first.
"""

from __future__ import annotations

import threading
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from ragd.core.documents import OcrLine
from ragd.core.errors import ModelUnavailable, SettingsError
from ragd.providers.ocr.reading_order import in_reading_order
from ragd.providers.protocols import Pixels

MODELS: Final = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")
"""Detection and recognition."""
_TEXT_SCORE: Final = 0.6
"""Lines that the model is less sure of are left out; what it makes of letters that stand on their head has 0.3 to 0.7."""
_DOUBTFUL: Final = 0.8
"""Mean score below which a picture is read again upside down. Poor pictures have 0.85 and more, letters on their head 0.7."""
BATCH: Final = 1
"""Lines recognised at once. Six, RapidOCR's default, are no faster on a CPU and take 400 MB more."""
_RULES: Final = "1"
"""Version of what is done around the models: picture_prep, reading_order and the numbers here."""

_AS_LARGE_AS_IT_IS: Final = 100_000


class RapidOcrEngine:
    """Printed English, Japanese and Chinese; `threads` are those of onnxruntime. One picture is read at a time."""

    name = "rapidocr"

    def __init__(self, threads: int) -> None:
        """Raises `SettingsError` when a package is missing, `ModelUnavailable` when a model file is."""
        folder = _models_folder()
        if folder is None:
            raise SettingsError("The packages for text recognition are missing. Run: rag extras add ocr")
        if missing := _missing(folder):
            raise ModelUnavailable(
                f"Files of the package rapidocr are missing: {', '.join(missing)}. Install it again: "
                "pip install --force-reinstall --no-deps rapidocr"
            )
        self.profile = self.installed_profile()
        self._prep = import_module("ragd.providers.ocr.preparation")
        self._engine = _engine(folder, threads)
        self._lock = threading.Lock()

    @classmethod
    def installed_profile(cls) -> str:
        """The profile that an engine made here has, without making one; `none` when none can be made."""
        folder = _models_folder()
        if folder is None or _missing(folder):
            return "none"
        models = "+".join(name.removesuffix(".onnx") for name in MODELS)
        return f"rapidocr-{version('rapidocr')}+{models}+score{_TEXT_SCORE}+rules{_RULES}"

    def recognize(self, pixels: Pixels) -> list[OcrLine]:
        prepared = self._prep.prepare(pixels, self._prep.plan(pixels))
        lines = self._read(prepared)
        if lines and _mean_score(lines) < _DOUBTFUL:
            # Upside down, or lying on a side: the lines are found all the same, and their letters make no sense.
            turned = self._read(prepared[::-1, ::-1])
            if _weight(turned) > _weight(lines):
                lines = [OcrLine(line.text, line.score, _turned(line.box)) for line in turned]
        return _sure(lines)

    def recognize_as_it_is(self, pixels: Pixels) -> list[OcrLine]:
        """As `recognize`, without preparing the picture and without a second look at it."""
        return _sure(self._read(pixels))

    def _read(self, pixels: Pixels) -> list[OcrLine]:
        height, width = pixels.shape[:2]
        found: list[OcrLine] = []
        for left, top, right, bottom in self._prep.tiles(pixels):
            # The models know pictures as OpenCV has them: blue, green, red.
            with self._lock:
                result = self._engine(self._prep.with_margin(pixels[top:bottom, left:right, ::-1]))
            if result.boxes is None:
                continue
            for corners, read, score in zip(result.boxes, result.txts, result.scores, strict=True):
                if text := read.strip():
                    found.append(OcrLine(text, float(score), _box(corners - self._prep.MARGIN, left, top, width, height)))
        return in_reading_order(found, width, height)


def _models_folder() -> Path | None:
    """Where the package keeps its models, without importing it; None when it or OpenCV is not installed."""
    spec = find_spec("rapidocr")
    if spec is None or spec.origin is None or find_spec("cv2") is None:
        return None
    return Path(spec.origin).parent / "models"


def _missing(folder: Path) -> list[str]:
    return [name for name in MODELS if not (folder / name).is_file()]


def _engine(folder: Path, threads: int) -> Any:
    rapidocr = import_module("rapidocr")
    detection, recognition = (str(folder / name) for name in MODELS)
    return rapidocr.RapidOCR(
        params={
            # It writes to stderr with a handler of its own; what goes wrong is raised as well.
            "Global.log_level": "critical",
            "Global.text_score": 0.0,
            # Left to itself it enlarges a picture until the shorter side has 736 pixels, which took 21 GB for one of 1 x 900.
            # With a margin instead, single words are read much better, and ten times as fast.
            "Global.max_side_len": _AS_LARGE_AS_IT_IS,
            "Global.min_side_len": 1,
            "Global.use_vertical_padding": False,
            "Det.limit_type": "max",
            "Det.limit_side_len": _AS_LARGE_AS_IT_IS,
            # Telling lines upside down one by one is wrong for one line of English in eight; see `_DOUBTFUL`.
            "Global.use_cls": False,
            "Det.model_path": detection,
            "Rec.model_path": recognition,
            "Rec.rec_batch_num": BATCH,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _box(corners: Any, left: int, top: int, width: int, height: int) -> tuple[float, float, float, float]:
    """Corners `[4, 2]` in pixels of a tile to a rectangle in fractions of the picture."""
    (low_x, low_y), (high_x, high_y) = corners.min(axis=0), corners.max(axis=0)

    def fraction(value: float, whole: int) -> float:
        return round(min(1.0, max(0.0, value / whole)), 5)

    return (
        fraction(left + float(low_x), width),
        fraction(top + float(low_y), height),
        fraction(left + float(high_x), width),
        fraction(top + float(high_y), height),
    )


def _turned(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """The box in the picture turned by half."""
    left, top, right, bottom = box
    return (round(1 - right, 5), round(1 - bottom, 5), round(1 - left, 5), round(1 - top, 5))


def _sure(lines: list[OcrLine]) -> list[OcrLine]:
    return [line for line in lines if line.score >= _TEXT_SCORE]


def _mean_score(lines: list[OcrLine]) -> float:
    return _weight(lines) / sum(len(line.text) for line in lines)


def _weight(lines: list[OcrLine]) -> float:
    return sum(line.score * len(line.text) for line in lines)
