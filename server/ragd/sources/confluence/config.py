"""What a Confluence source is asked to do, and whether what a person wrote makes sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ragd.sources.atlassian.fields import Fields

_MOST_CQL: Final = 1000


def parse_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration, complete and JSON-ready. Raises `ValidationFailed` that names every wrong field."""
    fields = Fields(values, ("spaces", "cql"), "confluence")
    config = {
        **fields.site(),
        "spaces": fields.texts("spaces"),
        "cql": fields.query("cql", _MOST_CQL, 'label = "howto"'),
        **fields.shared(),
    }
    fields.check()
    return config
