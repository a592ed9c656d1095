"""Ready ONNX files from a model hub or its mirror. Only ONNX, safetensors and JSON files are taken.

`huggingface_hub` works in a process of its own, this module run as a program: it reads HF_ENDPOINT, HF_HUB_OFFLINE, HF_TOKEN and
the proxies when it is imported, and its client is set for a whole process. A request comes as JSON on its standard input.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragd.core.errors import ModelDamaged, ModelUnavailable
from ragd.models.manifest import record_file, stays_inside
from ragd.models.rows import HubSource

_TIME_LIMIT_S = 6 * 3600
_REQUEST_LIMIT_S = 30
# `.onnx_data` and `Constant_*` are external data of ONNX files: raw numbers.
_TAKEN = (".onnx", ".onnx_data", ".safetensors", ".json")
_RAW_NUMBERS = "Constant_"


def download_from_hub(source: HubSource, folder: Path) -> str:
    """Fetch the source's files into `folder`, under the names they have in the repository; returns the commit they are of.

    Raises `ModelUnavailable` when the hub can't give them, `ModelDamaged` when a file is not what the hub says it is.
    """
    for name in source.files:
        _check_name(name)
    package_root = str(Path(__file__).resolve().parents[2])
    search_path = os.pathsep.join(filter(None, (package_root, os.environ.get("PYTHONPATH"))))
    quiet = {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_XET": "1"}
    request = json.dumps({"repository": source.repository, "files": source.files, "folder": str(folder)})
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "ragd.models.hub"],
            check=False,
            env={**os.environ, **quiet, "PYTHONPATH": search_path},
            input=request,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIME_LIMIT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelUnavailable(f"The model hub did not give {source.repository} within {_TIME_LIMIT_S // 3600} hours.") from error
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise ModelUnavailable(
            f"Fetching {source.repository} from the model hub broke off: {done.stderr.strip()[-500:]}"
        ) from error
    if "damaged" in answer:
        raise ModelDamaged(answer["damaged"])
    if "unavailable" in answer:
        raise ModelUnavailable(answer["unavailable"])
    return str(answer["commit"])


def _check_name(name: str) -> None:
    last = name.rpartition("/")[2]
    if not stays_inside(name) or not (last.endswith(_TAKEN) or last.startswith(_RAW_NUMBERS)):
        raise ModelUnavailable(f"'{name}' is not taken from a model hub: only ONNX, safetensors and JSON files are.")


def _fetch(repository: str, files: list[str], folder: Path) -> str:
    import huggingface_hub as hub
    from huggingface_hub.errors import OfflineModeIsEnabled

    try:
        info = hub.HfApi().model_info(repository, files_metadata=True, timeout=_REQUEST_LIMIT_S)
        commit: str | None = info.sha
        expected = {item.rfilename: item.lfs.sha256 for item in info.siblings or () if item.lfs is not None}
    except OfflineModeIsEnabled:
        commit, expected = None, {}
    for name in files:
        cached = hub.try_to_load_from_cache(repository, name, revision=commit)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(cached, str):
            shutil.copyfile(cached, target)
        else:
            hub.hf_hub_download(repository, name, revision=commit, local_dir=folder)
        if name in expected and record_file(target).sha256 != expected[name]:
            raise ModelDamaged(f"{name} of {repository} has another SHA-256 than the model hub says.")
    # What huggingface_hub notes about the download is no part of the model.
    shutil.rmtree(folder / ".cache", ignore_errors=True)
    return commit or "offline"


@contextmanager
def _trusted_client() -> Iterator[None]:
    import huggingface_hub as hub

    from ragd.core.http import trusted_context

    context = trusted_context()
    ready: Any = hub.get_session()
    # The hooks of the library's own client are what refuses requests when HF_HUB_OFFLINE is set.
    options = {"event_hooks": ready.event_hooks, "follow_redirects": True, "timeout": _REQUEST_LIMIT_S}
    hub.set_client_factory(lambda: type(ready)(verify=context, **options))
    yield
    hub.close_session()


def _main() -> None:
    request = json.loads(sys.stdin.read())
    repository = request["repository"]
    try:
        with _trusted_client():
            answer = {"commit": _fetch(repository, request["files"], Path(request["folder"]))}
    except ModelDamaged as error:
        answer = {"damaged": error.message}
    # The library's errors come from four unrelated families; whichever it is, the parent reports it.
    except Exception as error:  # noqa: BLE001
        reason = str(error).strip().replace("\n", " ")[:400] or type(error).__name__
        answer = {
            "unavailable": f"The model hub could not give {repository} ({reason}). "
            "Set HF_ENDPOINT to a mirror that you can reach, or put the model's files into a models folder."
        }
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    _main()
