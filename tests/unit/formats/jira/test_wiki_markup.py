"""Jira's wiki markup as Markdown; what is none must come through unharmed."""

from __future__ import annotations

import re
import time
from random import Random

import pytest

from ragd.formats.jira.content import IssueContent
from ragd.formats.jira.wiki_markup import write_wiki

USERS = {"mlind": "Mara Lindqvist", "5b1": "林 美咲"}


def written_of(text: str) -> IssueContent:
    written = IssueContent()
    write_wiki(written, text, 2, USERS)
    return written


def markdown(text: str) -> str:
    return written_of(text).markdown


@pytest.mark.parametrize(
    ("wiki", "expected"),
    [
        ("a *bold* word and *two words*, *太字* です", "a **bold** word and **two words**, **太字** です"),
        ("_em_ stays, -gone- goes", "_em_ stays, ~~gone~~ goes"),
        ("see {{shard.size}} and {{a \\{b\\}}}", "see `shard.size` and `a {b}`"),
        ("+new+ x ^2^ and ~sub~", "new x ^2 and sub"),
        ("太{*}字{*}です and {*}bold{*} alone", "太字です and **bold** alone"),
        ("{color:red}hot{color} and {color:#ff0000}*warm*{color}", "hot and **warm**"),
        ("\\*no bold\\* \\{code\\} foo\\_bar", "*no bold* {code} foo_bar"),
        ("one \\\\ two", "one \n two"),
        ("[~mlind] asks [~accountid:5b1] and [~jabara]", "@Mara Lindqvist asks @林 美咲 and @jabara"),
        ("[the guide|https://docs.tarnwood.example/a_b(c)]", "[the guide](https://docs.tarnwood.example/a_b%28c%29)"),
        ("[https://x.example/a*b*c_d]", "https://x.example/a*b*c_d"),
        ("[mail us|mailto:ops@x.example] [mailto:ops@x.example]", "[mail us](mailto:ops@x.example) ops@x.example"),
        ("[as said|PROJ-7] [trace|^trace.log] [^dump.txt]", "as said (PROJ-7) trace (trace.log) dump.txt"),
        ("!screen 1.png|thumbnail! !画面.png!", "[image: screen 1.png] [image: 画面.png]"),
        ("!https://x.example/a.png|width=10!", "![](https://x.example/a.png)"),
        ("*see [docs|https://x.example/d]*", "**see [docs](https://x.example/d)**"),
        ("{{quote}} cites, {{quote}} again", "`quote` cites, `quote` again"),
        ("{{code}} and {{code:java}} or {code}x{code}", "`code` and `code:java` or\n\n```\nx\n```"),
        ("{quote}as {{quote}} says{quote}", "> as `quote` says"),
        ("{{noformat}}, {{panel:title=a}} and {{color:red}}", "`noformat`, `panel:title=a` and `color:red`"),
        ("{code}\nuse {{code}}\n{code}", "```\nuse {{code}}\n```"),
    ],
)  # fmt: skip
def test_inline_markup_becomes_markdown(wiki: str, expected: str) -> None:
    assert markdown(wiki) == expected


@pytest.mark.parametrize(
    "said",
    [
        "foo_bar_baz __init__ _private $_x_$ a_b",
        "a*b*c 2 * 3 * 4 *.txt and *.log int *p, *q;",
        "java -Xmx512m -Xms1g -XX:+UseG1GC -Dfoo=bar-baz --force -",
        "[ERROR] [main] [2026-01-02 10:00:00] arr[0] [INFO|WARN] [a-z]+ m[i][j]",
        "C:\\temp\\_new\\{GUID}\\-x and \\\\files\\share$\\_old and D:\\a\\*b",
        "PROJ-1 blocks OPS_2-33, 5 - 3 - 1 = 1, 2026-01-02 - 2026-02-03",
        'java.lang.NullPointerException: Cannot invoke "a.b()" because "<local1>[0]" is null!',
        "\tat com.tarnwood.Foo.<init>(Foo.java:12) ~[foo-1.2.jar:?]\n\tat java.base/x.Y$Z.run(Y.java:-1)",
        "2026-01-02 10:00:00,123 [main] ERROR c.t.Foo - x=-1 a|b || c ^ ~d {e} {{ .Values.x }}",
        "*** ERROR: core dumped ***",
        "https://x.example/_a_/*b*/-c-/~d/{e http://y.example/?q=[1]!a!",
        "+81-3-1234 and 5+ years, C++ and g++ -O2+",
        "wow! really! 100%! != ==! `*code* _here_ [x|https://y.example]`",
        "^(?:a|b)$ a^b^c ~/.ssh ~user x~y~z",
        "{code} never closed, {unknown}macro{unknown} {color} {0} {}",
        "エラー: ファイル「C:\\ログ\\_新」が見つかりません (E-1042) foo_bar",
        "(!) (x) (/) :) -- --- ... ??cite?? #hash",
    ],
)
def test_what_only_looks_like_markup_comes_through_unharmed(said: str) -> None:
    assert markdown(said) == said.strip("\n")


def test_headings_stand_below_their_section() -> None:
    written = written_of("h1. *手順* Steps\ntext\nh5. Deep\n\nh7. none")
    shown, headings = written.markdown, written.headings
    assert shown == "### 手順 Steps\n\ntext\n\n###### Deep\n\nh7. none"
    assert [(found.level, shown[found.start : found.end]) for found in headings] == [
        (3, "### 手順 Steps"),
        (6, "###### Deep"),
    ]


def test_lists_nest_in_both_kinds_and_items_go_on_over_lines() -> None:
    assert markdown("* one\n** two\nmore of two\n*# a\n*# b\n# first\n# second\n- dash\n\n後") == (
        "- one\n   - two\n     more of two\n   1. a\n   2. b\n1. first\n2. second\n- dash\n\n後"
    )


def test_code_is_kept_to_the_letter_with_its_language_and_title() -> None:
    wiki = "before\n{code:java|title=Foo.java|borderStyle=solid}\nint *a = {x};\n  h1. [no|link] {quote}\n{code}\nafter"
    assert markdown(wiki) == ("before\n\n**Foo.java**\n\n```java\nint *a = {x};\n  h1. [no|link] {quote}\n```\n\nafter")
    assert markdown("{noformat}\n*raw* ``` {code}\n{noformat}") == "````\n*raw* ``` {code}\n````"
    assert markdown("{code:title=run.sh|language=bash}ls{code}") == "**run.sh**\n\n```bash\nls\n```"


def test_fences_of_backticks_are_code_too_and_one_that_is_open_harms_nothing() -> None:
    assert markdown("```python\n*x* = h1\n```\nrest") == "```python\n*x* = h1\n```\n\nrest"
    assert markdown("```w1 w2----\n\n```h1. x") == "\\```w1 w2----\n\n\\```h1. x"
    assert markdown("```\nleft open\nh2. Next") == "\\```\nleft open\n\n#### Next"


def test_quotes_and_panels_hold_blocks() -> None:
    wiki = "{quote}\nsaid *so*\n* item\n{quote}\n{panel:title=注意|bgColor=#fff}\nh3. Inner\n"
    wiki += "{code}\nx\n{code}\n{panel}\nbq. short\nend"
    written = written_of(wiki)
    assert written.markdown == (
        "> said **so**\n>\n> - item\n\n> **注意**\n>\n> ##### Inner\n>\n> ```\n> x\n> ```\n\n> short\n\nend"
    )
    assert written.headings == []


def test_a_colour_may_reach_over_lines_and_code() -> None:
    assert (
        markdown("{color:red}one\n*two*\n{code}\n{color}\n{code}\nthree{color}") == "one\n**two**\n\n```\n{color}\n```\n\nthree"
    )


def test_a_quote_that_is_never_closed_is_text() -> None:
    assert markdown("{quote}\nopen") == "{quote}\nopen"


def test_tables_have_headers_links_and_cells_over_lines() -> None:
    wiki = "||Host||負荷||\n|kestrel-1|[log|https://x.example/l]|\n|{{a|b}}|two\nlines|\n|!a.png|width=5!|\\||\nafter"
    assert markdown(wiki) == (
        "| Host | 負荷 |\n| --- | --- |\n| kestrel-1 | [log](https://x.example/l) |\n| `a\\|b` | two lines |\n"
        "| [image: a.png] | \\| |\n\nafter"
    )


@pytest.mark.parametrize("line", ["|| true", "| grep foo", "a | b | c"])
def test_a_pipe_in_a_command_makes_no_table(line: str) -> None:
    assert markdown(line) == line


def test_rules_and_line_ends_of_windows_are_understood() -> None:
    assert markdown("a\r\nb\r\n----\r\nc") == "a\nb\n\n---\n\nc"


_SIGNS = [
    *"{code} {code:java} {noformat} {quote} {panel} {panel:title=x} {color:red} {color} http://x.example/ {*} C:\\".split(),
    *"* _ - + ^ ~ {{ }} [ ] | || ! \\ \\\\ ``` ` .png [~ ( ) ; , é 字 # ~~~".split(),
    *("\n", "\n\n", " ", "\t", "\nh1. ", "\nbq. ", "\n* ", "\n# ", "\n** ", "\n- ", "\n----\n", "\n|", "\n||", "\n```\n"),
]


def test_no_word_is_lost_in_any_mixture_of_signs() -> None:
    for seed in range(3000):
        random = Random(seed)
        parts = [f"w{number}w" if random.random() < 0.45 else random.choice(_SIGNS) for number in range(random.randint(1, 40))]
        written = written_of("".join(parts))
        shown, headings = written.markdown, written.headings
        assert re.findall(r"w\d+w", shown) == [part for part in parts if re.fullmatch(r"w\d+w", part)], seed
        assert all(shown[found.start] == "#" and found.title in shown[found.start : found.end] for found in headings)


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "*a " * 100_000, "*a* " * 60_000, "{{a " * 100_000, "[a " * 100_000, "[" * 200_000, "!a" * 100_000, "{code} " * 50_000,
        "{code:java}\n" * 50_000, "{quote}\n" * 50_000, "{panel:title=x}\n" * 30_000, "|" * 200_000, "|a\n" * 50_000,
        "```\n" * 50_001, "\\" * 200_000, "{color:red}" * 50_000, "{*}a" * 60_000, "* a\n" * 50_000, "`a" * 100_000,
        "http://" * 50_000, "{noformat}{code}" * 40_000, "|[" + "[" * 200_000, "|" + "{{a" * 60_000 + "|", "-a" * 100_000,
        "\n".join("*" * (index % 20 + 1) + " a" for index in range(50_000)), "h1. " * 50_000, " " * 200_000 + "x",
        "[a " * 60_000 + "]", "{{a" * 60_000 + "}}", "h1. " + "**a " * 50_000, "-a " * 60_000 + "-", "!a " * 60_000 + "!",
    ],
    ids=lambda hostile: hostile[:12].strip(),
)  # fmt: skip
def test_hostile_texts_take_linear_time_and_space(hostile: str) -> None:
    begun = time.process_time()
    shown = markdown(hostile)
    assert time.process_time() - begun < 5
    assert len(shown) < 4 * len(hostile) + 1000
