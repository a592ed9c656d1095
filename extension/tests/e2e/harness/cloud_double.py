"""Runs the double of Confluence and Jira for a test of the editor: one line of JSON says where it is, until it is told to end."""

import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests"))

# The double is a package of the tests, which are not on the path.
from atlassian_server import World, serve

world = World(seed=1, spaces=2, pages=24, projects=1, issues=6)
token = world.token("editor", kind="pat")
world.grant(token, "space:*", "project:*")
page = next(page for page in world.pages.values() if page.fact and page.fact.question.isascii())
with serve(world) as served:
    told = {
        "confluence": served.confluence_dc,
        "jira": served.jira_dc,
        "token": token,
        "pages": len(world.pages),
        "question": page.fact.question,
        "answer": page.fact.answer,
        "title": page.title,
    }
    print(json.dumps(told), flush=True)
    threading.Event().wait()
