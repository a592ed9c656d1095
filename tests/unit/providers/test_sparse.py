"""What the sparse stores do beyond their contract: they rank alike, and a second writer is told to wait."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from ragd.core.errors import IndexOutdated, ServiceUnavailable
from ragd.providers.protocols import SparseStore
from ragd.providers.registry import build
from ragd.providers.sparse.tantivy import TantivyStore
from ragd.testing import KB

from .old_indexes import make_index_without_positions

_ENGLISH_WORDS = """
server client package install configure option network socket kernel module driver memory thread process
signal file directory permission user group password token certificate request response timeout retry cache
buffer index query table column schema backup restore upgrade release version branch commit merge conflict
build compile link library header function argument return --no-cache --verbose max_connections getUserName
/etc/fstab E1045 PROJ-123 1.2.3 systemd cron apt-get error warning debug
"""
_JAPANESE_WORDS = """
設定 変更 接続 失敗 認証 暗号化 証明書 サーバー クライアント データベース 検索 索引 更新 削除 追加 実行
処理 権限 管理者 利用者 ファイル フォルダ 起動 停止 再起動 監視 記録 障害 復旧 手順 確認 画面 入力 出力
文字 変換 圧縮 展開 通信 帯域 遅延 試験 結果
"""

_ENGLISH, _JAPANESE = _ENGLISH_WORDS.split(), _JAPANESE_WORDS.split()


def technical_texts(count: int, seed: int) -> list[str]:
    """Sentences in English and Japanese from word lists, frequent and rare words as in real text."""
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        words, joint = (_ENGLISH, " ") if rng.random() < 0.5 else (_JAPANESE, "の")
        weights = [1 / (place + 3) for place in range(len(words))]
        sentences = [joint.join(rng.choices(words, weights, k=rng.randint(4, 12))) for _ in range(rng.randint(1, 9))]
        texts.append(". ".join(sentences))
    return texts


@pytest.mark.parametrize(
    # Measured here: tantivy 0.978 (it keeps lengths in one byte, so near ties change places), FTS5 0.935 (its IDF falls faster
    # for terms that many entries hold, as most do in a vocabulary this small).
    ("name", "least"),
    [("fts5", 0.9), ("tantivy", 0.95)],
)
def test_an_engine_ranks_as_the_oracle_does(name: str, least: float, tmp_path: Path) -> None:
    analyzer = build("analyzer", "sudachi")
    entries = [(f"e{number}", analyzer.tokens(text)) for number, text in enumerate(technical_texts(600, seed=1))]
    engine: SparseStore = build("sparse", name, folder=tmp_path / name)
    oracle: SparseStore = build("sparse", "rank_bm25", folder=tmp_path / "oracle")
    for store in (engine, oracle):
        store.upsert(KB, entries)
    overlaps = []
    rng = random.Random(2)
    for number in range(80):
        words = rng.sample(_ENGLISH if number % 2 else _JAPANESE, 3)
        terms = analyzer.tokens(" ".join(words))
        right = {item.entry_id for item in oracle.search(KB, terms, 20)}
        overlaps.append(len(right & {item.entry_id for item in engine.search(KB, terms, 20)}) / len(right))
    assert sum(overlaps) / len(overlaps) >= least
    engine.close()
    oracle.close()


def test_a_second_writer_on_a_tantivy_folder_is_told_who_is_in_the_way(tmp_path: Path) -> None:
    first, second = TantivyStore(tmp_path), TantivyStore(tmp_path)
    first.upsert(KB, [("a", ["x"])])
    with pytest.raises(ServiceUnavailable, match="open in another process") as caught:
        second.upsert(KB, [("b", ["x"])])
    assert type(caught.value) is ServiceUnavailable
    first.close()
    second.upsert(KB, [("b", ["x"])])
    assert second.ids(KB) == {"a", "b"}
    second.close()


@pytest.mark.parametrize("engine", ["tantivy", "fts5", "rank_bm25"])
@pytest.mark.parametrize(
    ("question", "quoted", "whole", "apart"),
    [
        ("max_connections", "", "raise max_connections for clients", "raise the max of client connections"),
        ("--no-cache", "", "call apk with --no-cache here", "call apk with no local cache here"),
        ("PROJ-123", "", "see PROJ-123 for the rest", "see the 123 files of the proj rest"),
        ("max connections", "max connections", "the max connections are few", "the connections have a max"),
        ("接続の設定を変更", "接続の設定", "接続の設定を保存する", "設定を保存すると接続する"),
    ],
)
@pytest.mark.parametrize("analyzer", ["sudachi", "bigram"])
def test_the_whole_and_the_phrase_rank_above_their_parts(
    analyzer: str, question: str, quoted: str, whole: str, apart: str, engine: str, tmp_path: Path
) -> None:
    tokens = build("analyzer", analyzer).tokens
    store: SparseStore = build("sparse", engine, folder=tmp_path)
    others = [(f"other{number}", tokens(text)) for number, text in enumerate(technical_texts(40, seed=5))]
    store.upsert(KB, [*others, ("apart", tokens(apart)), ("whole", tokens(whole))])
    found = store.search(KB, tokens(question), 50, phrases=[tokens(quoted)] if quoted else [])
    order = [item.entry_id for item in found]
    assert order.index("whole") < order.index("apart")
    store.close()


def test_making_a_tantivy_index_anew_leaves_no_file_that_a_deleted_text_was_in(tmp_path: Path) -> None:
    """What `rag reindex` does, and what docs/operations.md promises of it: each entry is put again, in small groups."""
    store = TantivyStore(tmp_path)
    entries = [(f"{number:032x}", ["kestrel", f"word{number}"]) for number in range(40)]
    secret = "f" * 32
    store.upsert("kb", [*entries, (secret, ["confidential"])])
    held = {path.name: path.stat().st_size for path in (tmp_path / "kb").glob("*.term")}
    store.delete("kb", [secret])
    assert store.frequencies("kb", ["confidential"]) == (40, {"confidential": 1}), "a deletion alone leaves the word"
    for start in range(0, len(entries), 16):
        store.upsert("kb", entries[start : start + 16])
    assert store.frequencies("kb", ["confidential", "kestrel"]) == (40, {"confidential": 0, "kestrel": 40})
    assert held
    assert not held.keys() & {path.name for path in (tmp_path / "kb").iterdir()}
    store.close()


def test_a_tantivy_index_of_an_earlier_version_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    make_index_without_positions(tmp_path / KB)
    store = TantivyStore(tmp_path)
    with pytest.raises(IndexOutdated, match=r"made by an earlier version.*rag reindex"):
        store.ids(KB)
    with pytest.raises(IndexOutdated):
        store.search(KB, ["x"], 5)
    store.drop(KB)
    store.upsert(KB, [("a", ["x", "y"])])
    assert [item.entry_id for item in store.search(KB, [], 5, phrases=[["x", "y"]])] == ["a"]
    store.close()


def test_a_commit_that_a_kill_cut_off_does_not_make_the_next_one_fail(tmp_path: Path) -> None:
    """As kill -9 leaves it: the file of deleted entries is written, and the list that would name it is not."""
    store = TantivyStore(tmp_path)
    store.upsert(KB, [(f"e{number}", ["kestrel", f"n{number}"]) for number in range(20)])
    store.delete(KB, ["e0"])
    store.close()
    (folder,) = tmp_path.iterdir()
    done = json.loads((folder / "meta.json").read_text("utf-8"))
    segment = done["segments"][0]["segment_id"].replace("-", "")
    left = [f"{segment}.{done['opstamp'] + step}.del" for step in range(1, 4)]
    for name in left:
        (folder / name).write_bytes(b"half")
    managed = folder / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text("utf-8")), *left]), "utf-8")
    (folder / ".tmpKilled").write_text("{", "utf-8")

    store = TantivyStore(tmp_path)
    store.delete(KB, ["e1"])
    assert store.ids(KB) == {f"e{number}" for number in range(2, 20)}
    store.close()
    assert not (folder / ".tmpKilled").exists()
