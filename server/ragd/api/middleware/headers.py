"""Names of our own request headers, for those who send them and those who read them."""

from typing import Final

SOURCE_TOKEN: Final = "X-RAG-Source-Token"
"""The asking user's tokens for cloud sources: see `source_tokens`."""
