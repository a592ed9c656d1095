"""What a model is to answer, by profile: one JSON schema each, and how an answer that passes becomes a description."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragd.diagrams.mermaid import to_mermaid
from ragd.diagrams.model import Edge, Node, made
from ragd.diagrams.summary import summarise
from ragd.vision.description import Description, ImageType, Number, Profile, Series, Usage, as_markdown

_LONGEST: Final = 200_000
"""Characters of an answer that are looked at."""
_MOST: Final = 200

Text = Annotated[str, Field(max_length=2000)]
Texts = Annotated[list[Text], Field(max_length=_MOST)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Number(_Part):
    name: Text
    value: Text
    unit: Text = ""
    context: Annotated[str, Field(min_length=1, max_length=500, description="Where it is read: legend, axis, cell, label …")]


class Generic(_Part):
    """The fields that every answer has."""

    image_type: ImageType
    title: Text = ""
    summary: Annotated[str, Field(min_length=1, max_length=4000, description="One or two sentences of what can be seen")]
    key_points: Annotated[list[Text], Field(max_length=40)]
    entities: Texts
    numbers: Annotated[list[_Number], Field(max_length=_MOST)]
    uncertainties: Texts

    def extra(self, title: str, language: str) -> dict[str, Any]:  # noqa: ARG002
        """Further fields of a description, by profile."""
        return {}


class _Cells(_Part):
    headers: Texts
    rows: Annotated[list[Texts], Field(max_length=500)]


class _Pair(_Part):
    key: Text
    value: Text


class Table(Generic):
    """`table`, or `kv_pairs` for one that has no columns. A cell that can't be read is empty."""

    table: _Cells | None = None
    kv_pairs: Annotated[list[_Pair], Field(max_length=_MOST)] = []

    def extra(self, title: str, language: str) -> dict[str, Any]:  # noqa: ARG002
        rows = [self.table.headers, *self.table.rows] if self.table else [[pair.key, pair.value] for pair in self.kv_pairs]
        cells = tuple(tuple(row) for row in rows if any(row))
        return {"table": cells, "details": {"markdown": as_markdown(cells)}}


class _Point(_Part):
    x: Text
    y: Text


class _Series(_Part):
    name: Text
    trend: Text = ""
    peaks: Texts = []
    points: Annotated[list[_Point], Field(max_length=500)] = []


class _ChartParts(_Part):
    title: Text = ""
    x_axis: Text = ""
    y_axis: Text = ""
    series: Annotated[list[_Series], Field(max_length=50)] = []


class Chart(Generic):
    """Marks that can't be seen are not guessed."""

    chart: _ChartParts

    def extra(self, title: str, language: str) -> dict[str, Any]:  # noqa: ARG002
        series = tuple(
            Series(one.name, tuple((point.x, point.y) for point in one.points)) for one in self.chart.series if one.points
        )
        return {"series": series, "details": {"chart": self.chart.model_dump()}}


class _Node(_Part):
    id: Annotated[str, Field(min_length=1, max_length=60)]
    label: Text
    shape: Annotated[str, Field(description="box, diamond, ellipse, cylinder or round")] = "box"


class _Edge(_Part):
    source: str
    target: str
    label: Text = ""


class Flow(Generic):
    """What leads where comes first; a flow that only the context tells is none of the picture."""

    nodes: Annotated[list[_Node], Field(max_length=_MOST)]
    edges: Annotated[list[_Edge], Field(max_length=500)]

    def extra(self, title: str, language: str) -> dict[str, Any]:
        shapes = {"diamond", "ellipse", "cylinder", "round"}
        nodes = [Node(node.id, node.label, node.shape if node.shape in shapes else "box") for node in self.nodes]  # type: ignore[arg-type]
        edges = [Edge(edge.source, edge.target, edge.label) for edge in self.edges]
        diagram = made("flowchart", nodes, edges, title=title)
        if diagram is None or not diagram.edges:
            return {}
        told = summarise(diagram, language)
        return {"mermaid": to_mermaid(diagram), "entities": told.labels, "details": {"steps": told.text}}


class _Ui(_Part):
    app: Text = ""
    page: Text = ""
    actions: Texts = []
    errors: Texts = []


class Screenshot(Generic):
    """Buttons, menus and messages as they are written."""

    ui: _Ui

    def extra(self, title: str, language: str) -> dict[str, Any]:  # noqa: ARG002
        return {"details": {"ui": self.ui.model_dump()}}


class Photo(Generic):
    """Objects that can be seen and how they stand to each other; no place, person or make is guessed."""

    scene_tags: Texts = []

    def extra(self, title: str, language: str) -> dict[str, Any]:  # noqa: ARG002
        return {"entities": tuple(dict.fromkeys([*self.entities, *self.scene_tags])), "details": {"scene_tags": self.scene_tags}}


_ANSWERS: Final[dict[Profile, type[Generic]]] = {
    "caption.generic_v1": Generic,
    "caption.table_v1": Table,
    "caption.chart_v1": Chart,
    "caption.flow_v1": Flow,
    "caption.screenshot_v1": Screenshot,
    "caption.photo_v1": Photo,
}


class AnswerRefused(ValueError):
    """An answer is not what its profile asks for; the message is for the model that gave it."""


def schema_of(profile: Profile) -> dict[str, Any]:
    """The JSON schema of an answer."""
    return _ANSWERS[profile].model_json_schema()


def described(answer: str, profile: Profile, language: str, usage: Usage) -> Description:
    """The description that an answer gives. Raises `AnswerRefused`."""
    try:
        found = _ANSWERS[profile].model_validate(_object_in(answer))
    except ValidationError as error:
        wrong = [
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False, include_input=False)
        ]
        raise AnswerRefused("; ".join(wrong[:8])) from error
    common: dict[str, Any] = {
        "profile": profile,
        "image_type": found.image_type,
        "title": found.title,
        "summary": found.summary,
        "key_points": tuple(found.key_points),
        "entities": tuple(found.entities),
        "numbers": tuple(Number(one.name, one.value, one.unit, one.context) for one in found.numbers),
        "uncertainties": tuple(found.uncertainties),
        "usage": usage,
    }
    return Description(**(common | found.extra(found.title, language)))


def _object_in(answer: str) -> Any:
    """The JSON object of an answer, which may stand in a fence or between words."""
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        raise AnswerRefused("the answer holds no JSON object")
    if end - start > _LONGEST:
        raise AnswerRefused("the answer is too long")
    try:
        return json.loads(answer[start : end + 1])
    except (ValueError, RecursionError) as error:
        raise AnswerRefused(f"the answer is no JSON: {error}") from error
