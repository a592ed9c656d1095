"""What somebody thought who looked at the pictures of the gallery: what was understood well, and what was not."""

from __future__ import annotations

VERDICTS: dict[str, tuple[str, str]] = {
    "golden-01": ("title, names and every value within one.", ""),
    "golden-02": ("title, months and every value of both lines, each with its name from the legend.", ""),
    "golden-03": ("all six steps, and the branch with its answers.", ""),
    "golden-04": ("all five steps in their order, around the corner, too.", ""),
    "golden-05": ("every cell, and the title.", ""),
    "golden-06": ("every cell, and the title.", ""),
    "golden-07": ("message and buttons.", "the signs that close the window were read into its title."),
    "golden-08": ("every setting with its value, and the buttons.", "two of the signs that close the window are in its title."),
    "golden-09": (
        "every cell of the list, with its headings.",
        "the page around it is lost: its title, its tabs, and the notice that newsletter was paused.",
    ),
    "golden-11": ("title, names and every value within two.", "a bracket of the title was read as another one."),
    "golden-12": ("title, months, values within six, and which line is whose.", ""),
    "golden-13": ("all five steps, and the branch with its answers.", ""),
    "golden-14": ("all five steps in their order.", ""),
    "golden-15": (
        "every cell.",
        "応 was read as its Chinese form 应: a question with the Japanese one finds its words less well.",
    ),
    "golden-17": (
        "the message is told as one, and all three buttons.",
        "a sign is in the title, and the message has two full stops.",
    ),
    "table-7": ("white on black: every cell, and the title.", ""),
    "flowchart-5": (
        "the words of all five steps.",
        "no arrows: they are short and touch no box. One arrow head was read as 十.",
    ),
    "diagram-3": ("all six boxes and all seven lines between them.", "a diagram without arrows is called a flow chart."),
    "screenshot-2": (
        "title, menus, all three buttons.",
        "the two columns of the list run into one another; いいえ was read as いい元.",
    ),
    "photo-1": ("nothing is guessed.", "nothing is said: that needs a model that sees."),
}
