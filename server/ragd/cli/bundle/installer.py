#!/usr/bin/env python3
"""Installs RAG Assistant from this unpacked bundle; no index, no network.

    python3 install.py [--signers FILE --signer NAME] [--environment FOLDER] [--models FOLDER] [--no-extension]

Each file is compared with SHA256SUMS first. With `--signers` (a file of allowed signers, as ssh-keygen(1) has it) the signature
of that list is checked before. Who must not trust this script either gives that one command by hand:

    ssh-keygen -Y verify -f SIGNERS -I NAME -n rag-assistant-bundle -s SHA256SUMS.sig < SHA256SUMS

Exit status: 0 done; 1 a step failed; 2 the bundle is not what it should be, or not for this machine.

This file stands alone, as `install.py` in a bundle; `rag bundle install` uses its own copy, which no bundle can change.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

SUMS = "SHA256SUMS"
NAMESPACE = "rag-assistant-bundle"
"""What a signature is for, as ssh-keygen asks to say."""
ENVIRONMENT = Path("~/.local/share/rag-assistant-env")


def main() -> int:
    parser = argparse.ArgumentParser(description="Install RAG Assistant from this bundle, without a network.")
    parser.add_argument("--signers", type=Path, metavar="FILE", help="allowed signers: check the signature first")
    parser.add_argument("--signer", metavar="NAME", help="who must have signed, a name of that file")
    parser.add_argument("--environment", type=Path, default=ENVIRONMENT, metavar="FOLDER", help="where it is installed")
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="where models are kept (else the usual place)")
    parser.add_argument("--no-extension", action="store_true", help="leave VS Code alone")
    parser.add_argument("--check", action="store_true", help="only check the bundle")
    options = parser.parse_args()
    if bool(options.signers) != bool(options.signer):
        parser.error("--signers and --signer belong together")
    bundle = Path(__file__).resolve().parent
    if problem := problem_of(bundle, options.signers, options.signer):
        print(problem, file=sys.stderr)
        return 2
    print(
        "Every file is as the list says"
        + (f", which {options.signer} has signed." if options.signers else "; its signature was not checked.")
    )
    if options.check:
        return 0
    return install(bundle, options.environment, options.models, with_extension=not options.no_extension)


def problem_of(bundle: Path, signers: Path | None, signer: str | None) -> str:
    """Why an unpacked bundle must not be installed here; "" for one that may be. Nothing of it is run for that."""
    return _signature_problem(bundle, signers, signer) or _sums_problem(bundle) or _machine_problem(bundle)


def _signature_problem(bundle: Path, signers: Path | None, signer: str | None) -> str:
    if signers is None or signer is None:
        return ""
    if not (bundle / f"{SUMS}.sig").is_file():
        return "The bundle is not signed."
    command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", signer, "-n", NAMESPACE, "-s", str(bundle / f"{SUMS}.sig")]
    try:
        with (bundle / SUMS).open("rb") as listed:
            done = subprocess.run(command, stdin=listed, check=False, capture_output=True, encoding="utf-8")
    except OSError as error:
        return f"The signature can't be checked: {error}. Install the OpenSSH client."
    said = (done.stderr or done.stdout).strip()
    return f"The signature is not {signer}'s: {said}" if done.returncode else ""


def _sums_problem(bundle: Path) -> str:
    """What differs from the list: a file that is missing, other, or not in it."""
    try:
        lines = (bundle / SUMS).read_text("utf-8").splitlines()
        expected = {name: value for value, _, name in (line.partition("  ") for line in lines)}
    except OSError as error:
        return f"The list of files can't be read: {error}"
    found = {path.relative_to(bundle).as_posix(): path for path in bundle.rglob("*") if path.is_file()}
    for name in (SUMS, f"{SUMS}.sig"):
        found.pop(name, None)
    if differing := sorted(expected.keys() ^ found.keys()):
        return f"The bundle is not complete, or something was added: {', '.join(differing[:5])}"
    for name, path in found.items():
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != expected[name]:
                return f"{name} was changed."
    return ""


def _machine_problem(bundle: Path) -> str:
    made_for = json.loads((bundle / "bundle.json").read_text("utf-8"))
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if made_for["python"] != here:
        return f"This bundle is for Python {made_for['python']}; this is {here}. Run it with that one."
    system = {"Windows": "windows", "Darwin": "macos"}.get(platform.system(), "linux")
    machine = "arm64" if platform.machine().lower() in {"arm64", "aarch64"} else "x64"
    if made_for["platform"] != f"{system}-{machine}":
        return f"This bundle is for {made_for['platform']}; this machine is {system}-{machine}."
    return ""


def install(bundle: Path, environment: Path, models: Path | None, *, with_extension: bool) -> int:
    """The exit status of an installation; says on the way what it does."""
    environment = environment.expanduser().absolute()
    # Nothing of how this machine is set up for pip or uv counts: there is one place to take packages from.
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    variables |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(bundle / "wheels")}
    variables |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "UV_NO_CONFIG": "1", "UV_OFFLINE": "1"}
    environment.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-B", str(bundle / "server" / "setup" / "bootstrap.py"), "--environment", str(environment)]
    done = {}
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, encoding="utf-8") as process:
        for line in process.stdout or ():
            event = json.loads(line)
            if event["event"] == "step":
                print(event["title"])
            elif event["event"] == "failed":
                print(event["message"], *event["log"], event["advice"], sep="\n", file=sys.stderr)
            elif event["event"] == "done":
                done = event
    if process.returncode or not done:
        return 1
    target = models or Path(
        _printed(done["python"], "from ragd.config.loading import Directories; print(Directories.default().models)")
    )
    for model in (bundle / "models").iterdir():
        print(f"Model {model.name}")
        shutil.copytree(model, target / model.name, dirs_exist_ok=True)
        verified = subprocess.run(
            [done["executable"], "models", "verify", model.name], env={**os.environ, "RAG_MODELS_DIR": str(target)}, check=False
        )
        if verified.returncode:
            return 1
    if with_extension and (editor := shutil.which("code")):
        print("Extension of VS Code")
        (vsix,) = bundle.glob("*.vsix")
        if subprocess.run([editor, "--install-extension", str(vsix), "--force"], check=False).returncode:
            return 1
    print(f"\nReady: {done['executable']}\nIn VS Code, set ragAssistant.server.executable to it.")
    return 0


def _printed(python: str, program: str) -> str:
    return subprocess.run([python, "-I", "-c", program], check=True, capture_output=True, encoding="utf-8").stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
