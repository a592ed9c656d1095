"""Says of a picture what a good model that sees would say: from what it was drawn from, or what somebody saw, and no question."""

from __future__ import annotations

from pictures.golden.truths import Bars, Flow, Grid, Lines, Seen, Truth, Window
from ragd.vision.description import Description, ImageType, Series, profile_of


def describe(truth: Truth, language: str) -> Description:
    """The description, in the language of the picture's document."""
    ja = language == "ja"
    if isinstance(truth, Seen):
        return _made(truth.kind, truth.title, truth.summary, list(truth.points))
    if isinstance(truth, Bars):
        return _bars(truth, ja)
    if isinstance(truth, Lines):
        return _lines(truth, ja)
    if isinstance(truth, Grid):
        return _grid(truth, ja)
    return _flow(truth, ja) if isinstance(truth, Flow) else _window(truth, ja)


def _made(kind: ImageType, title: str, summary: str, points: list[str], **parts: object) -> Description:
    return Description(profile_of(kind), kind, title=title, summary=summary, key_points=tuple(points[:12]), **parts)  # type: ignore[arg-type]


def _bars(truth: Bars, ja: bool) -> Description:
    pairs = sorted(zip(truth.values, truth.names, strict=True))
    (least, low), (most, top) = pairs[0], pairs[-1]
    if ja:
        summary = f"「{truth.title}」の棒グラフ。最も多いのは{top}（{most}）、最も少ないのは{low}（{least}）。"
    else:
        summary = f"Bar chart “{truth.title}”. {top} has the most ({most}), {low} the fewest ({least})."
    points = [f"{name}: {value}" for name, value in zip(truth.names, truth.values, strict=True)]
    values = tuple((name, str(value)) for name, value in zip(truth.names, truth.values, strict=True))
    return _made("chart", truth.title, summary, points, series=(Series(truth.unit, values),))


def _lines(truth: Lines, ja: bool) -> Description:
    said = []
    for name, values in truth.series:
        high, low = truth.labels[values.index(max(values))], truth.labels[values.index(min(values))]
        if ja:
            turn = "増加" if values[-1] > values[0] else "減少"
            said.append(
                f"{name}は{high}に最も高く（{max(values)}）、{low}に最も低い（{min(values)}）。全体として{turn}している。"
            )
        else:
            turn = "rises" if values[-1] > values[0] else "falls"
            said.append(f"{name} peaks in {high} ({max(values)}), is lowest in {low} ({min(values)}) and {turn} overall.")
    summary = f"「{truth.title}」の折れ線グラフ。" if ja else f"Line chart “{truth.title}” over time. "
    series = tuple(Series(name, tuple(zip(truth.labels, map(str, values), strict=True))) for name, values in truth.series)
    return _made("chart", truth.title, summary + ("" if ja else " ").join(said), said, series=series)


def _grid(truth: Grid, ja: bool) -> Description:
    headings, *body = truth.rows
    summary = f"表「{truth.title}」。列は{'、'.join(headings)}。" if ja else f"Table “{truth.title}” with {', '.join(headings)}."
    points = [", ".join(f"{heading} {cell}" for heading, cell in zip(headings, row, strict=True)) for row in body]
    return _made("table", truth.title, summary, points, table=truth.rows)


def _flow(truth: Flow, ja: bool) -> Description:
    names = [text for text, _, _ in truth.steps]
    steps = [(names[source], names[target], label) for source, target, label in truth.arrows]
    if ja:
        points = [f"「{one}」{f'が{label}の場合' if label else ''}の次は「{other}」。" for one, other, label in steps]
        summary = f"{truth.title}のフローチャート。{names[0]}から始まり、{'、'.join(names[1:])}と進む。"
    else:
        points = [f"After “{one}”{f' ({label})' if label else ''} comes “{other}”." for one, other, label in steps]
        summary = f"Flow chart of {truth.title}. It starts with {names[0]} and leads to {', '.join(names[1:])}."
    return _made("flowchart", truth.title, summary, points)


def _window(truth: Window, ja: bool) -> Description:
    fields = [f"{name}: {value}" for name, value in truth.fields]
    buttons = "、".join(truth.buttons) if ja else ", ".join(truth.buttons)
    if ja:
        what = f"「{truth.message}」と表示する" if truth.message else f"{'、'.join(name for name, _ in truth.fields)}を設定する"
        summary = f"「{truth.title}」画面のスクリーンショット。{what}ウィンドウで、ボタンは{buttons}。"
    else:
        what = f"with the message “{truth.message}”" if truth.message else f"to set {', '.join(n for n, _ in truth.fields)}"
        summary = f"Screenshot of the window “{truth.title}” {what}. Its buttons are {buttons}."
    return _made("screenshot", truth.title, summary, [*fields, *truth.buttons])
