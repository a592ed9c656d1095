"""A package index on loopback and the small wheels that it serves, in place of the real registry."""

from __future__ import annotations

import contextlib
import hashlib
import io
import ssl
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Index:
    """Pages and files of PEP 503. `status` answers everything with it; while `released` is not set, files are withheld."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.status = 200
        self.requested: list[str] = []
        self.file_requested = threading.Event()
        self.released = threading.Event()
        self.released.set()
        self.url = ""

    def answer(self, path: str) -> tuple[int, bytes]:
        self.requested.append(path)
        *_, folder, name = path.rstrip("/").split("/")
        if self.status != 200:
            return self.status, b""
        if folder == "files" and name in self.files:
            self.file_requested.set()
            self.released.wait(60)
            return 200, self.files[name]
        names = [file for file in self.files if file.split("-")[0].replace("_", "-") == name]
        links = "".join(f'<a href="/files/{file}">{file}</a>' for file in names)
        return (200, f"<html><body>{links}</body></html>".encode()) if names else (404, b"")


@contextlib.contextmanager
def serving(index: Index, *, tls: ssl.SSLContext | None = None) -> Iterator[Index]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:  # uv asks so for the length of a wheel
            self.do_GET()

        def do_GET(self) -> None:
            status, body = index.answer(self.path)
            with contextlib.suppress(ConnectionError):  # the installer was ended meanwhile
                self.send_response(status)
                self.send_header("Content-Type", "text/html" if body.startswith(b"<html>") else "application/octet-stream")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

        def do_CONNECT(self) -> None:  # as a proxy that wants a password
            self.send_response(407)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a refused handshake is what some tests are about

    with Server(("127.0.0.1", 0), Handler) as server:
        scheme = "http"
        if tls is not None:
            scheme = "https"
            server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        index.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/simple"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield index
        finally:
            index.released.set()
            server.shutdown()
            thread.join()


def wheel(name: str, version: str, module: str, *, scripts: str = "") -> tuple[str, bytes]:
    """File name and bytes of a wheel with one module."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": module,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}\n" if scripts else "",
    }
    record = "".join(f"{file},,\n" for file in (*files, f"{info}/RECORD"))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for file, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(file, text)
    return f"{name}-{version}-py3-none-any.whl", target.getvalue()


def pinned(file: str, data: bytes) -> str:
    """The line of a lock that pins this wheel."""
    name, version, *_ = file.split("-")
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(data).hexdigest()}\n"
