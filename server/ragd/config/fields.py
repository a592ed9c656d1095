"""What groups of settings are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError

from ragd.config.secrets import HOW_TO, is_reference


def _reference(text: str) -> str:
    if not is_reference(text):
        raise PydanticCustomError("literal_secret", HOW_TO)
    return text


SecretReference = Annotated[str, AfterValidator(_reference)]
"""Where a key is: `env:NAME`, `file:PATH` or `keyring:NAME`. A literal key is refused, and not repeated."""
Device = Literal["auto", "cpu", "cuda", "directml", "coreml", "openvino"]


class Group(BaseModel):
    # A wrong value may be a key that was put into the wrong place: errors don't repeat it.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
