"""A double of Confluence and Jira, Cloud and Data Center, that speaks over real sockets and is as strict as they are.

    world = World(seed=1, spaces=3, pages=300, projects=2, issues=300)
    token = world.token("reader", email="reader@example.com", kind="api_token")   # no rights yet
    world.grant(token, "space:DEV", "project:PROJ")
    with serve(world) as served:
        ...  # served.confluence_cloud, .confluence_dc, .jira_cloud, .jira_dc, .media are base addresses

All four faces show the same content. A token of kind `api_token` is for Cloud (Basic, with its email), `oauth` for Cloud
(Bearer), `pat` for Data Center (Bearer). Each page has a `fact`: a question to which that page alone has the answer.
"""

from __future__ import annotations

from .faults import Faults
from .model import Attachment, Clock, Comment, Fact, Issue, Page, Project, Space, User
from .serving import Served, serve
from .world import World

__all__ = [
    "Attachment",
    "Clock",
    "Comment",
    "Fact",
    "Faults",
    "Issue",
    "Page",
    "Project",
    "Served",
    "Space",
    "User",
    "World",
    "serve",
]
