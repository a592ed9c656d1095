"""The token index in files: its contract, and what its files go through."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ragd.core.errors import IndexDamaged, ModelDamaged
from ragd.providers.calibration.measure import unit
from ragd.providers.registry import build
from ragd.providers.token_index import token_file
from ragd.providers.token_index.basis import DIMENSIONS, TokenBasis, learn, read_basis
from ragd.providers.token_index.codec import encode, max_sim, merged
from ragd.providers.token_index.file import FileTokenIndex
from ragd.providers.token_index.token_file import TokenFile
from ragd.providers.token_protocols import TokenIndex
from ragd.testing import KB, TokenIndexContract, unit_vectors
from ragd.testing.token_index import token_codes


class TestFileTokenIndex(TokenIndexContract):
    @pytest.fixture
    def open_store(self) -> Callable[[Path], TokenIndex]:
        return lambda folder: build("token_index", "file", folder=folder)


# Files


@pytest.fixture
def stem(tmp_path: Path) -> Path:
    return tmp_path / "tokens" / KB


def file_of(stem: Path, suffix: str) -> Path:
    (path,) = stem.parent.glob(f"*.{suffix}")
    return path


def written(stem: Path) -> TokenFile:
    file = TokenFile(stem)
    for number in range(3):
        file.upsert({f"{number}": token_codes(4, seed=number)})
    return file


def test_what_questions_have_read_does_not_stay_in_memory(stem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_file, "_MOST_RESIDENT", 20)
    file = TokenFile(stem)
    file.upsert({f"{number}": token_codes(200, seed=number) for number in range(20)})
    ids = [f"{number}" for number in range(19)]
    first, counts = file.codes_of(ids)
    assert resident(file_of(stem, "codes")) != 0
    file.codes_of(["19"])
    # Other systems do not say what a map has in memory.
    assert resident(file_of(stem, "codes")) in (0, None)
    again, _ = file.codes_of(ids)
    assert counts.tolist() == [200] * 19
    assert (again == first).all()
    file.close()


def resident(path: Path) -> int | None:
    """kB of a mapped file that are in this process's memory; None where the system does not say."""
    maps = Path("/proc/self/smaps")
    if not maps.is_file():
        return None
    lines = iter(maps.read_text("utf-8").splitlines())
    total = 0
    for line in lines:
        if line.endswith(str(path)):
            total += next(int(own.split()[1]) for own in lines if own.startswith("Rss:"))
    return total


@pytest.mark.parametrize("cut", [1, 51])
def test_a_record_that_was_cut_off_was_never_there_and_the_next_one_is_found(stem: Path, cut: int) -> None:
    written(stem).close()
    log = file_of(stem, "log")
    log.write_bytes(log.read_bytes()[:-cut])
    file = TokenFile(stem)
    assert file.ids() == {"0", "1"}
    file.upsert({"2": token_codes(5)})
    file.close()
    again = TokenFile(stem)
    assert again.ids() == {"0", "1", "2"}
    assert np.array_equal(again.codes_of(["2"])[0], token_codes(5))
    again.close()


def test_codes_without_a_record_are_cut_off_at_the_next_opening(stem: Path) -> None:
    written(stem).close()
    codes = file_of(stem, "codes")
    size = codes.stat().st_size
    with codes.open("ab") as tail:
        tail.write(bytes(70))
    file = TokenFile(stem)
    assert codes.stat().st_size == size
    file.upsert({"3": token_codes(2, seed=3)})
    assert np.array_equal(file.codes_of(["3"])[0], token_codes(2, seed=3))
    assert file.damaged() == []
    file.close()


def test_a_flipped_bit_of_a_code_is_found_and_named(stem: Path) -> None:
    written(stem).close()
    codes = file_of(stem, "codes")
    data = bytearray(codes.read_bytes())
    data[32 * (1 + 4) + 7] ^= 1
    codes.write_bytes(data)
    index = FileTokenIndex(stem.parent)
    assert index.damaged(KB) == ["1"]
    index.close()


def test_a_flipped_bit_of_the_log_is_damage(stem: Path) -> None:
    written(stem).close()
    log = file_of(stem, "log")
    data = bytearray(log.read_bytes())
    data[60] ^= 1
    log.write_bytes(data)
    with pytest.raises(IndexDamaged, match="false checksum"):
        TokenFile(stem)


@pytest.mark.parametrize("lost", ["codes", "cut"])
def test_codes_that_the_log_names_and_are_not_there_are_damage(stem: Path, lost: str) -> None:
    written(stem).close()
    codes = file_of(stem, "codes")
    if lost == "codes":
        codes.unlink()
    else:
        codes.write_bytes(codes.read_bytes()[:-32])
    with pytest.raises(IndexDamaged):
        TokenFile(stem)


def test_what_is_mostly_dead_is_written_anew_while_readers_go_on(stem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_file, "_COMPACT_FLOOR", 10)
    file = TokenFile(stem)
    file.upsert({f"{number}": token_codes(4, seed=number) for number in range(20)})
    before = file_of(stem, "codes").stat().st_size
    held = file._view
    file.delete([f"{number}" for number in range(15)])
    assert file_of(stem, "codes").stat().st_size < before / 2
    assert len(held[0]) == 81, "a reader keeps the map that it has"
    file.upsert({"new": token_codes(3, seed=99)})
    file.close()
    again = TokenFile(stem)
    assert again.ids() == {"15", "16", "17", "18", "19", "new"}
    assert np.array_equal(again.codes_of(["17", "new"])[0], np.concatenate([token_codes(4, seed=17), token_codes(3, seed=99)]))
    assert again.damaged() == []
    again.close()


def test_a_compaction_that_was_killed_before_its_log_had_its_name_never_was(stem: Path) -> None:
    written(stem).close()
    stem.with_name(f"{KB}.1.codes").write_bytes(b"half of it")
    stem.with_name(f"{KB}.1.new").write_bytes(b"half of it")
    file = TokenFile(stem)
    assert file.ids() == {"0", "1", "2"}
    assert len(list(stem.parent.iterdir())) == 2
    file.close()


WRITER = """
import sys
from ragd.providers.token_index import token_file
from ragd.testing.token_index import token_codes
token_file._COMPACT_FLOOR = 40
file = token_file.TokenFile(token_file.Path(sys.argv[1]))
number = int(sys.argv[2])
while True:
    number += 1
    file.upsert({f"{number}": token_codes(number % 9, seed=number)})
    print("+", number, flush=True)
    if number % 4:
        file.delete([f"{number}"])
        print("-", number, flush=True)
"""


@pytest.mark.slow
def test_kills_while_files_are_written_and_compacted_lose_nothing_that_was_acknowledged(stem: Path) -> None:
    kept: set[int] = set()
    number, generations = 0, set()
    for kill in range(6):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(stem), str(number)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        said = [writer.stdout.readline() for _ in range(200 + 37 * kill)]
        writer.kill()
        said += writer.communicate()[0].splitlines(keepends=True)
        for line in said:
            if line.endswith("\n"):
                sign, at = line.split()
                number = int(at)
                kept = kept | {number} if sign == "+" else kept - {number}
        file = TokenFile(stem)
        # The last operation may be done and not yet said.
        assert {int(name) for name in file.ids()} ^ kept <= {number, number + 1}
        assert file.damaged() == []
        codes, counts = file.codes_of([str(one) for one in sorted(kept)[:-1]])
        assert np.array_equal(codes, np.concatenate([token_codes(one % 9, seed=one) for one in sorted(kept)[:-1]]))
        assert -1 not in counts
        file.delete([str(one) for one in (number, number + 1)])
        file.close()
        kept -= {number, number + 1}
        number += 1
        generations.add(file_of(stem, "log").name)
    assert len(generations) > 1, "files were compacted on the way"


def test_a_full_disk_leaves_nothing_behind_the_last_record(stem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(stem)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(token_file.os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            file.upsert({"3": token_codes(4, seed=3)})
    file.upsert({"4": token_codes(2, seed=4)})
    file.close()
    again = TokenFile(stem)
    assert again.ids() == {"0", "1", "2", "4"}
    assert again.damaged() == []
    again.close()


# Codec and basis


def tokens_around(centre: int, count: int, *, seed: int, dimension: int = 320) -> np.ndarray:
    return (unit_vectors(count, seed=seed, dimension=dimension) + 3 * unit_vectors(1, seed=centre, dimension=dimension)).astype(
        np.float32
    )


@pytest.fixture(scope="module")
def basis() -> TokenBasis:
    rng = np.random.default_rng(0)
    tokens = (rng.standard_normal((3000, 320)) * np.linspace(3, 0.1, 320)).astype(np.float32)
    rows = np.arange(3000) % 3
    made, held = learn(tokens + rows[:, None], rows, tokens[:300] - 1, rows[:300], DIMENSIONS, 1)
    assert 0.3 < held[64] < held[128] < held[256] < 1
    return made


def test_a_language_s_mean_says_nothing(basis: TokenBasis) -> None:
    tokens = tokens_around(50, 8, seed=51)
    one, two = (basis.passage(tokens + basis.passages[row], row) for row in (0, 2))
    assert np.allclose(one, two, atol=1e-4)
    assert np.allclose(np.linalg.norm(one, axis=1), 1, atol=1e-5)


def test_pooling_leaves_half_and_each_vector_near_one_of_them() -> None:
    vectors = np.repeat(unit_vectors(10, dimension=64), 2, axis=0) + 0.05 * unit_vectors(20, seed=3, dimension=64)
    pooled = unit(merged(unit(vectors)))
    assert len(pooled) == 10
    assert ((unit(vectors) @ pooled.T).max(axis=1) > 0.9).all()
    assert [len(merged(unit(vectors[:count]))) for count in (0, 1, 2, 3, 5)] == [0, 1, 1, 2, 3]


def test_equal_vectors_become_one_and_one_that_is_like_no_other_stays_as_it_is() -> None:
    alone = unit_vectors(1, seed=5, dimension=64)
    pooled = unit(merged(np.concatenate([np.repeat(unit_vectors(2, dimension=64), 4, axis=0), alone])))
    assert len(pooled) == 5
    assert (pooled @ alone[0]).max() == pytest.approx(1, abs=1e-5)
    assert len(merged(np.repeat(alone, 40, axis=0))) == 20


def test_signs_tell_a_passage_about_the_same_from_others(basis: TokenBasis) -> None:
    passages = [encode(basis, tokens_around(centre, 30, seed=100 + centre), 0) for centre in range(20, 40)]
    query = basis.query(tokens_around(33, 6, seed=7) + basis.queries[0] - basis.passages[0], 0)
    scores = max_sim(query, np.concatenate(passages), np.array([len(codes) for codes in passages]))
    assert scores.argmax() == 13


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_products_have_no_threads_that_wait_for_each_other() -> None:
    program = "import os, ragd, numpy; print(len(os.listdir('/proc/self/task')))"
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    result = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "1"


def test_a_basis_is_read_as_it_was_written_and_a_wrong_file_is_named(basis: TokenBasis, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(basis.packed())
    assert read_basis(path, 320).identity == basis.identity
    with pytest.raises(ModelDamaged, match="384 dimensions"):
        read_basis(path, 384)
    path.write_bytes(b"no basis")
    with pytest.raises(ModelDamaged, match=r"model\.npz"):
        read_basis(path, 320)
