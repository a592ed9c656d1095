"""Text recognition: the real engine on small pictures, what is done around it, and what is said when it can't be had."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ragd.core.documents import OcrLine
from ragd.core.errors import ModelUnavailable, RagError, SettingsError
from ragd.providers.ocr import rapidocr as ocr_rapidocr
from ragd.providers.ocr.preparation import MAX_PIXELS, TILE, line_height, plan, prepare, tiles
from ragd.providers.ocr.rapidocr import RapidOcrEngine
from ragd.providers.ocr.reading_order import in_reading_order
from ragd.providers.protocols import OcrEngine, Pixels
from ragd.providers.registry import build
from ragd.testing.ocr import LINES, OcrEngineContract, picture_of

pytestmark = pytest.mark.slow

DATA = Path(__file__).resolve().parents[2] / "data" / "image"
ENGLISH = (
    "Kestrel keeps every job until its lease ends or it is acknowledged.\n"
    "Set lease_timeout: 45s in kestrel.yaml, then restart the node (v3.2.1).\n"
    "Error E1045: the shard leader could not be reached at 10.20.0.14:7400.\n"
    "A tenant may hold 2,500 queued jobs; further ones get HTTP 429."
)
JAPANESE = (
    "ケストレルはリース期限が切れるまでジョブを保持します。\n"
    "設定ファイル kestrel.yaml の lease_timeout を45秒に変更します。\n"
    "エラーE1045：シャードのリーダーに接続できませんでした。\n"
    "テナントごとの上限は2,500件で、超過分は拒否されます。"
)


@pytest.fixture(scope="module")
def rapidocr() -> RapidOcrEngine:
    engine: RapidOcrEngine = build("ocr", "rapidocr", threads=2)
    return engine


def pixels_of(name: str) -> Pixels:
    return np.asarray(Image.open(DATA / name).convert("RGB"))


def text_of(lines: list[OcrLine]) -> str:
    return "\n".join(line.text for line in lines)


def plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split(" "))


def specked(pixels: Pixels, share: float) -> Pixels:
    made = pixels.copy()
    chance = np.random.default_rng(1).random(pixels.shape[:2])
    made[chance < share / 2], made[chance > 1 - share / 2] = 0, 255
    return made


class TestRapidOcr(OcrEngineContract):
    @pytest.fixture
    def engine(self, rapidocr: RapidOcrEngine) -> OcrEngine:
        return rapidocr

    def test_english_is_read(self, rapidocr: RapidOcrEngine) -> None:
        assert plain(text_of(rapidocr.recognize(pixels_of("english.png")))) == plain(ENGLISH)

    def test_japanese_is_read(self, rapidocr: RapidOcrEngine) -> None:
        assert plain(text_of(rapidocr.recognize(pixels_of("japanese.png")))) == plain(JAPANESE)

    def test_dark_mode_in_both_languages_is_read(self, rapidocr: RapidOcrEngine) -> None:
        read = plain(text_of(rapidocr.recognize(pixels_of("dark.png"))))
        assert read == plain(
            'Open Settings > Queues > Retention and choose "30 days".\n「設定」→「キュー」→「保存期間」を開き、30日を選択します。'
        )

    def test_rows_of_a_table_are_read_one_after_the_other(self, rapidocr: RapidOcrEngine) -> None:
        read = [line.text for line in rapidocr.recognize(pixels_of("table.png"))]
        assert read == ["Queue", "Limit", "Owner", "invoices", "2,500", "Larsen", "メール送信", "800", "運用チーム"]

    def test_letters_that_are_hardly_darker_than_the_paper_are_read(self, rapidocr: RapidOcrEngine) -> None:
        read = plain(text_of(rapidocr.recognize(pixels_of("faint.png"))))
        assert read == plain(
            "The audit log lists who paused, drained or deleted a queue.\nエラーE1045:シャードのリーダーに接続できませんでした。"
        )

    def test_specks_do_not_hide_the_text(self, rapidocr: RapidOcrEngine) -> None:
        read = plain(text_of(rapidocr.recognize(specked(pixels_of("english.png"), 0.03))))
        assert "leaseendsoritisacknowledged" in read
        assert "shardleadercouldnotbereached" in read

    @pytest.mark.parametrize("quarters", [1, 2, 3])
    def test_a_page_that_was_turned_is_read_and_its_lines_are_placed(self, rapidocr: RapidOcrEngine, quarters: int) -> None:
        lines = rapidocr.recognize(np.ascontiguousarray(np.rot90(pixels_of("japanese.png"), quarters)))
        assert plain(text_of(lines)) == plain(JAPANESE)
        first, last = lines[0].box, lines[-1].box
        if quarters == 2:
            assert first[1] > last[1]
        else:
            assert (first[0] < last[0]) == (quarters == 1)

    def test_a_long_page_is_read_in_parts_without_a_line_lost_or_doubled(self, rapidocr: RapidOcrEngine) -> None:
        lines = tuple(f"lease {number} of shard {number}" for number in range(34))
        pixels = picture_of(lines)
        assert pixels.shape[0] > TILE
        assert [line.text for line in rapidocr.recognize(pixels)] == list(lines)

    def test_nothing_is_printed(self) -> None:
        program = (
            "import numpy\n"
            "from ragd.providers.registry import build\n"
            "build('ocr', 'rapidocr', threads=1).recognize(numpy.full((60, 200, 3), 255, numpy.uint8))\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=600, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")


def test_the_profile_is_known_without_an_engine(rapidocr: RapidOcrEngine) -> None:
    assert RapidOcrEngine.installed_profile() == rapidocr.profile
    assert "PP-OCRv6" in rapidocr.profile
    program = (
        "import sys\n"
        "from ragd.providers.ocr.rapidocr import RapidOcrEngine\n"
        "RapidOcrEngine.installed_profile()\n"
        "print({'rapidocr', 'cv2', 'onnxruntime'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout == "set()\n"


def test_a_missing_package_is_told_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_rapidocr, "find_spec", lambda name: None if name == "cv2" else find_spec(name))
    with pytest.raises(SettingsError, match=r"rag extras add ocr"):
        build("ocr", "rapidocr", threads=1)
    assert RapidOcrEngine.installed_profile() == "none"


def test_a_missing_model_is_told_and_never_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ocr_rapidocr, "_models_folder", lambda: tmp_path)
    with pytest.raises(ModelUnavailable, match="PP-OCRv6_det_small"):
        build("ocr", "rapidocr", threads=1)
    assert RapidOcrEngine.installed_profile() == "none"


def test_no_ocr_refuses_every_picture_and_says_why() -> None:
    engine = build("ocr", "none", threads=1)
    assert engine.profile == engine.installed_profile() == "none"
    with pytest.raises(RagError, match="switched off"):
        engine.recognize(picture_of(LINES))


class TestPreparation:
    def test_a_clear_picture_is_left_as_it_is(self) -> None:
        for name in ("english.png", "japanese.png", "dark.png", "table.png"):
            steps = plan(pixels_of(name))
            assert (steps.despeckle, steps.contrast, steps.scale, steps.reasons) == (False, None, 1.0, ())
            assert np.array_equal(prepare(pixels_of(name), steps), pixels_of(name))

    def test_a_faint_picture_is_stretched_to_black_and_white(self) -> None:
        steps = plan(pixels_of("faint.png"))
        assert steps.contrast == (240, 255)
        assert steps.reasons == ("only 15 levels of grey",)
        made = prepare(pixels_of("faint.png"), steps)
        assert (made.min(), made.max()) == (0, 255)

    def test_specks_are_taken_out_and_letters_stay(self) -> None:
        clean = pixels_of("japanese.png")
        noisy = specked(clean, 0.05)
        steps = plan(noisy)
        assert steps.despeckle
        made = prepare(noisy, steps)
        paper, letters = clean > 250, clean < 80
        assert np.mean(made[paper] < 128) < 0.1 * np.mean(noisy[paper] < 128)
        assert np.mean(made[letters] < 128) > 0.85

    def test_noise_of_a_camera_is_not_taken_for_specks(self) -> None:
        clean = pixels_of("english.png").astype(float)
        noisy = np.clip(clean + np.random.default_rng(1).normal(0, 40, clean.shape), 0, 255).astype(np.uint8)
        assert not plan(noisy).despeckle

    @pytest.mark.parametrize(("size", "made"), [(7, 12), (16, 16), (60, 24)])
    def test_tiny_letters_are_enlarged_and_large_ones_made_smaller(self, size: int, made: int) -> None:
        pixels = picture_of(LINES, size=size)
        found = line_height(prepare(pixels, plan(pixels))[:, :, 0])
        assert found is not None
        assert found == pytest.approx(made, abs=5)

    def test_a_picture_of_very_many_pixels_is_made_smaller(self) -> None:
        made = prepare(pixels := np.zeros((6000, 5000, 3), np.uint8), plan(pixels))
        assert 0.98 * MAX_PIXELS < made.shape[0] * made.shape[1] <= 1.01 * MAX_PIXELS

    def test_parts_cover_the_picture_once_and_cut_between_lines(self) -> None:
        pixels = picture_of(tuple(f"line {number}" for number in range(90)))
        parts = tiles(pixels)
        assert len(parts) > 2
        seen = np.zeros(pixels.shape[:2], int)
        for left, top, right, bottom in parts:
            assert max(right - left, bottom - top) <= TILE
            seen[top:bottom, left:right] += 1
            assert pixels[bottom - 1, left:right].min() == 255
        assert (seen == 1).all()

    def test_a_plain_area_needs_nothing(self) -> None:
        assert plan(np.full((50, 50, 3), 7, np.uint8)).reasons == ()


def at(text: str, left: float, top: float, width: float, height: float = 20) -> OcrLine:
    return OcrLine(text, 1.0, (left / 1000, top / 1000, (left + width) / 1000, (top + height) / 1000))


def ordered(lines: list[OcrLine]) -> list[str]:
    """The texts in reading order, whatever order they come in."""
    read = in_reading_order(lines, 1000, 1000)
    assert in_reading_order(lines[::-1], 1000, 1000) == read
    return [line.text for line in read]


class TestReadingOrder:
    COLUMNS = [at(f"left {row}", 50, 100 + 30 * row, 380 + row) for row in range(5)] + [
        at(f"right {row}", 520, 102 + 30 * row, 400) for row in range(5)
    ]
    LEFT, RIGHT = [f"left {row}" for row in range(5)], [f"right {row}" for row in range(5)]

    def test_lines_go_from_top_to_bottom_and_a_row_from_left_to_right(self) -> None:
        assert ordered([at("c", 50, 200, 300), at("b", 400, 104, 100), at("a", 50, 100, 300)]) == ["a", "b", "c"]

    def test_columns_of_running_text_are_read_one_after_the_other(self) -> None:
        assert ordered(self.COLUMNS) == self.LEFT + self.RIGHT

    def test_a_heading_over_both_columns_comes_first(self) -> None:
        assert ordered([at("heading", 200, 40, 600), *self.COLUMNS]) == ["heading", *self.LEFT, *self.RIGHT]

    def test_columns_with_ragged_edges_are_parted_where_no_line_crosses(self) -> None:
        left = [at(f"left {row}", 50, 100 + 30 * row, 300 + 60 * (row % 2)) for row in range(5)]
        assert ordered([at("heading", 200, 40, 600), *left, *self.COLUMNS[5:]]) == ["heading", *self.LEFT, *self.RIGHT]

    def test_three_columns_are_read_one_after_the_other(self) -> None:
        lines = [at(f"{column}{row}", 20 + 330 * column, 100 + 30 * row, 290) for column in range(3) for row in range(4)]
        assert ordered(lines) == [f"{column}{row}" for column in range(3) for row in range(4)]

    def test_rows_of_a_table_stay_rows(self) -> None:
        cells = [
            at(f"{row}{column}", 50 + 300 * column, 100 + 40 * row, 60 + 50 * (row % 3))
            for row in range(6)
            for column in range(3)
        ]
        assert ordered(cells) == [f"{row}{column}" for row in range(6) for column in range(3)]

    def test_a_table_below_columns_does_not_hide_them(self) -> None:
        cells = [at(f"{row}{column}", 50 + 300 * column, 500 + 40 * row, 60) for row in range(4) for column in range(3)]
        assert ordered([*self.COLUMNS, *cells]) == self.LEFT + self.RIGHT + [
            f"{row}{column}" for row in range(4) for column in range(3)
        ]

    def test_vertical_text_goes_from_the_right_to_the_left(self) -> None:
        assert ordered([at("三行目", 100, 50, 30, 400), at("一行目", 300, 50, 30, 400), at("二行目", 200, 50, 30, 300)]) == [
            "一行目",
            "二行目",
            "三行目",
        ]

    def test_no_lines_are_no_lines(self) -> None:
        assert in_reading_order([], 10, 10) == []
