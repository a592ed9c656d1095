"""Our own request headers, for those who send them and those who read them."""

from typing import Final

SOURCE_TOKEN: Final = "X-RAG-Source-Token"
"""The asking user's tokens for cloud sources: `<source id>=<token>`, repeated for several sources."""

NEW_SOURCE: Final = "new"
"""Stands for the id of a source that is just being added."""

CALLER: Final = "ragd.caller"
"""Where a request's scope says who asks."""

AUDIT: Final = "ragd.audit"
"""Where a request's scope gathers what the audit log says of it, if that is kept."""
