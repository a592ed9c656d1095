"""The notes of the golden set as files: one for each picture, and a dozen of plain words on each of the topics."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from pictures.golden import english, japanese
from pictures.golden.drawing import draw
from pictures.golden.truths import Case, Seen

SAMPLES = Path(__file__).resolve().parents[3] / "data" / "samples"
LANGUAGES: dict[str, ModuleType] = {"en": english, "ja": japanese}
CASES: tuple[Case, ...] = (*english.CASES, *japanese.CASES)


def write(folder: Path, cases: Sequence[Case] = CASES, seen: Path | None = None) -> None:
    """`<name>.md` with `fig-<name>.png` for each case, `<name>-1.md` … for the other notes of its topic.

    `seen` has the pictures that nobody of the project made, as `real.fetch` leaves them. Pictures are in notes alone: as
    documents of their own they would be found in their place.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*.png\n", encoding="utf-8")
    for case in cases:
        words = LANGUAGES[case.language]
        figure = folder / f"fig-{case.name}.png"
        if case.file:
            figure.write_bytes((SAMPLES / case.file).read_bytes())
        elif isinstance(case.truth, Seen):
            assert seen is not None
            figure.write_bytes((seen / f"{case.name}.png").read_bytes())
        else:
            draw(case.truth).save(figure)
        note = f"# {case.topic}\n\n{words.LEAD}\n\n![](fig-{case.name}.png)\n"
        (folder / f"{case.name}.md").write_text(note, encoding="utf-8")
        for number, about in enumerate(words.ABOUT):
            named = {name: case.words[(index + number) % len(case.words)] for index, name in enumerate("abcd")}
            text = about.format(topic=case.topic, **named)
            (folder / f"{case.name}-{number + 1}.md").write_text(f"# {case.topic}\n\n{text}\n", encoding="utf-8")
