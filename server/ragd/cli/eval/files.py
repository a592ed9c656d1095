"""What a run leaves for CI: JUnit XML, a Markdown report with its plots, a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ragd.core.errors import ValidationFailed

if TYPE_CHECKING:
    from ragd.evaluation.gates import Checked


def require_folders(*paths: Path | None) -> None:
    """Raises `ValidationFailed` for a file in a folder that is not there: better before an hour of questions than after."""
    for path in paths:
        if path and not path.absolute().parent.is_dir():
            raise ValidationFailed(f"{path} can't be written: there is no folder {path.absolute().parent}.")


def write_text(path: Path, text: str) -> None:
    """Write a new file. Raises `ValidationFailed` where it can't be written, or is there by now."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ValidationFailed(f"{path} can't be written: {error.strerror}.") from error


def write_files(
    checks: Sequence[tuple[Mapping[str, Any], Sequence[Checked]]],
    resamples: int,
    *,
    junit: Path | None,
    report: Path | None,
    summary: Path | None,
) -> None:
    """Write those that are named. Each is made whole before anything is written. Raises `ValidationFailed` where one can't be."""
    from ragd.evaluation.reports import markdown
    from ragd.evaluation.reports.junit import junit as as_junit

    files: dict[Path, bytes] = {}
    if junit:
        files[junit] = as_junit(checks)
    if report:
        images: dict[str, str] = {}
        for name, svg in markdown.plots(checks, resamples).items():
            picture = report.with_name(f"{report.stem}-{name}.svg")
            files[picture], images[name] = svg.encode(), quote(picture.name)
        files[report] = markdown.report(checks, resamples=resamples, images=images).encode()
    try:
        for path, data in files.items():
            path.write_bytes(data)
        if summary:
            with summary.open("a", encoding="utf-8") as file:
                file.write(markdown.summary(checks) + "\n")
    except OSError as error:
        raise ValidationFailed(f"{error.filename} can't be written: {error.strerror}.") from error
