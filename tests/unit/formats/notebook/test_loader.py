"""Notebooks: cells, outputs, pictures, and the lines of the file where each cell's source stands."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from ragd.core.documents import Document
from ragd.core.errors import DocumentEmpty, ParseFailed
from ragd.core.sections import split_sections
from ragd.formats.notebook import outputs as notebook_outputs
from ragd.formats.notebook.lines import source_lines
from ragd.formats.notebook.loader import NotebookLoader
from ragd.providers.protocols import LoadContext

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
JPEG = b"\xff\xd8\xff\xe0picture"


def encoded(data: bytes) -> str:
    return base64.encodebytes(data).decode()


def markdown(*lines: str, **extra: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": list(lines), **extra}


def code(source: str, *outputs: dict[str, Any], **extra: Any) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": list(outputs), "source": lines, **extra}


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text.splitlines(keepends=True)}


def result(**data: Any) -> dict[str, Any]:
    forms = {kind.replace("__", "/").replace("_svg", "svg+xml"): value for kind, value in data.items()}
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": forms}


def written(*cells: dict[str, Any], **metadata: Any) -> bytes:
    """A notebook as Jupyter writes it."""
    stated = {"language_info": {"name": "python"}, **metadata}
    return json.dumps(
        {"cells": cells, "metadata": stated, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False
    ).encode()


def load(*cells: dict[str, Any], **metadata: Any) -> Document:
    return NotebookLoader().load(written(*cells, **metadata), "dir/analysis.ipynb")


def lines_of(document: Document, text: str) -> tuple[int, int] | None:
    at = document.markdown.index(text)
    return [mark for mark in document.marks if mark.offset <= at][-1].place.line_range


def test_markdown_cells_are_text_and_code_cells_are_fenced() -> None:
    document = load(
        markdown("# Queue lengths\n", "\n", "We *count* jobs."),
        code("import kestrel_client\n\njobs = kestrel_client.count()\n"),
        markdown("## 結果\n", "\n", "正常です。"),
        {"cell_type": "raw", "metadata": {}, "source": "as it is"},
    )
    assert document.markdown == (
        "# Queue lengths\n\nWe *count* jobs.\n\n```python\nimport kestrel_client\n\njobs = kestrel_client.count()\n```\n\n"
        "## 結果\n\n正常です。\n\nas it is"
    )
    assert [section.path for section in split_sections(document, "d")] == [("Queue lengths",), ("Queue lengths", "結果")]
    assert (document.doc_type, document.title) == ("notebook", "Queue lengths")
    assert document.metadata["programming_language"] == "python"
    assert document.metadata["cell_count"] == 4


def test_the_notebooks_own_title_and_authors_are_told() -> None:
    document = load(markdown("# Heading"), title="障害の分析", authors=[{"name": "Tarnwood"}, {"name": "Platform team"}])
    assert (document.title, document.metadata["title_source"]) == ("障害の分析", "notebook_title")
    assert document.metadata["author"] == "Tarnwood, Platform team"


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"language_info": {"name": "R"}}, "r"),
        ({"language_info": None, "kernelspec": {"language": "julia", "name": "x"}}, "julia"),
        ({"language_info": None, "kernelspec": {"name": "python3"}}, "python"),
        ({"language_info": {"name": "a`b\nc"}}, "abc"),
        ({"language_info": None}, ""),
    ],
)
def test_the_language_of_code_is_the_kernels(metadata: dict[str, Any], language: str) -> None:
    assert load(code("x"), **metadata).markdown == f"```{language}\nx\n```"


def test_a_cell_of_another_language_says_so() -> None:
    assert load(code("select 1", metadata={"vscode": {"languageId": "sql"}})).markdown == "```sql\nselect 1\n```"


def test_headings_in_code_and_outputs_are_not_headings() -> None:
    document = load(
        markdown("# One\n", "\n", "```bash\n", "# not a heading\n", "```"),
        code("# nor this", printed("# nor that")),
        markdown("# Two"),
    )
    assert [heading.title for heading in document.headings] == ["One", "Two"]
    for heading in document.headings:
        assert document.markdown[heading.start : heading.end].strip() == f"# {heading.title}"


def test_a_fence_that_a_cell_leaves_open_ends_with_the_cell() -> None:
    document = load(markdown("~~~~ text\n", "open"), markdown("# Two"))
    assert document.markdown == "~~~~ text\nopen\n~~~~\n\n# Two"
    assert [heading.title for heading in document.headings] == ["Two"]


def test_code_with_fences_in_it_gets_a_longer_fence() -> None:
    assert load(code('s = """\n```\n"""')).markdown == '````python\ns = """\n```\n"""\n````'


def test_what_is_printed_is_put_together_and_shown_as_a_terminal_does() -> None:
    document = load(
        code("run()", printed("10%\r50%\r100%\n"), printed("\x1b[31m赤い\x1b[0m text\n", "stderr"), printed("end\x07\n"))
    )
    assert document.markdown == "```python\nrun()\n```\n\nOutput:\n\n```\n100%\n赤い text\nend\n```"


def test_an_error_is_its_traceback_without_colours() -> None:
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["\x1b[0;31m---\x1b[0m", "KeyError: 'x'"]}
    assert load(code("d['x']", error)).markdown.endswith("Error:\n\n```\n---\nKeyError: 'x'\n```")
    assert load(code("d['x']", {**error, "traceback": []})).markdown.endswith("Error:\n\n```\nKeyError: 'x'\n```")


def test_html_is_read_only_where_there_is_no_plain_text() -> None:
    table = "<table><tr><th>queue</th></tr><tr><td>配送</td></tr></table>"
    both = load(code("df", result(text__html=table, text__plain=["  queue\n", "0 配送"])))
    assert both.markdown.endswith("Output:\n\n```\nqueue\n0 配送\n```")
    only = load(code("show(df)", result(text__html=table, text__plain="<IPython.core.display.HTML object>")))
    assert only.markdown.endswith("\n\n| queue |\n| --- |\n| 配送 |")
    assert "IPython" not in only.markdown


def test_other_forms_of_results_are_shown_or_said() -> None:
    document = load(
        code("a", result(text__markdown="**bold** 結果")),
        code("b", result(text__latex="$x^2$")),
        code("c", result(application__json={"キュー": 3})),
        code("d", result(**{"application/vnd.jupyter.widget-view+json": {}, "text__plain": "HBox()"})),
        code("e", result(**{"application/vnd.plotly.v1+json": {}, "text__html": "<script>draw()</script>"})),
    )
    for shown in ("**bold** 結果", "```\n$x^2$\n```", '```\n{"キュー": 3}\n```'):
        assert shown in document.markdown
    assert document.warnings == (
        "an interactive output (widget) was left out: cell 4",
        "an output of the kind application/vnd.plotly.v1+json was left out: cell 5",
    )


def test_pictures_of_outputs_are_referred_to_where_they_stand() -> None:
    document = load(
        code("plot()", result(image__png=encoded(PNG), text__plain="<Figure size 640x480 with 1 Axes>")),
        code("photo()", result(image__jpeg=encoded(JPEG), text__plain="a rack")),
        code("draw()", result(image___svg=["<svg xmlns='http://www.w3.org/2000/svg'>", "</svg>"])),
        code("broken()", result(image__png="!!")),
    )
    first, second, third = document.pictures
    assert [first.data, second.data] == [PNG, JPEG]
    assert third.data.startswith(b"<svg")
    assert f"```\n\n![]({first.link})\n\n```python\nphoto()" in document.markdown
    assert f"![]({second.link})\n\nOutput:\n\n```\na rack\n```" in document.markdown
    assert document.warnings == ("a picture is damaged: cell 4",)
    assert first.place.line_range == lines_of(document, "plot()")


def test_attachments_and_files_beside_the_notebook_are_its_pictures() -> None:
    cell = markdown(
        "![構成図](attachment:%E5%9B%B3.png) and ![rack](img/rack.jpg) and ![gone](attachment:gone.png)",
        attachments={"図.png": {"image/png": encoded(PNG)}},
    )
    context = LoadContext(linked={"img/rack.jpg": JPEG}.get)
    document = NotebookLoader().load(written(cell), "a.ipynb", context)
    assert [(item.alt, item.data) for item in document.pictures] == [("構成図", PNG), ("rack", JPEG)]
    assert document.markdown.startswith(f"![構成図]({document.pictures[0].link}) and ![rack](img/rack.jpg)")
    assert document.warnings == ("pictures that could not be read: 1 (attachment:gone.png): cell 1",)


def test_a_long_output_keeps_its_beginning_and_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_outputs, "MAX_OUTPUT_CHARS", 100)
    document = load(code("run()", printed("".join(f"行 {number} is here\n" for number in range(100)))))
    assert "行 0 is here\n行 1" in document.markdown
    assert document.markdown.endswith("行 98 is here\n行 99 is here\n```")
    assert "characters left out)" in document.markdown
    assert len(document.markdown) < 220
    assert document.warnings == ("an output was shortened to 100 characters: cell 1",)


def test_every_line_of_a_cell_knows_its_line_in_the_file() -> None:
    cells = (
        markdown("# 一\n", "\n", 'first "quoted"\n', "second"),
        code("alpha = 1\nbeta = 2\n", printed("gamma")),
        markdown("end"),
    )
    file = written(*cells).decode().split("\n")
    document = load(*cells)
    for text in ("# 一", "first", "second", "alpha", "beta", "end"):
        first, last = lines_of(document, text) or (0, 0)
        assert first == last
        assert text in file[first - 1]
    assert lines_of(document, "gamma") == (lines_of(document, "alpha")[0], lines_of(document, "beta")[0])  # type: ignore[index]  # not None


def test_a_notebook_on_one_line_has_that_line_as_its_place() -> None:
    data = json.dumps({"cells": [markdown("a\n", "b")], "metadata": {}, "nbformat": 4}).encode()
    document = NotebookLoader().load(data, "a.ipynb")
    assert [mark.place.line_range for mark in document.marks] == [(1, 1)]


def test_lines_are_found_whatever_else_the_file_holds() -> None:
    text = json.dumps(
        {
            "metadata": {"cells": [{"source": "no"}], "source": "no"},
            "cells": [
                {"metadata": {"source": ["no"]}, "source": ["a\n", 'b "], [{'], "outputs": [{"source": "no", "input": ["no"]}]},
                {"source": "c"},
                {"cell_type": "code"},
            ],
        },
        indent=1,
    )
    lines = text.split("\n")
    assert [[lines[first - 1].strip() for first, _ in spans] for spans in source_lines(text)] == [
        ['"a\\n",', '"b \\"], [{"'],
        ['"source": "c"'],
        [],
    ]


def test_notebooks_of_format_3_are_read() -> None:
    old = {
        "metadata": {"name": "古いノート"},
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": ["Load the", " queue"]},
                    {"cell_type": "markdown", "source": ["one", "two"]},
                    {
                        "cell_type": "code",
                        "language": "python",
                        "input": ["x = 1", "x"],
                        "outputs": [
                            {"output_type": "pyout", "text": ["1"], "prompt_number": 1},
                            {"output_type": "display_data", "png": encoded(PNG)},
                            {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": []},
                        ],
                    },
                ]
            }
        ],
    }
    text = json.dumps(old, indent=1, ensure_ascii=False)
    document = NotebookLoader().load(text.encode(), "old.ipynb")
    assert document.title == "古いノート"
    assert document.markdown == (
        "## Load the queue\n\none\ntwo\n\n```python\nx = 1\nx\n```\n\nOutput:\n\n```\n1\n```\n\n"
        f"![]({document.pictures[0].link})\n\nError:\n\n```\nE: v\n```"
    )
    first, _ = lines_of(document, "two") or (0, 0)
    assert text.split("\n")[first - 1].strip() == '"two"'


@pytest.mark.parametrize(
    ("data", "error", "reason"),
    [
        (b"", DocumentEmpty, "0 bytes"),
        (written(markdown("a"))[:-40], ParseFailed, "not valid JSON from line"),
        (b'{\n<<<<<<< HEAD\n"cells": []}', ParseFailed, "from line 2 on"),
        (b"[" * 200_000, ParseFailed, "nested too deeply"),
        (b'{"cells": [' + b"9" * 5000 + b"]}", ParseFailed, "huge number"),
        (b'{"a": 1}', ParseFailed, "no list of cells"),
        (b"[1]", ParseFailed, "no list of cells"),
        (b'{"cells": {}}', ParseFailed, "no list of cells"),
        (written(), DocumentEmpty, "it has no cells"),
        (written(markdown(" \n"), code("")), DocumentEmpty, "its cells are empty"),
    ],
)
def test_what_is_no_notebook_is_refused_with_its_reason(data: bytes, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        NotebookLoader().load(data, "a.ipynb")


def test_cells_that_are_not_what_they_should_be_are_passed_over() -> None:
    odd: Any = [
        None,
        3,
        {"cell_type": "code", "source": {"a": 1}, "outputs": 5},
        {"cell_type": "code", "source": [1, "x"], "outputs": [None]},
    ]
    data = json.dumps({"cells": [*odd, markdown("kept \ud800 text")], "metadata": []}).encode()
    assert NotebookLoader().load(data, "a.ipynb").markdown == "```\nx\n```\n\nkept \ufffd text"


def test_progress_is_reported_cell_by_cell() -> None:
    seen: list[tuple[int, int]] = []
    NotebookLoader().load(
        written(markdown("a"), code("b")), "a.ipynb", LoadContext(report=lambda done, total: seen.append((done, total)))
    )
    assert seen == [(1, 2), (2, 2)]
