"""Source code and structured data: declarations and keys as headings of no characters, in facts that are the file itself."""

from __future__ import annotations

import pytest

from ragd.core.documents import Document
from ragd.core.sections import split_sections
from ragd.formats.code.languages import programming_language_of
from ragd.formats.registry import loader_name_for
from ragd.formats.text.loader import CodeLoader

FILLER = "    // 余白 filler filler filler filler filler filler filler filler filler filler filler filler filler\n" * 20


def load(text: str, name: str) -> Document:
    """Load, and see that the sections together are the file, character for character."""
    document = CodeLoader().load(text.encode(), name)
    assert document.markdown == text
    assert all(heading.start == heading.end for heading in document.headings)
    sections = split_sections(document, "d")
    assert "".join(text[section.start : section.end] for section in sections).strip() == text.strip()
    return document


def outline(text: str, name: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in load(text, name).headings]


def under(text: str, name: str, title: str) -> str:
    """The beginning of the section with this title."""
    document = load(text, name)
    section = next(section for section in split_sections(document, "d") if section.path and section.path[-1] == title)
    return text[section.start : section.end]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.go", "type Q struct {\n\tn int\n}\n\n// Push\nfunc (q *Q) Push() {\n}\n", ["type Q", "func (q *Q) Push"]),
        ("a.rs", "pub struct L<'a> {\n  n: &'a str,\n}\n"
         "pub(crate) async fn run<F>(f: F)\nwhere\n  F: Fn(),\n{\n  let c = '{';\n}\n",
         ["struct L", "fn run"]),
        ("a.kt", "data class Job(val id: String)\n\nfun String.shout() = 1\n", ["class Job", "fun String.shout"]),
        ("a.swift", "final class S {\n}\nextension S {\n}\n", ["class S", "extension S"]),
        ("a.scala", "object Main {\n}\ntrait A\n", ["object Main", "trait A"]),
        ("a.rb", "class W\n  def a; end\nend\ndef top\nend\n", ["class W", "def top"]),
        ("a.php", "<?php\nfunction helper() { return <<<EOT\nclass No {\nEOT;\n}\n"
         "interface I {\n}\n", ["function helper", "interface I"]),
        ("a.sh", "K=1\nlog() {\n  echo \"$# }\"\n}\nfunction prune {\n  cat <<E2\nfoo() {\nE2\n}\n", ["log()", "prune()"]),
        ("a.ps1", "function Get-Queue {\n}\n", ["function Get-Queue"]),
        ("a.lua", "--[[\nfunction no()\n]]\nfunction M.run(a)\nend\n", ["function M.run"]),
        ("a.c", "#define X { \\\n {\nstruct r {\n  int a;\n};\n"
         "/* opens */\nstatic int *\nr_open(int a,\n       int b)\n{\n  return 0;\n}\n",
         ["struct r", "r_open()"]),
        ("a.cpp", "namespace k {\ntemplate <typename T>\nclass E : B {\n};\nstd::vector<int> Q::list(int a) const {\n}\n}\n",
         ["class E", "Q::list()"]),
        ("a.cs", "namespace T\n{\n    public sealed class Order\n    {\n    }\n    public record P(int X);\n}\n",
         ["class Order", "record P"]),
        ("a.ts", "const re = /[\"'`{]/g;\nexport const h = async (e: E): Promise<void> => {\n};\n"
         "export default function main() {}\n",
         ["const h", "function main"]),
        ("a.tf", 'resource "aws_s3_bucket" "b" {\n  a = <<E\nlocals {\nE\n}\nvariable "n" {}\n',
         ["resource aws_s3_bucket b", "variable n"]),
        ("a.proto", "// 送信\nservice Q {\n  rpc Push (A) returns (B);\n}\nmessage Job {}\n", ["service Q", "message Job"]),
        ("a.graphql", "type Job @key {\n  id: ID!\n}\n", ["type Job"]),
        ("a.dart", "class S {\n}\nvoid main() {\n}\n", ["class S", "main()"]),
    ],
)  # fmt: skip
def test_declarations_of_the_common_languages_become_sections(name: str, text: str, expected: list[str]) -> None:
    assert [title for _, title in outline(text, name)] == expected


def test_methods_of_a_long_class_are_sections_within_it() -> None:
    text = (
        "class Queue {\n" + FILLER + "\n    /** 追加 */\n    @Override\n    @Get(\n        \"/x\"\n    )\n"
        "    public void push(List<Job> jobs,\n            int n) throws E {\n        while (true) { }\n    }\n\n"
        "    private int field = compute(3);\n\n    static class Inner {\n    }\n}\n"
    )  # fmt: skip
    assert outline(text, "Q.java") == [(1, "class Queue"), (2, "push()"), (2, "class level"), (2, "class Inner")]
    assert under(text, "Q.java", "push()").startswith("    /** 追加 */\n    @Override\n    @Get(")


def test_a_class_that_fits_one_passage_stays_whole() -> None:
    assert outline("class A {\n  f() {\n  }\n}\n", "a.js") == [(1, "class A")]
    assert outline("class A:\n    def f(self):\n        pass\n", "a.py") == [(1, "class A")]


def test_methods_and_inner_classes_of_python_are_sections_within_their_class() -> None:
    body = "".join(f"    # {n}番\n    @property\n    def m{n}(self):\n        return '{'x' * 300}'\n\n" for n in range(5))
    text = f"class A:\n    x = 1\n\n{body}    y = 2\n\n    class B:\n        pass\n\n\nrun()\n"
    assert outline(text, "a.py") == [
        (1, "class A"), *((2, f"def m{n}") for n in range(5)), (2, "class level"), (2, "class B"), (1, "module level"),
    ]  # fmt: skip
    assert under(text, "a.py", "def m1").startswith("    # 1番\n    @property\n    def m1")


def test_statements_between_functions_belong_to_neither() -> None:
    text = "function a() {\n}\n\n// Don't\nrun(() => {\n});\n\nfunction b() {\n}\n"
    assert outline(text, "a.js") == [(1, "function a"), (1, "module level"), (1, "function b")]


def test_a_decorator_over_several_lines_belongs_to_its_class() -> None:
    text = "import x;\n\n@Component({\n  selector: 'app',\n})\nexport class App {\n}\n"
    assert under(text, "a.ts", "class App").startswith("@Component({")


def test_tables_of_sql_targets_of_make_and_stages_of_docker_divide_long_files() -> None:
    pad = "-- 余白\n" * 500
    sql = f"{pad}\n-- 顧客\nCREATE TABLE IF NOT EXISTS k.c (\n  n TEXT DEFAULT 'CREATE TABLE no ('\n);\n" + (
        "CREATE FUNCTION f() AS $$\nCREATE TABLE no ();\n$$;\n"
    )
    assert outline(sql, "a.sql") == [(1, "TABLE k.c"), (1, "FUNCTION f")]
    assert under(sql, "a.sql", "FUNCTION f").startswith("CREATE FUNCTION")
    pad = "# 余白\n" * 500
    assert outline(f"CC := gcc\n{pad}\nall: build\n\techo a:b\nbuild:\n\tx\n", "Makefile") == [(1, "all"), (1, "build")]
    assert outline(f"{pad}\nFROM go:1 AS build\nRUN x\nFROM debian\n", "Dockerfile") == [(1, "go:1 AS build"), (1, "debian")]


def test_keys_with_several_lines_head_sections_and_single_lines_stay_together() -> None:
    text = '{\n  "name": "k",\n  "scripts": {\n    "a": "{"\n  },\n  "private": true,\n  "license": "MIT"\n}\n'
    assert outline(text, "a.json") == [(1, "scripts"), (1, "private, license")]


def test_a_long_key_is_divided_by_the_keys_in_it() -> None:
    inner = "".join(f'    "路線{n}": {{\n      "x": "{"y" * 600}"\n    }},\n' for n in range(3))
    text = f'{{\n  "paths": {{\n{inner}    "last": 1\n  }}\n}}\n'
    assert outline(text, "a.json") == [(1, "paths"), *((2, f"路線{n}") for n in range(3)), (2, "last")]


def test_keys_of_yaml_take_the_comments_above_and_not_what_is_in_block_texts() -> None:
    text = "# file\n\n# 上限\nlimits:\n  a: 1\nscript: |\n  key:\n    b: 1\nlist:\n- a:\n    x: 1\n"
    assert outline(text, "a.yaml") == [(1, "limits"), (1, "script"), (1, "list")]
    assert under(text, "a.yaml", "limits").startswith("# 上限\n")


def test_documents_of_kubernetes_are_told_by_kind_and_name() -> None:
    text = "kind: Service\nmetadata:\n  name: web\n---\nkind: Deployment\nmetadata:\n  labels:\n    name: no\n  name: api\n"
    assert outline(text, "a.yml") == [(1, "Service web"), (1, "Deployment api")]


def test_tables_of_toml_sections_of_ini_and_elements_of_xml_head_sections() -> None:
    assert outline('t = 1\n[tool.ruff]\na = """\n[no]\n"""\n[[bin]]\nb = 1\n', "a.toml") == [(1, "tool.ruff"), (1, "bin")]
    assert outline("a=1\n[server]\nport=1\n; 設定\n[ログ]\nl=1\n", "a.ini") == [(1, "server"), (1, "ログ")]
    xml = '<?xml version="1.0"?>\n<p>\n  <v>1</v>\n  <bean id="q"\n    s="y"/>\n  <build><![CDATA[</p>\n]]></build>\n</p>\n'
    assert outline(xml, "a.xml") == [(1, "bean q"), (1, "build")]


def test_thousands_of_small_entries_are_data_and_not_divided() -> None:
    text = "{" + ",".join(f'"k{n}": {{\n "a": 1\n}}' for n in range(1000)) + "}"
    assert outline(text, "a.json") == []


def test_a_file_that_is_too_long_is_read_without_symbols_and_says_so() -> None:
    for name in ("a.js", "a.json"):
        document = CodeLoader().load(b"x" * 5_000_001, name)
        assert document.headings == ()
        assert "not looked for" in document.warnings[0]


@pytest.mark.parametrize(
    "piece", ["/*", "\"'`", "f(\n", "<<A\n", "{\n", "=/[", "@A(\n", "})\n", "static ", 'r#"', "$a$", "<a ", "- a\n"]
)
@pytest.mark.parametrize("name", ["a.js", "a.java", "a.cpp", "a.rs", "a.rb", "a.sql", "a.yaml", "a.json", "a.xml"])
def test_hostile_repetition_costs_no_more_than_its_length(name: str, piece: str) -> None:
    assert CodeLoader().load((piece * 5000).encode(), name).markdown == piece * 5000


def test_files_are_mapped_to_their_language() -> None:
    named = {"a.jsonl": "jsonl", "a.mts": "typescript", "api.Dockerfile": "docker", "GNUmakefile": "make", "a.xsd": "xml"}
    assert {name: programming_language_of(name) for name in named} == named
    assert [loader_name_for(name) for name in ("a.srt", "a.vtt", "a.rest")] == ["text", "text", "text"]
