"""`rag eval generate`: a dataset from the chunks of a collection, for people to review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note, plural, warn
from ragd.core.errors import ValidationFailed

if TYPE_CHECKING:
    from ragd.evaluation.synthetic.rules import Chunk, Made


@click.command("generate")
@click.option("--collection", "-c", required=True, metavar="NAME", help="The collection whose chunks are asked about.")
@click.option("--out", type=options.file_to_write, required=True, help="The YAML file to write; an existing one is kept.")
@click.option("--count", type=click.IntRange(1), default=100, show_default=True, help="Questions at most.")
@click.option("--unanswerable", type=click.FloatRange(0, 0.9), default=0.1, show_default=True, help="Share without an answer.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same questions.")
@click.option("--model", "with_model", is_flag=True, help="Have the language model of llm.* write the questions, not rules.")
@click.pass_obj
def generate(
    context: CliContext, collection: str, out: Path, count: int, unanswerable: float, seed: int, with_model: bool
) -> None:
    """Make questions from a collection, with the places that answer them.

    Rules take headings, definitions and tables; --model asks for one question a chunk and keeps those whose answer stands in it.
    """
    from ragd.cli.eval.files import require_folders, write_text
    from ragd.evaluation.synthetic import rules, selection

    require_folders(out)
    if out.exists():
        raise click.UsageError(f"{out} is there already: name another file.")
    chunks = _chunks(context, collection)
    made = _by_model(context, chunks, count - round(count * unanswerable), seed) if with_model else rules.by_rules(chunks)
    picked = selection.chosen(made, rules.unanswerable(chunks), count=count, share=unanswerable, seed=seed)
    if not any(one.answerable for one in picked):
        raise ValidationFailed(f"Nothing in '{collection}' gave a question. Try --model, or write questions by hand.")
    write_text(out, selection.as_yaml(picked, collection=collection, seed=seed))
    without = sum(not one.answerable for one in picked)
    note(
        f"{out}: {plural(len(picked), 'question')} from {plural(len(chunks), 'chunk')}, {without} without an answer. Review them."
    )
    if without < round(count * unanswerable):
        note("Fewer without an answer than asked for: they are made of two tables in one language.")


def _chunks(context: CliContext, collection: str) -> list[Chunk]:
    from ragd.evaluation.synthetic.rules import Chunk, place_of

    with context.connect() as client:
        documents = sorted(client.pages("/api/documents", collection=collection), key=lambda one: str(one["source"]))
        return [
            Chunk(document["source"], tuple(chunk["section_path"]), chunk["content"], place_of(chunk), document["language"])
            for document in documents
            for chunk in client.pages(f"/api/documents/{document['id']}/chunks")
        ]


def _by_model(context: CliContext, chunks: list[Chunk], wanted: int, seed: int) -> list[Made]:
    """Questions of a model, of as many chunks as are wanted and half as many again, since not every reply can be used."""
    from ragd.cli.common.progress import JobProgress
    from ragd.cli.eval.judging import open_model
    from ragd.core.ids import hash32
    from ragd.evaluation.synthetic.model import by_model

    model, max_tokens = open_model(context, None, "--model")
    ordered = sorted(chunks, key=lambda chunk: hash32(str(seed), chunk.source, chunk.content))[: wanted + wanted // 2 + 1]
    tokens = sum(model.count_tokens(chunk.content) for chunk in ordered)
    note(f"{model.name} {model.model} is asked about {plural(len(ordered), 'chunk')}, about {tokens:,} tokens.")
    made: list[Made] = []
    with JobProgress("Writing questions") as bar:
        for number, chunk in enumerate(ordered):
            bar.show("chunks", number, len(ordered))
            if (one := by_model(chunk, model, max_tokens)) is not None:
                made.append(one)
    if unusable := len(ordered) - len(made):
        warn(f"{plural(unusable, 'reply')} left out: without the form, or with an answer that is not in the chunk.")
    return made
