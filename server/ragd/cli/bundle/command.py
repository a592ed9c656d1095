"""`rag bundle`: all that a machine without any package index needs, as one archive."""

from __future__ import annotations

import tempfile
import time
import zipfile
from pathlib import Path

import click

from ragd import __version__
from ragd.cli.bundle.installer import ENVIRONMENT, install, problem_of
from ragd.cli.bundle.targets import PLATFORMS, PYTHONS, WITHOUT_WHEELS
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, size, warn
from ragd.core.errors import NotFound, ValidationFailed

_file = click.Path(exists=True, dir_okay=False, path_type=Path)
_folder = click.Path(file_okay=False, path_type=Path)
_PLATFORMS = [name for name in PLATFORMS if name not in WITHOUT_WHEELS]


@click.group()
def bundle() -> None:
    """Make and install bundles for machines without any index.

    All packages, the model, the extension, licences, a list of parts and sums, in one archive, signed by OpenSSH.
    """


@bundle.command()
@click.option("--platform", type=click.Choice(_PLATFORMS), required=True, help="The system that it is for.")
@click.option("--python", type=click.Choice(PYTHONS), required=True, help="The Python that it is for.")
@click.option("--sign", "key", type=_file, metavar="KEY", help="Sign with this key of OpenSSH, or the public half of an agent's.")
@click.option("--vsix", type=_file, metavar="FILE", help="The extension, which carries the daemon (else that of ./dist/).")
@click.option("--model", type=_folder, metavar="FOLDER", help="The embedding model (else the one of the settings).")
@click.option("--out", type=_folder, default="dist", show_default=True, help="Where the bundle is put.")
@click.pass_obj
def make(
    context: CliContext, platform: str, python: str, key: Path | None, vsix: Path | None, model: Path | None, out: Path
) -> None:
    """Make a bundle.

    Packages are fetched by pip, from the index that it is set up with, against the hashes of the lock that the extension carries.
    """
    from ragd.cli.bundle.contents import fill, pack, sign

    vsix = vsix or Path("dist", f"rag-assistant-{__version__}.vsix")
    if not vsix.is_file():
        raise NotFound(f"There is no {vsix}. Name the extension by --vsix; in a checkout scripts/package.py makes it.")
    model = model or context.directories.models / context.settings().embedding.model
    if not (model / "manifest.json").is_file():
        raise NotFound(f"There is no model in {model}. Fetch it by `rag models pull`, or name its folder by --model.")
    started = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{vsix.stem}-{platform}-py{python}.zip"
    with tempfile.TemporaryDirectory(dir=out, prefix="bundle-") as name:
        content = Path(name, "content")
        content.mkdir()
        note("Fetching the packages")
        for package in fill(content, vsix, model, PLATFORMS[platform], python):
            warn(f"{package} carries no licence and names none: ask before you pass it on.")
        if key:
            sign(content, key)
        else:
            warn("the bundle is not signed; --sign KEY signs it.")
        note("Packing")
        pack(content, Path(name, target.name))
        Path(name, target.name).replace(target)
    click.echo(f"{target}: {size(target.stat().st_size)}, {time.monotonic() - started:.0f} s")


@bundle.command("install")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--signers", type=_file, help="Allowed signers, a file as ssh-keygen(1) has it.")
@click.option("--signer", metavar="NAME", help="Who must have signed, a name of that file.")
@click.option("--unsigned", is_flag=True, help="Install without looking at a signature.")
@click.option("--environment", type=_folder, default=ENVIRONMENT, show_default=True, help="Where it is installed, or upgraded.")
@click.option("--models", type=_folder, help="Where models are kept (else the usual place).")
@click.option("--no-extension", is_flag=True, help="Leave VS Code alone.")
@click.option("--check", is_flag=True, help="Only check the bundle.")
@click.pass_obj
def install_bundle(
    context: CliContext,
    path: Path,
    signers: Path | None,
    signer: str | None,
    unsigned: bool,
    environment: Path,
    models: Path | None,
    no_extension: bool,
    check: bool,
) -> int:
    """Install or upgrade from a bundle.

    PATH is the archive, or the folder that it was unpacked into. Signature and sums are checked before anything of it runs;
    no network is needed. The file of signers must come to you by another way than the bundle.
    """
    from ragd.client.discovery import find_daemon

    if bool(signers) != bool(signer) or bool(signers) == unsigned:
        raise ValidationFailed("Say who must have signed, by --signers FILE and --signer NAME, or give --unsigned.")
    with tempfile.TemporaryDirectory(prefix="rag-bundle-") as name:
        folder = path if path.is_dir() else _unpacked(path, Path(name))
        if problem := problem_of(folder.absolute(), signers, signer):
            raise ValidationFailed(problem)
        click.echo(f"Every file is as the list says{'' if unsigned else f', which {signer} has signed'}.")
        status = 0 if check else install(folder.absolute(), environment, models, with_extension=not no_extension)
    if not check and not status and find_daemon(context.directories.data):
        note("The daemon that runs is still the one from before: `rag stop`, then `rag serve`.")
    return status


def _unpacked(archive: Path, folder: Path) -> Path:
    try:
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
    except zipfile.BadZipFile as error:
        raise ValidationFailed(f"{archive} is no bundle, or was cut short: {error}.") from error
    return folder
