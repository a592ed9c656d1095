"""What captioners are told of a picture, and what they say of it.

A description is text for search, beside the document's words and never one of them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from ragd.core.ids import hash32

ImageType: TypeAlias = Literal["table", "chart", "flowchart", "diagram", "screenshot", "photo", "mixed", "unknown"]
IMAGE_TYPES: Final[tuple[ImageType, ...]] = get_args(ImageType)

Profile: TypeAlias = Literal[
    "caption.generic_v1", "caption.table_v1", "caption.chart_v1", "caption.flow_v1", "caption.screenshot_v1", "caption.photo_v1"
]
"""What is asked of a picture by its type. Another set of fields is another version."""

_PROFILES: Final[Mapping[ImageType, Profile]] = {
    "table": "caption.table_v1",
    "chart": "caption.chart_v1",
    "flowchart": "caption.flow_v1",
    "diagram": "caption.flow_v1",
    "screenshot": "caption.screenshot_v1",
    "photo": "caption.photo_v1",
}
MOST_CONTEXT: Final = 1200
"""Characters of context that a captioner is told."""


def profile_of(image_type: ImageType) -> Profile:
    """What is asked of a picture of this type."""
    return _PROFILES.get(image_type, "caption.generic_v1")


@dataclass(frozen=True, slots=True)
class PictureContext:
    """What stands around a picture: the paragraph of the reference and its neighbours, the heading, the line below, the alt text.

    It is there for names alone: what can't be seen in the picture is not said of it. In all at most `MOST_CONTEXT` characters.
    """

    text: str = ""
    heading: str = ""
    caption: str = ""
    alt: str = ""
    file_name: str = ""
    language: str = "en"

    @property
    def hash(self) -> str:
        """Tells contexts apart."""
        return hash32(*(str(getattr(self, part.name)) for part in fields(self)))

    def as_dict(self) -> dict[str, str]:
        """By the names of its fields."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a picture shows. `context` says where it is read: in the legend, at an axis, in a cell."""

    name: str
    value: str
    unit: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """A row of values of a chart, by the names that its axis has."""

    name: str
    points: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a service counted."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Description:
    """What a captioner says of a picture. `low_quality`: little could be said, or the answer could not be used.

    `same_as` is the id of a picture of which this was said, where this one shows the same in another size or format.
    `table` has its headings as the first row. `mermaid` is a diagram's text, `""` for none. `details` are the further fields of
    the profile, ready for JSON. `unseen_numbers` were said, but text recognition did not see them: they stand among
    `uncertainties`. `certainty` is how sure the type is, 0..1; 0 where nobody says.
    """

    profile: Profile
    image_type: ImageType
    title: str = ""
    summary: str = ""
    key_points: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()
    uncertainties: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    series: tuple[Series, ...] = ()
    mermaid: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    low_quality: bool = False
    same_as: str = ""
    unseen_numbers: int = 0
    certainty: float = 0.0
    usage: Usage = Usage()
    provider: str = ""
    model: str = ""
    prompt_id: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Description:
        """The inverse of `as_dict`."""
        parts = dict(values)
        for name in ("key_points", "entities", "uncertainties"):
            parts[name] = tuple(parts.get(name, ()))
        parts["numbers"] = tuple(Number(**number) for number in parts.get("numbers", ()))
        parts["table"] = tuple(tuple(row) for row in parts.get("table", ()))
        parts["series"] = tuple(Series(one["name"], tuple((x, y) for x, y in one["points"])) for one in parts.get("series", ()))
        parts["usage"] = Usage(**parts.get("usage", {}))
        return Description(**parts)

    @property
    def words(self) -> str:
        """All that words may be found in, line by line: the summary is said elsewhere."""
        of_table = [" ".join(cell for cell in row if cell) for row in self.table]
        of_series = [" ".join([one.name, *(part for point in one.points for part in point)]) for one in self.series]
        of_numbers = [" ".join(filter(None, (number.name, number.value, number.unit))) for number in self.numbers]
        lines = [self.title, *self.key_points, " ".join(self.entities), *of_table, *of_series, *of_numbers]
        return "\n".join(dict.fromkeys(line for line in lines if line))

    def csv(self) -> str:
        """The table or the series, as CSV; "" where there is neither."""
        rows: list[Sequence[str]] = [*self.table]
        if not rows and self.series:
            labels = list(dict.fromkeys(x for one in self.series for x, _ in one.points))
            values = [dict(one.points) for one in self.series]
            rows = [["", *(one.name for one in self.series)]]
            rows += [[label, *(of.get(label, "") for of in values)] for label in labels]
        target = io.StringIO()
        csv.writer(target, lineterminator="\n").writerows(rows)
        return target.getvalue()


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table, the first of them as its headings."""
    if not rows:
        return ""
    width = max(map(len, rows))
    padded = [[_cell(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = [padded[0], ["---"] * width, *padded[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
