"""What a Jira source is asked to do, and whether what a person wrote makes sense."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ragd.sources.atlassian.fields import Fields

_KEY: Final = re.compile(r"[A-Z][A-Z0-9_]{0,254}")
_MOST_JQL: Final = 2000


def parse_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration, complete and JSON-ready. Raises `ValidationFailed` that names every wrong field."""
    fields = Fields(values, ("projects", "jql", "custom_fields"), "jira")
    config = {
        **fields.site(),
        "projects": _projects(fields),
        "jql": fields.query("jql", _MOST_JQL, "labels = howto"),
        "custom_fields": fields.texts("custom_fields"),
        **fields.shared(),
    }
    fields.check()
    return config


def _projects(fields: Fields) -> list[str]:
    keys = list(dict.fromkeys(key.upper() for key in fields.texts("projects")))
    for index, key in enumerate(keys):
        if not _KEY.fullmatch(key):
            message = f"'{key[:80]}' is no project key. Write what stands before the number of its issues: PROJ of PROJ-12."
            fields.note(f"projects[{index}]", message)
    return keys
