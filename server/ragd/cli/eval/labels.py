"""`rag eval labels`: what people judged on the dashboard, how far they agree, and datasets made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import listing, moment, note, one_line, plural, table
from ragd.core.errors import ValidationFailed

if TYPE_CHECKING:
    from ragd.client.blocking import Client


def _question_row(row: Mapping[str, Any]) -> tuple[object, ...]:
    authors = ", ".join(f"{author} {count}" for author, count in row["authors"].items())
    return row["question_id"][:8], row["collection"], one_line(row["question"]), one_line(authors), moment(row["last_at"])[:16]


_print_questions = listing(
    ("id", "collection", "question", "passages judged", "last"),
    _question_row,
    empty="No labels. Give some on the dashboard (`rag dashboard`), on the page of a question.",
)


def _print_agreement(answer: Mapping[str, Any]) -> None:
    if not answer["pairs"]:
        click.echo("No two people have judged the same passage for the same question.")
        return
    rows = [
        (
            *(one_line(pair[name]) for name in ("first", "second")),
            pair["passages"],
            f"{pair['agreed']:.0%}",
            "–" if pair["kappa"] is None else f"{pair['kappa']:.2f} ({pair['low']:.2f} to {pair['high']:.2f})",
            "–" if pair["weighted_kappa"] is None else f"{pair['weighted_kappa']:.2f}",
        )
        for pair in answer["pairs"]
    ]
    table(("author", "author", "passages", "agreed", "kappa (95 %)", "weighted"), rows, numeric=("passages", "agreed"))


@click.group()
def labels() -> None:
    """What people judged on the dashboard: list, agreement, export."""


@labels.command("list")
@options.in_collection("Only questions of this collection.")
@options.paged
@options.answered(_print_questions)
def _list(context: CliContext, **wanted: Any) -> Any:
    """List the questions that have labels, the one that was labelled last first."""
    return context.get("/api/labels/questions", **wanted)


@labels.command("agreement")
@options.in_collection("Only labels of this collection.")
@options.answered(_print_agreement)
def _agreement(context: CliContext, **wanted: Any) -> Any:
    """How far each two people agree on the passages that both have judged: Cohen's kappa."""
    return context.get("/api/labels/agreement", **wanted)


@labels.command("export")
@click.option("--format", "form", type=click.Choice(["golden", "beir"]), required=True, help="A YAML file, or a BEIR folder.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file or folder to make; it must not be there.")
@options.in_collection("The collection; needed where several have labels.")
@click.option("--author", metavar="NAME", help="Only what this person judged.")
@click.pass_obj
def _export(context: CliContext, form: str, out: Path, collection: str | None, author: str | None) -> None:
    """Make a dataset for `rag eval run --dataset`.

    golden: each question with the places of what was labelled 1 or 2; ask it with --collection. beir: also the texts of all
    documents of the collection. Where people differ on a passage, the lower median of their grades counts.
    """
    from ragd.cli.eval.files import require_folders, write_text
    from ragd.evaluation.labels.export import beir, collected, golden

    require_folders(out)
    if out.exists():
        raise click.UsageError(f"{out} is there already: name another one.")
    with context.connect() as client:
        named = collection or _only_collection(client)
        wanted = {"collection": named, **({"author": author} if author else {})}
        found = collected(client.pages("/api/labels", **wanted))
        if form == "golden":
            text, left_out = golden(found.questions)
            write_text(out, text)
            if left_out:
                note(f"{plural(left_out, 'question')} left out: nothing that was judged answers them.")
            count = len(found.questions) - left_out
            use = f"rag eval run --dataset {out} --collection {named}"
        else:
            try:
                count, documents = beir(found.questions, _documents(client, named), out)
            except OSError as error:
                raise ValidationFailed(f"{error.filename} can't be written: {error.strerror}.") from error
            note(f"{plural(documents, 'document')} of '{named}' written with their texts.")
            use = f"rag eval run --dataset {out}"
    if found.changed:
        note(f"{plural(found.changed, 'label')} left out: their documents changed or are gone since.")
    if found.restricted:
        note(f"{plural(found.restricted, 'label')} left out: of documents that need a token.")
    click.echo(f"{out}: {plural(count, 'question')}. Use: {use}")


def _only_collection(client: Client) -> str:
    """The collection that has labels. Raises `UsageError` where there are several, `ValidationFailed` where there is none."""
    names = sorted({str(row["collection"]) for row in client.pages("/api/labels/questions")})
    if len(names) > 1:
        raise click.UsageError(f"Labels are in several collections ({', '.join(names)}): name one with --collection.")
    if not names:
        raise ValidationFailed("There are no labels. Give some on the dashboard (`rag dashboard`), on the page of a question.")
    return names[0]


def _documents(client: Client, collection: str) -> Iterator[dict[str, str]]:
    for row in client.pages("/api/documents", collection=collection, status="ready"):
        if not row.get("restricted"):
            content = client.get(f"/api/documents/{quote(row['id'], safe='')}/content")
            yield {"id": row["id"], "source": row["source"], "title": row["title"], "markdown": content["markdown"]}
