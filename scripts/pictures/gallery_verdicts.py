"""What somebody thought who looked at the pictures of the gallery: what was understood well, and what was not."""

from __future__ import annotations

VERDICTS: dict[str, tuple[str, str]] = {
    "golden-01": ("title, names and every value within one.", ""),
    "golden-02": (
        "title, months and every value of both lines.",
        "the lines have no names: the legend below the axis was taken for the axis's.",
    ),
    "golden-03": (
        "the branch with its answers.",
        "“Check budget” and “Pack parcel” are missing: the arrows above them were read as letters.",
    ),
    "golden-04": ("all five steps in their order, around the corner, too.", ""),
    "golden-05": ("every cell, and the title.", ""),
    "golden-06": ("every cell, and the title.", ""),
    "golden-07": ("message and buttons.", "the signs that close the window were read into its title."),
    "golden-08": ("every setting with its value, and the buttons.", "two of the signs that close the window are in its title."),
    "golden-09": (
        "the list with its headings, but for its last row.",
        "the last row, whose dash was not read, is only among the lines.",
    ),
    "golden-11": ("title, names and every value within two.", "a bracket of the title was read as another one."),
    "golden-12": (
        "title, months, and values within four.",
        "the names of the lines were taken for the axis, so that nobody knows which line is whose.",
    ),
    "golden-13": ("four steps in their order.", "the arrow from the diamond to the right is missing."),
    "golden-14": ("all five steps in their order.", ""),
    "golden-15": (
        "every cell.",
        "応 was read as its Chinese form 应: a question with the Japanese one finds its words less well.",
    ),
    "golden-17": (
        "the message is told as one, and two of three buttons.",
        "再試行 is not among the buttons; a sign is in the title.",
    ),
    "table-7": ("white on black: every cell, and the title.", ""),
    "flowchart-5": (
        "the words of all five steps.",
        "no arrows: they are short and touch no box. One arrow head was read as 十.",
    ),
    "diagram-3": ("all six boxes and all seven lines between them.", "a diagram without arrows is called a flow chart."),
    "screenshot-2": (
        "title, menus, two of three buttons.",
        "the two columns of the list run into one another; いいえ is missing.",
    ),
    "photo-1": ("nothing is guessed.", "nothing is said: that needs a model that sees."),
}
