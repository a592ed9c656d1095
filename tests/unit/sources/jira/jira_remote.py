"""The double of Jira as the Jira source sees it, in either deployment."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime
from typing import Any

from ....atlassian_server import Served, World, serve

DEPLOYMENTS = ["cloud", "data_center"]


class Remote:
    """One world and its server, with a source's account that reads all and a person's that does so, too."""

    def __init__(self, deployment: str, issues: int = 40) -> None:
        self.world = World(seed=3, spaces=1, pages=2, projects=2, issues=issues)
        kind: Any = "api_token" if deployment == "cloud" else "pat"
        self._stack = ExitStack()
        self.served: Served = self._stack.enter_context(serve(self.world))
        self.token = self.world.token("syncer", email="syncer@tarnwood.example", kind=kind)
        self._reader = self.world.token("reader", email="reader@tarnwood.example", kind=kind)
        for token in (self.token, self._reader):
            self.world.grant(token, "project:*")
        self.reader = f"reader@tarnwood.example:{self._reader}" if deployment == "cloud" else self._reader
        self.key = next(iter(self.world.projects))
        auth = {
            "kind": kind,
            "token": "env:JIRA_TOKEN",
            **({"email": "syncer@tarnwood.example"} if deployment == "cloud" else {}),
        }
        base_url = self.served.jira_cloud if deployment == "cloud" else self.served.jira_dc
        self.config = {"base_url": base_url, "deployment": deployment, "auth": auth}
        self.wrong = {
            "config.jql": {**self.config, "jql": "labels = x ORDER BY key"},
            "config.projects[0]": {**self.config, "projects": ["no key"]},
            "config.attachments": {**self.config, "attachments": "yes"},
        }

    def close(self) -> None:
        self._stack.close()

    # For the contract

    def now(self) -> datetime:
        return self.world.clock.now()

    def add(self, title: str, text: str) -> str:
        self.world.clock.advance(1)
        return f"issue/{self.world.add_issue(self.key, title, text).id}"

    def change(self, item_id: str, text: str) -> None:
        self.world.clock.advance(1)
        self.world.edit_issue(self._key(item_id), description=text)

    def remove(self, item_id: str) -> None:
        kind, _, number = item_id.partition("/")
        if kind == "attachment":
            del self.world.attachments[number]
        else:
            self.world.delete_issue(self._key(item_id))

    def forbid(self, item_id: str, token: str) -> None:
        self.world.deny(token.rpartition(":")[2], item_id)

    def stop(self) -> None:
        self.world.faults.fail(".", 503)

    def _key(self, item_id: str) -> str:
        return self.world.issues[item_id.partition("/")[2]].key
