"""Requests for a model that an editor lends."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from ragd.api.schemas.base import RequestBody


class LenderBody(RequestBody):
    lender: str = Field(min_length=1, max_length=64, description="Tells lenders apart: an id that a window makes for itself.")


class LentPicture(BaseModel):
    mime: str
    data: str = Field(description="Base64.")


class LentMessage(BaseModel):
    role: Literal["system", "user", "assistant"]
    text: str
    picture: LentPicture | None = Field(description="Goes before the text.")


class LentRequest(BaseModel):
    lease_id: str
    lease_s: float = Field(description="Without a sign of life for so many seconds the request is given to another lender.")
    timeout_s: float = Field(description="How long the model may take.")
    asset_id: str = Field(description="The picture that it is about.")
    messages: list[LentMessage]


class LentRequests(BaseModel):
    request: LentRequest | None = Field(description="What is asked; the caller has it now, and nobody else.")
    more: bool = Field(description="Whether pictures are being described: then come again within a second or two.")


class LentAnswerBody(RequestBody):
    text: str = Field(max_length=400_000, description="All that the model said.")
    model: str = Field(min_length=1, max_length=255, description="Which model it was.")


class LentFailureBody(RequestBody):
    message: str = Field(min_length=1, max_length=2000)
    refused: bool = Field(default=False, description="The model will not: another try can't help.")
