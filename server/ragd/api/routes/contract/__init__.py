"""The service contract: knowledge bases, their documents and search, for other programs, over the same services."""

from typing import Final

TAG: Final = "service contract"
"""The tag of its operations. The editor uses none of them, and gets no types of them."""
