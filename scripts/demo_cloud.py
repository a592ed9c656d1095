#!/usr/bin/env python3
"""An invented Confluence and Jira on this machine, to try the cloud sources without an account.

    python scripts/demo_cloud.py [--pages N] [--issues N] [--busy]

Starts the double of the tests (`tests/atlassian_server/`), prints its addresses, its tokens and what to type, and changes a few
pages and issues at each press of Enter, with `--busy` every few seconds. Ctrl-C ends it; what was added to the index stays, until
you remove it by `rag sources remove`.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EMAIL = "demo@example.com"
SECONDS_BETWEEN_CHANGES = 5.0
CHANGES = 4


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300, help="pages and blog posts in three spaces (default %(default)s)")
    parser.add_argument("--issues", type=int, default=300, help="issues in two projects (default %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="a fixed port, so that sources survive a restart of the demo")
    parser.add_argument("--busy", action="store_true", help=f"change something every {SECONDS_BETWEEN_CHANGES:.0f} seconds")
    options = parser.parse_args(arguments)
    # The double is a package of the tests, which are not on the path.
    sys.path.insert(0, str(ROOT / "tests"))
    double = importlib.import_module("atlassian_server")
    world = double.World(seed=1, spaces=3, pages=options.pages, projects=2, issues=options.issues)
    with tempfile.TemporaryDirectory(prefix="rag-demo-") as folder, double.serve(world, port=options.port) as served:
        tokens = write_tokens(world, Path(folder))
        print(told(world, served, tokens), flush=True)
        try:
            change_until_stopped(world, busy=options.busy)
        except KeyboardInterrupt:
            print("\nStopped.")
    return 0


def write_tokens(world: Any, folder: Path) -> dict[str, Path]:
    """Files with the tokens of somebody who may read everything but what is restricted, and of a guest who sees one space."""
    made = {
        "cloud": world.token("demo", email=EMAIL),
        "data-center": world.token("demo-dc", kind="pat"),
        "guest": world.token("guest", email="guest@example.com"),
    }
    world.grant(made["cloud"], "space:*", "project:*")
    world.grant(made["data-center"], "space:*", "project:*")
    world.grant(made["guest"], "space:OPS")
    paths = {}
    for name, token in made.items():
        paths[name] = folder / f"{name}.token"
        paths[name].touch(mode=0o600)
        # The guest asks, and reads no source: whose token it is stands before it.
        paths[name].write_text(f"guest@example.com:{token}" if name == "guest" else token, "utf-8")
    return paths


def told(world: Any, served: Any, tokens: dict[str, Path]) -> str:
    """What is where, and the lines to try."""
    cloud = f"--deployment cloud --email {EMAIL} --token file:{tokens['cloud']}"
    data_center = f"--deployment data_center --token file:{tokens['data-center']}"
    lines = [
        f"{len(world.pages)} pages and blog posts in the spaces {', '.join(world.spaces)}; "
        f"{len(world.issues)} issues in the projects {', '.join(world.projects)}.",
        "",
        f"Confluence Cloud        {served.confluence_cloud}",
        f"Jira Cloud              {served.jira_cloud}",
        f"Confluence Data Center  {served.confluence_dc}",
        f"Jira Data Center        {served.jira_dc}",
        "",
        f"Tokens: {tokens['cloud'].parent} (of {EMAIL}; guest.token is of somebody who may read the space OPS only)",
        "",
        "Let the daemon ask this machine and use these tokens, in the terminal where it starts (`rag stop` ends one that runs):",
        "",
        "  export RAG_SECURITY__ALLOWED_HOSTS='[127.0.0.1]'",
        f"  export RAG_SECURITY__SECRET_NAMES='[\"file:{tokens['cloud'].parent.resolve()}/*\"]'",
        "",
        "Add them as sources:",
        "",
        f"  rag sources add confluence {served.confluence_cloud} {cloud} --space DEV --space OPS --name Wiki",
        f"  rag sources add jira {served.jira_cloud} {cloud} --project PROJ --name Tickets",
        f"  rag sources add confluence {served.confluence_dc} {data_center} --space HELP --name Helpdesk",
        "",
        "Then say whose question it is, and ask:",
        "",
        f'  export RAG_SOURCE_TOKENS="Wiki=file:{tokens["cloud"]} Tickets=file:{tokens["cloud"]}"',
        *(f'  rag query "{question}"' for question in questions(world)),
        "",
        "The guest finds only what the space OPS has; without a token nothing is shown:",
        "",
        f'  RAG_SOURCE_TOKENS="Wiki=file:{tokens["guest"]}" rag query "{questions(world)[0]}"',
    ]
    return "\n".join(lines)


def questions(world: Any) -> list[str]:
    """One each, as far as there are such: of an English page, a Japanese page and an issue that the sources above hold."""
    found: dict[str, str] = {}
    for page in world.pages.values():
        if page.fact and page.readers is None and page.space in ("DEV", "OPS"):
            found.setdefault(page.language, page.fact.question)
    for issue in world.issues.values():
        if issue.fact and issue.readers is None and issue.project == "PROJ":
            found.setdefault("issue", issue.fact.question)
    return list(found.values())


def change_until_stopped(world: Any, *, busy: bool) -> None:
    print(
        f"\nChanging something every {SECONDS_BETWEEN_CHANGES:.0f} s." if busy else "\nPress Enter to change something.",
        "Ctrl-C ends.",
    )
    rng = random.Random()
    waiting = threading.Event()
    while True:
        if busy:
            waiting.wait(SECONDS_BETWEEN_CHANGES)
        elif not sys.stdin.readline():
            # Nobody can press a key: go on serving.
            waiting.wait()
        for line in change_some(world, rng):
            print("  " + line, flush=True)


def change_some(world: Any, rng: random.Random) -> list[str]:
    """Edit some pages, comment on an issue, now and then add or remove a page. Says what it did."""
    now = f"{world.clock.now():%H:%M:%S}"
    pages = [page for page in world.pages.values() if page.status == "current" and page.fact]
    said = []
    for page in rng.sample(pages, min(CHANGES, len(pages))):
        world.edit_page(page.id, body=f"{page.body}<p>Checked at {now} (UTC).</p>")
        said.append(f"edited page {page.id}: {page.title}")
    if world.issues:
        issue = rng.choice([issue for issue in world.issues.values() if not issue.deleted])
        world.comment_issue(issue.key, f"Looked at again at {now} (UTC).")
        said.append(f"commented on {issue.key}")
    if rng.random() < 0.5:
        made = world.add_page("DEV", None, f"Note of {now}", f"<p>The pass phrase of {now} is heron-{rng.randrange(10_000)}.</p>")
        said.append(f"added page {made.id}: {made.title}")
    elif len(pages) > CHANGES:
        gone = rng.choice(pages)
        world.delete_page(gone.id)
        said.append(f"removed page {gone.id}: {gone.title}")
    return said


if __name__ == "__main__":
    sys.exit(main())
