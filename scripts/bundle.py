#!/usr/bin/env python3
"""Makes a bundle for machines without any index: one archive with all packages, the model, the extension, licences and sums.

    .venv/bin/python scripts/bundle.py --platform windows-x64 --python 3.12 [--sign KEY] [--model FOLDER]

Run scripts/package.py first, which makes the extension, and `rag models pull`. KEY is a private key of OpenSSH, or the public
half of one that an agent holds. docs/operations.md says how a bundle is checked and installed.
Exit status: 0 done; 1 a step failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from release.bundle import fill, pack, sign
from release.targets import PLATFORMS, PYTHONS
from release.wheel import version
from setup.console import INTERRUPTED, Console, StopError
from setup.environment import ROOT


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make a bundle for machines without any index.")
    parser.add_argument("--platform", choices=PLATFORMS, required=True)
    parser.add_argument("--python", choices=PYTHONS, required=True)
    parser.add_argument("--sign", type=Path, metavar="KEY", help="sign the list of files with this key of OpenSSH")
    parser.add_argument("--vsix", type=Path, metavar="FILE", help="the extension (else that of scripts/package.py)")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="the embedding model (else the one of the cache)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER", help="where the bundle is put")
    options = parser.parse_args(arguments)
    console = Console(steps=3)
    try:
        make(options, console)
    except StopError as error:
        console.print(f"\n{error}")
        return error.exit_code
    except KeyboardInterrupt:
        console.print("\nStopped.")
        return INTERRUPTED
    return 0


def make(options: argparse.Namespace, console: Console) -> Path:
    """The finished archive."""
    vsix = options.vsix or ROOT / "dist" / f"rag-assistant-{version(ROOT)}.vsix"
    model = options.model or _cached_model()
    for path, advice in ((vsix, "Run `python3 scripts/package.py`."), (model / "manifest.json", "Run `rag models pull`.")):
        if not path.is_file():
            raise StopError(f"There is no {path}.", advice=advice)
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix="bundle-") as name:
        folder = Path(name, "content")
        folder.mkdir()
        console.step("Packages, model, extension")
        for package in fill(folder, vsix, model, PLATFORMS[options.platform], options.python, console):
            console.note(f"{package} carries no licence and names none: ask before you pass it on")
        console.step("Signature")
        if options.sign:
            sign(folder, options.sign)
        else:
            console.note("None: --sign KEY makes one")
        console.step("Archive")
        target = out / f"{vsix.stem}-{options.platform}-py{options.python}.zip"
        pack(folder, Path(name, target.name))
        Path(name, target.name).replace(target)
    console.print(f"\nMade in {console.elapsed():.0f} s: {target}, {target.stat().st_size / 1e6:.0f} MB")
    return target


def _cached_model() -> Path:
    from ragd.config.loading import Directories, load_settings

    return Directories.default().models / load_settings().embedding.model


if __name__ == "__main__":
    sys.exit(main())
