"""`rag chat`: answers in words, with their sources; one question, or a conversation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import click

from ragd.cli.common import options
from ragd.cli.common.context import CliContext
from ragd.cli.common.output import clean, console, echo_json, is_drawable, note, one_line, warn
from ragd.cli.common.source_tokens import note_missing_token, source_tokens
from ragd.cli.query import place_in
from ragd.client.errors import ApiError

if TYPE_CHECKING:
    from ragd.client.blocking import Client

# Earlier turns that are sent along; the service takes 50, and of 20,000 characters each.
_TURNS: Final = 20
_TURN_CHARS: Final = 20_000


@click.command()
@click.argument("text", required=False)
@options.in_collections("Answer only from this collection (else from all that are enabled); repeatable.")
@click.option("-k", "--top-k", type=click.IntRange(1), help="Passages that the answer is made of (else retrieval.top_k).")
@options.strategy
@source_tokens
@options.as_json
@click.pass_obj
def chat(context: CliContext, /, text: str | None, as_json: bool, **given: Any) -> None:
    """Answer TEXT from the documents, with citations. Without TEXT, hold a conversation.

    The settings `llm.*` say which language model answers; without one, the answer is made of the passages' own sentences.
    In a conversation, Ctrl-C stops an answer and Ctrl-D ends it.
    """
    request = {name: value for name, value in given.items() if value}
    if as_json and text is None:
        raise click.UsageError("--json needs TEXT.")
    with context.connect("session") as client:
        if text is None:
            _converse(client, request)
        elif as_json:
            echo_json(whole_answer(client, {"query": text, **request}))
        else:
            note_missing_token(_show(client, {"query": text, **request})["retrieval"])


def whole_answer(client: Client, body: dict[str, Any], piece: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """The whole answer, with what was found for it under `retrieval`. `piece` is called with its text as it comes."""
    found: dict[str, Any] = {}
    with closing(client.events("/api/chat", body)) as events:
        for name, data in events:
            if name == "error":
                raise ApiError(500, data["error"])
            if name == "delta":
                piece(data["text"])
            found[name] = data
    if "done" not in found:
        raise ApiError(503, {"code": "SERVICE_UNAVAILABLE", "message": "The answer broke off. Is the daemon still running?"})
    return {**found["done"], "retrieval": found["retrieval"]}


def _show(client: Client, body: dict[str, Any]) -> dict[str, Any]:
    """Print the answer as it comes and its sources after it."""
    begun = False

    def print_piece(text: str) -> None:
        nonlocal begun
        begun = True
        click.echo(clean(text), nl=False)

    try:
        answer = whole_answer(client, body, print_piece)
    finally:
        if begun:
            click.echo()
    _print_sources(answer["citations"])
    _print_unsupported(answer["support"])
    for warning in [*answer["retrieval"]["warnings"], *answer["warnings"]]:
        warn(warning)
    return answer


def _converse(client: Client, request: Mapping[str, Any]) -> None:
    turns: list[dict[str, str]] = []
    reported = False
    if is_drawable(sys.stdout):
        note("Ask a question. Ctrl-C stops an answer, Ctrl-D ends the conversation.")
    while (question := _read_question()) is not None:
        if not question.strip():
            continue
        try:
            shown = _show(client, {"query": question, "history": turns[-_TURNS:], **request})
        except KeyboardInterrupt:
            note("(stopped)")
            continue
        except ApiError as error:
            # One question that can't be answered does not end the conversation.
            warn(str(error))
            continue
        reported = reported or note_missing_token(shown["retrieval"])
        answer = str(shown["answer"])
        turns += [{"role": "user", "text": question[:_TURN_CHARS]}, {"role": "assistant", "text": answer[:_TURN_CHARS]}]
        click.echo()


def _read_question() -> str | None:
    """A line from the person, None at the end of the input."""
    while True:
        try:
            return input("> " if is_drawable(sys.stdout) else "")
        except EOFError:
            return None
        except KeyboardInterrupt:
            click.echo()


def _print_sources(citations: Sequence[Mapping[str, Any]]) -> None:
    from rich.text import Text

    screen = console()
    for index, citation in enumerate(citations):
        if index == 0:
            screen.print()
        where = place_in(citation["source"], citation)
        line = Text.assemble((f"[{citation['id']}] ", "bold"), one_line(citation["title"]), (f"  {where}", "dim"))
        screen.print(line, soft_wrap=True)


def _print_unsupported(support: Sequence[Mapping[str, Any]]) -> None:
    doubtful = [sentence for sentence in support if not sentence["supported"]]
    if doubtful:
        click.echo("\nNot supported by the sources:")
    for sentence in doubtful:
        click.echo(f"  ? {one_line(sentence['text'])}")
