"""Pictures and what is said of them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from ragd.api.schemas.base import Page, RequestBody
from ragd.vision.description import ImageType, Profile


class ReadNumber(BaseModel):
    name: str
    value: str
    unit: str
    context: str = Field(description="Where it is read: in the legend, at an axis, in a cell.")


class ChartSeries(BaseModel):
    name: str
    points: list[tuple[str, str]]


class PictureDescription(BaseModel):
    """What a captioner says of a picture: no words of the document."""

    provider: str
    model: str
    prompt_id: str
    profile: Profile
    image_type: ImageType
    certainty: float = Field(description="How sure the type is, 0..1; 0 where nobody says.")
    title: str
    summary: str
    key_points: list[str]
    entities: list[str]
    numbers: list[ReadNumber]
    uncertainties: list[str]
    table: list[list[str]] = Field(description="Its cells, the headings first; `GET /api/assets/{id}/table` gives them as CSV.")
    series: list[ChartSeries]
    mermaid: str
    details: dict[str, Any] = Field(description="Further fields, by profile.")
    low_quality: bool
    same_as: str = Field(
        description="The picture of which this was said: this one shows the same, saved again or in another size. Empty: itself."
    )
    unseen_numbers: int = Field(
        description="Numbers that were said and not read in the picture; they are among the uncertainties."
    )
    input_tokens: int
    output_tokens: int
    cost: float = Field(description="By the prices of the settings.")
    created_at: str
    error: str | None = Field(description="Why it could not be described; the other fields are empty then.")


class ShowingDocument(BaseModel):
    id: str
    source: str
    title: str


class ReadLine(BaseModel):
    text: str
    bbox: tuple[float, float, float, float] = Field(description="Left, top, right, bottom as fractions (0..1) of the picture.")
    score: float = Field(description="How sure text recognition is, 0..1.")


class ShowingPassage(BaseModel):
    """A passage beside which a picture stands."""

    chunk_id: str
    doc_id: str
    section_path: list[str]
    content: str = Field(description="The first words of it.")
    page: int | None = None
    slide: int | None = None


class AssetDetails(BaseModel):
    asset_id: str
    mime: str
    width: int
    height: int
    text: str = Field(description="What was read in it.")
    lines: list[ReadLine] = Field(description="The same, line by line with its places; none where they are not known.")
    not_read: str | None = Field(description="Why it was not read.")
    description: PictureDescription | None = Field(description="The one that is shown.")
    descriptions: list[PictureDescription] = Field(description="Every one that is kept, and failures, the newest first.")
    documents: list[ShowingDocument] = Field(description="The first documents that show it and that you may see.")
    passages: list[ShowingPassage] = Field(description="The first passages of these documents that it stands in.")


AssetState = Literal["described", "low_quality", "failed", "missing"]


class AssetItem(BaseModel):
    asset_id: str
    doc_id: str
    source: str
    caption: str
    state: AssetState
    image_type: ImageType | None
    summary: str
    described_by: str
    same_as: str = Field(description="The picture of which this was said, where this one shows the same. Empty: itself.")
    more: int = Field(description="With `fold`: how many further entries show the same, as copies or in other documents.")


class AssetPage(Page[AssetItem]): ...


class CaptionBody(RequestBody):
    """Which pictures are described: the missing ones, and those that failed; or others as well."""

    low_quality: bool = Field(default=False, description="Also those of which little was said.")
    redo: str | None = Field(default=None, max_length=255, description="Those that this model, or captioner, has described.")
    asset_ids: list[str] | None = Field(default=None, max_length=1000, description="Only these.")
    anew: bool = Field(default=False, description="The pictures of `asset_ids` once more, whatever is said of them.")

    @model_validator(mode="after")
    def _names_what_is_described_anew(self) -> CaptionBody:
        if self.anew and not self.asset_ids:
            raise ValueError("anew needs asset_ids")
        return self


class CaptionStarted(BaseModel):
    job_id: str | None = Field(description="None where there is nothing to do.")
