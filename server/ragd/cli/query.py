"""`rag query`: the passages that answer a question, with the place of each."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.excerpt import excerpt, matcher, reflowed
from ragd.cli.common.output import clean, console, echo_json, note, one_line, plural, warn, width
from ragd.cli.common.source_tokens import note_missing_token, source_tokens
from ragd.formats.registry import shape_of
from ragd.vision.description import IMAGE_TYPES

_MOST_SENT = 1_400_000
"""Bytes of a picture that are sent as they are: in base64 they are within the daemon's `limits.max_body_size`."""
_MOST_PIXELS = 50_000_000
_LONGER_SIDE = 2000
# Lines of a passage that are shown without --full.
_SHOWN_LINES = 6
_INDENT = "    "


@click.command()
@click.argument("text", required=False)
@click.option(
    "--image",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Ask by a picture: for what it says, and where it is shown.",
)
@options.in_collections("Search only this collection (else all that are enabled); repeatable.")
@click.option("-k", "--top-k", type=click.IntRange(1), help="Passages at most (else retrieval.top_k).")
@options.strategy
@click.option("--no-rerank", is_flag=True, help="Leave out the reranking.")
@click.option(
    "--type", "doc_type", multiple=True, metavar="TYPE", help="Only documents of this type: pdf, md, py; several by commas."
)
@click.option("--path-prefix", metavar="PREFIX", help="Only documents whose path, shown or absolute, begins with this.")
@click.option("--source", multiple=True, metavar="SOURCE", help="Only documents of this source; repeatable.")
@click.option("--doc", "docs", multiple=True, metavar="ID", help="Only this document, or one of the --in; repeatable.")
@click.option(
    "--in", "folders", multiple=True, metavar="PREFIX", help="Only documents whose path begins so, or a --doc; repeatable."
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only documents with one of these tags; repeatable.")
@click.option("--language", multiple=True, metavar="CODE", help="Only documents in this language: en, ja, zh.")
@click.option("--section", metavar="HEADING", help="Only sections under this heading, such as Setup or 'Guide > Setup'.")
@click.option(
    "--after", "updated_after", metavar="TIME", help="Only documents changed at or after this time, such as 2026-01-31."
)
@click.option("--before", "updated_before", metavar="TIME", help="Only documents changed before this time.")
@click.option(
    "--image-type",
    multiple=True,
    type=click.Choice(IMAGE_TYPES, case_sensitive=False),
    help="Only passages with a picture of this type; repeatable.",
)
@click.option("--has-image/--no-image", default=None, help="Only passages that show a picture, or only those that show none.")
@click.option("--prefer-recent", is_flag=True, help="Move passages of newer documents up.")
@source_tokens
@options.as_json
@click.option("--full", is_flag=True, help="Show the whole text of each passage.")
@click.option("-v", "--verbose", is_flag=True, help="Show what each stage scored and how long it took.")
@click.pass_obj
def query(
    context: CliContext,
    /,
    text: str | None,
    image: Path | None,
    collection: tuple[str, ...],
    top_k: int | None,
    strategy: str | None,
    no_rerank: bool,
    prefer_recent: bool,
    as_json: bool,
    full: bool,
    verbose: bool,
    doc_type: tuple[str, ...],
    docs: tuple[str, ...],
    folders: tuple[str, ...],
    has_image: bool | None,
    **filters: str | tuple[str, ...] | None,
) -> None:
    """Find the passages that answer TEXT, best first.

    TEXT may hold filters, too: type:pdf path:guides/ tag:ops lang:ja source:a.md after:2026-01-01 section:"Guide > Setup"
    picture:chart picture:yes.
    """
    if text is None and image is None:
        raise click.UsageError("Missing argument 'TEXT', or --image FILE.")
    filters["doc_type"] = tuple(name for names in doc_type for name in names.split(",") if name.strip())
    among = {name: list(chosen) for name, chosen in (("doc_id", docs), ("path_prefix", folders)) if chosen}
    wanted: dict[str, Any] = {name: value for name, value in {**filters, "among": among}.items() if value}
    if has_image is not None:
        wanted["has_image"] = has_image
    body = {
        "query": text or "",
        "image": {"data": base64.b64encode(_file(image)).decode()} if image else None,
        "collection": collection or None,
        "top_k": top_k,
        "strategy": strategy,
        "rerank": False if no_rerank else None,
        "filters": wanted or None,
        "prefer": {"recent": True} if prefer_recent else None,
        # The plan names the words that are shown in the passages.
        "explain": verbose or not as_json or None,
    }
    with context.connect("search") as client:
        answer = client.post("/api/query", {name: value for name, value in body.items() if value is not None})
        empty = not answer["results"] and client.get("/api/status")["counts"]["documents"] == 0
    if as_json:
        echo_json(answer)
        return
    if seen := answer.get("picture"):
        note(f"Picture: {clean(seen['description']) or seen['image_type']}")
        if shown := len(seen["alike"]):
            note(f"It is kept already, {'once' if shown == 1 else f'in {shown} files'}; the passages that show it come first.")
    why = {entry["chunk_id"]: entry["moves"] for entry in answer.get("explanation", ()) if verbose}
    _print_passages(answer["results"], why, matcher(_words(answer.get("plan", {}))), None if full else _SHOWN_LINES)
    if empty:
        click.echo("Nothing found: no documents have been read yet. Add some with `rag ingest PATH`.")
    elif not answer["results"]:
        click.echo("Nothing found.")
    else:
        if not answer["found"]:
            click.echo("Nothing that clearly answers this was found; these passages come closest.")
        documents = len({result["doc_id"] for result in answer["results"]})
        counted = f"{plural(len(answer['results']), 'passage')} from {plural(documents, 'document')}"
        click.echo(f"{counted} in {answer['latency_ms'] / 1000:.2f} s")
    for warning in answer["warnings"]:
        warn(warning)
    for stage in answer["effective"]["degraded"]:
        warn(f"degraded: {stage}")
    note_missing_token(answer)
    if verbose:
        _print_details(answer)


def place_in(source: str, result: Mapping[str, Any]) -> str:
    """Where a passage stands in its source, and how old its text is when that was not held against what is there now."""
    from ragd.retrieve.context import place_of

    section = one_line(" > ".join(result["section_path"]))
    as_of = f"as of {one_line(result['as_of'])}" if result.get("as_of") else ""
    return ", ".join(
        part for part in (one_line(source), section, one_line(place_of({**result, "section_path": ()})), as_of) if part
    )


def _words(plan: Mapping[str, Any]) -> list[str]:
    """What was searched word by word."""
    return [*plan.get("terms", ()), *(item["text"] for item in plan.get("identifiers", ()))]


def _print_passages(
    results: Sequence[Mapping[str, Any]], why: Mapping[str, Sequence[str]], match: re.Pattern[str] | None, lines: int | None
) -> None:
    """The passages with their places, each by its best `lines` lines; with what moved each, where `why` says so."""
    from rich.text import Text

    screen = console()
    several = len({result["collection"] for result in results}) > 1
    margin = len(str(len(results)))
    for rank, result in enumerate(results, start=1):
        source = f"{result['collection']}: {result['source']}" if several else result["source"]
        screen.print(
            Text.assemble(
                (f"{rank:>{margin}}", "bold"), "  ", (f"{result['score']:.3f}", "cyan"), "  ", (one_line(result["title"]), "bold")
            )
        )
        screen.print(Text(f"{_INDENT}{place_in(source, result)}", style="dim"), soft_wrap=True)
        if moves := why.get(result["chunk_id"]):
            scores = "  ".join(f"{name} {score:.3f}" for name, score in result["scores"].items())
            screen.print(Text(f"{_INDENT}{scores}  chunk {result['chunk_id']}", style="dim"), soft_wrap=True)
            screen.print(Text(f"{_INDENT}{'; '.join(moves)}", style="dim"), soft_wrap=True)
        content = reflowed(result["content"]) if shape_of(result["doc_type"]) == "pages" else result["content"]
        for line in excerpt(content, width() - len(_INDENT), lines, match):
            screen.print(Text.assemble(_INDENT, line), soft_wrap=True)
        screen.print()


def _file(image: Path) -> bytes:
    """The picture as it is sent: a large one is made smaller."""
    data = image.read_bytes()
    if len(data) <= _MOST_SENT:
        return data
    from ragd.ingest.pictures.looking import smaller

    return smaller(data, image.name, _MOST_PIXELS, _LONGER_SIDE, _MOST_SENT)


def _print_details(answer: Mapping[str, Any]) -> None:
    effective = answer["effective"]
    reranked = f"{plural(effective['rerank_scored'], 'passage')} reranked" if effective["reranked"] else "not reranked"
    timings = "  ".join(f"{stage} {milliseconds:.1f}" for stage, milliseconds in answer["timings_ms"].items())
    for label, text in _understood(answer["plan"]):
        click.echo(f"{label:<10}{one_line(text)}")
    click.echo(f"Strategy  {effective['strategy']}, {reranked}, confidence {answer['confidence']:.2f}")
    if live := effective.get("live"):
        counts = [f"{count} {name.replace('_', ' ')}" for name, count in live.items()]
        click.echo(f"Live      {', '.join(counts)}")
    click.echo(f"Times/ms  {timings}")
    click.echo(f"Trace     {answer['trace_id']}")


def _understood(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """How the question was understood, as lines of a label and a text; what is empty is left out."""
    if plan["text"] != plan["asked"]:
        by = "" if plan["rewriting"] == "none" else f"  (made self-contained by {plan['rewriting']})"
        yield "Question", plan["text"] + by
    yield "Kind", ", ".join(part for part in (plan["intent"], plan.get("language")) if part)
    if named := plan.get("identifiers"):
        yield "Named", ", ".join(f"{item['text']} ({item['kind'].replace('_', ' ')})" for item in named)
    for label, key in (("Words", "terms"), ("Phrases", "phrases"), ("Synonyms", "synonyms"), ("Also", "variants")):
        if values := plan.get(key):
            yield label, " | ".join(values) if key in ("phrases", "variants") else " ".join(values)
    if filters := plan.get("filters"):
        yield "Filters", ", ".join(f"{name} {value}" for name, value in filters.items())
