"""Descriptions without a model: by the type of the picture, its lines and colours, and the words that were read in it.

Everything said is seen: words by text recognition, cells by the rules of a grid, values measured against an axis. What can't be
read is said to be in doubt. Without OpenCV the words alone are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ragd.core.documents import OcrLine
from ragd.diagrams.mermaid import to_mermaid
from ragd.diagrams.summary import summarise
from ragd.providers.captioners.wording import Wording
from ragd.vision.description import Description, ImageType, Number, PictureContext, Series, as_markdown, profile_of
from ragd.vision.screens import screen_in
from ragd.vision.tables_by_words import aligned
from ragd.vision.words import is_number, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragd.vision.controls import Controls

    Pixels = NDArray[np.uint8]

_VERSION: Final = "rules-3"
_MAX_SIDE: Final = 2000
_MOST_POINTS: Final = 12
_MOST_LABELS: Final = 64
_LONGEST_LABEL: Final = 60
_LIST: Final = 3
"""Rows of a list at least, and what stands side by side in each."""
_READ: Final = 300
"""Characters of the words in a picture that its summary repeats."""


class RulesCaptioner:
    """Asks nobody, and costs only its time."""

    name = "rules"
    model = ""
    prompt_id = _VERSION
    asks_nobody = True
    max_side = _MAX_SIDE

    def __init__(self, **ignored: object) -> None:
        """What captioners of services are built with means nothing here."""

    def describe(self, picture: bytes, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine]) -> Description:
        say = Wording(context.language)
        pixels = _pixels(picture)
        makers = {
            "table": _table,
            "chart": _chart,
            "flowchart": _flow,
            "diagram": _flow,
            "screenshot": _screen,
        }
        made = makers.get(image_type, _other)(pixels, context, image_type, words, say)
        doubts = (*made.uncertainties, *((say.say("unseen"),) if pixels is None else ()))
        entities = made.entities or tuple(line.text for line in words if _is_name(line.text))[:_MOST_LABELS]
        return replace(
            made, entities=entities, uncertainties=doubts, provider=self.name, model=self.model, prompt_id=self.prompt_id
        )

    def close(self) -> None:
        """Nothing is held."""


def _pixels(picture: bytes) -> Pixels | None:
    """Red, green and blue of a picture; None without OpenCV."""
    try:
        import cv2
        import numpy as np
    except ImportError:
        return None
    decoded: Any = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    if decoded is None:
        return None
    return np.asarray(cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), np.uint8)


def _made(image_type: ImageType, **parts: Any) -> Description:
    return Description(profile=profile_of(image_type), image_type=image_type, **parts)


def _named(context: PictureContext) -> str:
    """What the document calls the picture: names may come from around it, facts never."""
    return context.caption or context.alt


def _table(
    pixels: Pixels | None, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine], say: Wording
) -> Description:
    rows = aligned(words)
    if pixels is not None:
        from ragd.vision.tables import table_in

        rows = table_in(pixels, words)
    if not rows:
        return replace(_other(pixels, context, image_type, words, say), uncertainties=(say.say("cells"),))
    headings, *body = rows
    points, numbers = _cells(rows, say)
    held = {cell for row in rows for cell in row}
    above = [line.text for line in words if line.text not in held and not is_number(line.text)]
    title = _named(context) or (above[0] if above and len(above) <= 2 else "")
    listed = say.listed([heading for heading in headings if heading])
    return _made(
        image_type,
        title=title,
        summary=say.say("table", title=say.title(title), rows=len(body), columns=len(headings), headings=listed),
        key_points=tuple(points[:_MOST_POINTS]),
        entities=tuple(cell for row in rows for cell in row if _is_name(cell))[:_MOST_LABELS],
        numbers=tuple(numbers[:_MOST_LABELS]),
        table=rows,
        details={"markdown": as_markdown(rows)},
    )


def _cells(rows: Sequence[Sequence[str]], say: Wording) -> tuple[list[str], list[Number]]:
    """The rows of a table in words, and the numbers in its cells."""
    headings, *body = rows
    points: list[str] = []
    numbers: list[Number] = []
    for row in body:
        pairs = [(heading, cell) for heading, cell in zip(headings[1:], row[1:], strict=False) if cell]
        cells = say.say("stop").join(f"{heading}{say.say('colon')}{cell}" if heading else cell for heading, cell in pairs)
        points.append(say.say("row", name=row[0], cells=cells))
        numbers += [Number(f"{row[0]} / {heading}", cell, "", say.say("cell")) for heading, cell in pairs if is_number(cell)]
    return points, numbers


def _chart(
    pixels: Pixels | None, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine], say: Wording
) -> Description:
    if pixels is None:
        return replace(_other(pixels, context, image_type, words, say), uncertainties=(say.say("values"),))
    from ragd.vision.charts.reading import chart_in

    chart = chart_in(pixels, words)
    title = chart.title or _named(context)
    axes = ""
    if chart.x_axis and chart.y_axis:
        axes = say.say("axes", x=chart.x_axis, y=chart.y_axis)
    elif chart.x_axis or chart.y_axis:
        axes = say.say("axis", name=chart.x_axis or chart.y_axis)
    legend = say.say("legend", names=say.listed(chart.legend)) if chart.legend else ""
    sentences = [say.say(chart.kind, title=say.title(title), axes=axes, legend=legend)]
    for one in chart.series:
        sentences += _told(one, say, rising=chart.kind == "lines")
    points = _valued(chart.series, say)
    doubts = [say.say(name) for name in chart.doubts] + ([say.say("measured")] if chart.series and chart.kind != "chart" else [])
    labels = (*chart.legend, *chart.x_labels)
    return _made(
        image_type,
        title=title,
        summary=" ".join(sentences) if say.language == "en" else "".join(sentences),
        key_points=tuple(points[:_MOST_POINTS]),
        entities=tuple(label for label in labels if _is_name(label))[:_MOST_LABELS],
        uncertainties=tuple(doubts),
        series=chart.series,
        details={"chart": {"kind": chart.kind, "x_axis": chart.x_axis, "y_axis": chart.y_axis, "x_labels": list(chart.x_labels)}},
    )


def _valued(series: Sequence[Series], say: Wording) -> list[str]:
    """The values of series: one by one, or all those of a label together, where they are many."""
    if sum(len(one.points) for one in series) <= _MOST_POINTS:
        return [
            say.say("point", name=f"{one.name}{say.say('comma')}" if one.name else "", label=label, value=value)
            for one in series
            for label, value in one.points
        ]
    together: dict[str, list[str]] = {}
    for one in series:
        for label, value in one.points:
            together.setdefault(label, []).append(say.say("point", name="", label=one.name, value=value) if one.name else value)
    return [say.say("row", name=label, cells=say.say("stop").join(cells)) for label, cells in together.items()]


def _told(one: Series, say: Wording, *, rising: bool) -> list[str]:
    """Highest and lowest of a series, and for a line where it leads."""
    if len(one.points) < 2:
        return []
    name = f"{one.name}{say.say('colon')}" if one.name else ""
    try:
        ranked = sorted(one.points, key=lambda point: float(point[1]))
    except ValueError:  # as printed, with units
        return []
    (low, least), (top, most) = ranked[0], ranked[-1]
    told = [say.say("extremes", name=name, top=top, most=most, low=low, least=least)]
    if rising:
        (first, start), (last, end) = one.points[0], one.points[-1]
        told.append(say.say("grew", name=name, first=first, start=start, last=last, end=end))
    return told


def _flow(
    pixels: Pixels | None, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine], say: Wording
) -> Description:
    labels = [line.text for line in words]
    title = _named(context)
    drawn = _drawn(pixels, image_type, words, title, say)
    if _has_few_arrows(drawn) and (controls := _controls(pixels, words)) and controls.are_of_dialog:
        return _window(controls, context, "screenshot", words, say)
    if drawn:
        return drawn
    names = say.listed([label for label in labels if len(label) <= _LONGEST_LABEL])
    if not names:
        return replace(_other(pixels, context, image_type, words, say), uncertainties=(say.say("edges"),))
    return _made(
        image_type,
        title=title,
        summary=say.say(image_type, title=say.title(title), names=names),
        entities=tuple(labels[:_MOST_LABELS]),
        uncertainties=(say.say("edges"),),
    )


def _drawn(
    pixels: Pixels | None, image_type: ImageType, words: Sequence[OcrLine], title: str, say: Wording
) -> Description | None:
    """A drawing whose boxes and arrows can be told; None where fewer than two boxes are joined."""
    if pixels is None:
        return None
    from ragd.diagrams.pixels.reader import read_diagram

    diagram = read_diagram(pixels[:, :, ::-1].copy(), words)
    if diagram is None or not diagram.edges:
        return None
    diagram = replace(diagram, title=title)
    told = summarise(diagram, say.language)
    doubts = (say.say("edges"),) if diagram.left_out else ()
    boxes = [{"id": node.id, "text": node.label, "shape": node.shape} for node in diagram.nodes]
    joined = [
        {"from": edge.source, "to": edge.target, "label": edge.label, "confidence": edge.confidence} for edge in diagram.edges
    ]
    return _made(
        image_type,
        title=title,
        summary=told.text,
        entities=told.labels[:_MOST_LABELS],
        uncertainties=doubts,
        mermaid=to_mermaid(diagram),
        details={"nodes": boxes, "edges": joined},
    )


def _screen(
    pixels: Pixels | None, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine], say: Wording
) -> Description:
    return _window(_controls(pixels, words), context, image_type, words, say)


def _window(
    controls: Controls | None, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine], say: Wording
) -> Description:
    screen = screen_in(words, controls)
    title = screen.title or _named(context)
    sentences = [say.say("screenshot", title=say.title(title))]
    told = {"errors": screen.errors[:4], "actions": screen.actions, "chosen": screen.chosen, "unchosen": screen.unchosen}
    sentences += [say.say(name, texts=say.listed(texts)) for name, texts in told.items() if texts]
    if screen.lines:
        sentences.append(say.say("reads", texts=say.listed(screen.lines)[:_READ]))
    points, numbers = _cells(screen.table, say) if screen.table else ([], [])
    fields = [f"{label}{say.say('colon')}{value}" for label, value in screen.fields]
    rows = () if points else screen.rows
    return _made(
        image_type,
        title=title,
        summary=" ".join(sentences) if say.language == "en" else "".join(sentences),
        key_points=(*screen.errors, *fields, *points, *rows, *screen.actions)[:_MOST_POINTS],
        numbers=tuple(numbers[:_MOST_LABELS]),
        table=screen.table,
        details={"ui": {"title": screen.title, "actions": list(screen.actions), "errors": list(screen.errors)}},
        low_quality=not words,
    )


def _controls(pixels: Pixels | None, words: Sequence[OcrLine]) -> Controls | None:
    if pixels is None or not words:
        return None
    from ragd.vision.controls import controls_in
    from ragd.vision.lines import drawing_of

    return controls_in(drawing_of(pixels), words)


def _has_few_arrows(drawn: Description | None) -> bool:
    """Whether hardly any boxes are joined: those of a window are its controls."""
    return drawn is None or 3 * len(drawn.details["edges"]) <= len(drawn.details["nodes"])


def _other(
    pixels: Pixels | None, context: PictureContext, image_type: ImageType, words: Sequence[OcrLine], say: Wording
) -> Description:
    title = _named(context)
    # What was taken for no kind with certainty may have boxes and arrows all the same.
    if image_type in ("mixed", "unknown"):
        drawn = _drawn(pixels, "flowchart", words, title, say)
        if _has_few_arrows(drawn) and (controls := _controls(pixels, words)) and controls.are_of_window:
            return _window(controls, context, "screenshot", words, say)
        if drawn:
            return drawn
    placed = rows_of(words)
    rows = [" ".join(line.text for line in row) for row in placed]
    lists = [text for text, row in zip(rows, placed, strict=True) if len(row) >= _LIST]
    kind = image_type if image_type in ("photo", "screenshot") else "unknown"
    sentences = [say.say(kind, title=say.title(title))]
    if rows:
        sentences.append(say.say("reads", texts=say.listed(rows)[:_READ]))
    return _made(
        image_type,
        title=title,
        summary=" ".join(sentences) if say.language == "en" else "".join(sentences),
        # Rows of a list stay together also where nothing else of it could be told.
        key_points=tuple(lists[:_MOST_POINTS]) if len(lists) >= _LIST else (),
        uncertainties=() if rows else (say.say("unread"),),
        # Nothing was read in it and nobody has named it: then nothing is known that a search could find.
        low_quality=not rows and not title,
    )


def _is_name(text: str) -> bool:
    return 1 < len(text.strip()) <= _LONGEST_LABEL and not is_number(text)
