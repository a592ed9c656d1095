"""What stands in a question to the letter: issue keys, error codes, options, paths, versions, code names, quoted phrases.

One regular expression each, tried in the order of `_KINDS` at every place, so that the more specific kind wins. A number alone is
a code only after a word that says so (`HTTP 404`, `exit code 137`). What merely looks alike is left out: `and/or`, `1.5`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ragd.core.query import Identifier, IdentifierKind

MAX_IDENTIFIERS: Final = 64

_QUOTED: Final = re.compile(
    r'(?<![\w"])"(?=[^\s"])([^"\n]{1,200})(?<=[^\s"])"(?!\w)|“([^“”\n]{1,200})”|`([^`\n]{1,200})`'
    r"|「([^「」\n]{1,200})」|『([^『』\n]{1,200})』|«([^«»\n]{1,200})»"
)

# ASCII word characters only (re.ASCII), so that Japanese or Chinese may stand right beside an identifier.
_ISSUE_KEY: Final = r"(?<![\w-])(?:CVE-\d{4}-\d{4,7}|[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,4}|GH-\d+)(?![\w-])|(?<!\S)#\d{2,7}\b"
_ERROR_CODE: Final = (
    r"(?<![\w-])(?:0x[0-9A-Fa-f]{2,16}|[A-Z]{1,4}\d{3,6}|(?:ORA|TNS|PLS|SQL|DB|DSRA|KB)-?\d{2,7}|[A-Z]{2,9}-0\d{1,6}"
    r"|[A-Z]{2,9}-\d{6,8}|(?:[A-Z0-9]+_){0,6}(?:ERR|ERROR|FAIL|FAILURE|FAILED|EXCEPTION|DENIED|INVALID)(?:_[A-Z0-9]+){1,8}"
    r"|[A-Z0-9]+(?:_[A-Z0-9]+){0,6}_(?:ERR|ERROR|FAIL|FAILURE|FAILED|EXCEPTION|DENIED|INVALID)"
    r"|E(?:ACCES|PERM|NOENT|EXIST|AGAIN|INVAL|PIPE|BUSY|INTR|IO|NOMEM|NOSPC|ISDIR|NOTDIR|MFILE|ROFS"
    r"|CONN[A-Z]{4,7}|TIMEDOUT|ADDR[A-Z]{4,8}|HOSTUNREACH|NETUNREACH|NOTFOUND)"
    r"|SIG(?:HUP|INT|QUIT|ILL|ABRT|BUS|FPE|KILL|SEGV|PIPE|ALRM|TERM|CHLD|STOP|TSTP|CONT|USR[12]))(?![\w-])"
)
_CALLED_CODE: Final = (
    r"(?:\bHTTP(?:/\d(?:\.\d)?)?|\bstatus(?:[ -]code)?|\berror(?:[ -](?:code|number))?|\bexit[ -](?:code|status)"
    r"|\breturn[ -]code|\berrno|エラー(?:コード|番号)?|ステータス(?:コード)?|終了コード|错误(?:码|代码)?|状态码|返回码|退出码)"
    r"[ ]?[:=#]?[ ]?(?P<code>-?\d{1,6})(?![\w.])"
)
_OPTION: Final = r"(?<![\w/.-])(?:-[A-Za-z]{1,3}(?:,[\w=./+-]{1,60}){1,8}|--[A-Za-z0-9][\w.-]{0,60}\b|-[A-Za-z][\w-]{0,40})(?!\w)"
_PATH: Final = (
    r"(?<!\w)(?:[A-Za-z]:[\\/](?![\\/])|\\\\[\w.$-]+\\)[^\s\"'<>|?*:,;「」()、。]*"
    r"|\b[a-z][a-z0-9+.-]{1,15}://[^\s\"'<>「」()、。]+"
    r"|(?<![\w/.~:])(?:~|\.{1,2})?(?:/[\w.@+%~$-]*[\w@+%~$-])+/?"
    r"|(?<![\w/.~@:-])(?=[\w.@+-]*[A-Za-z_])(?:[\w.@+-]{1,100}/){2,20}[\w@+-][\w.@+-]*\b"
    r"|(?<![\w/.~@:-])(?:[\w.@+-]{1,100}/){1,20}[\w@+-]+(?:\.[A-Za-z]\w{0,9})+\b"
)
_VERSION: Final = (
    r"(?<![\w.-])(?!\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))(?:v\d{1,6}(?:\.\d{1,6}){0,5}|\d{1,6}(?:\.\d{1,6}){2,5})(?:[-+~][\w.+~-]*\w)?(?![\w.]*\w)"
    r"|(?:\b(?i:versions?|ver\.?|release)|バージョン|版本)[ ]?(?P<version>\d{1,6}(?:\.\d{1,6}){0,5}(?:[-+~]\w[\w.+~-]*\b)?)(?!\w)"
)
_NAME: Final = (
    r"(?<![\w.@-])(?:\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])"  # 10.0.0.1
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?!\w)"  # the hash of a commit
    r"|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"  # somebody@example.com
    r"|~?[A-Za-z_]\w*(?:(?:::|->|#)~?\w+){1,8}(?:\(\)?)?"  # std::vector, Foo#bar
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,8}\(\)"  # foo.bar()
    r"|[A-Za-z_][\w.+-]{1,60}\((?:\d[a-z]{0,2})?\)"  # dh_link(1), main()
    r"|[A-Za-z]\w+(?:[.-][A-Za-z_]\w+)*\.[A-Za-z]\w{1,12}(?![\w.]*\w)"  # kestrel.yaml, os.path.join
    r"|\w*[A-Za-z\d]_\w*[A-Za-z\d]\w*|__\w+__"  # max_connections
    r"|[a-z][a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[a-z]{2,}[A-Z]\w*"  # getUserName, HttpClient
    r"|[A-Za-z]{2,}\d\w*(?:-[a-z]+)*)"  # sha256, libc6-dev
    r"|\$\{?[A-Za-z_]\w*\}?|%[A-Z_]{2,}%"  # $HOME, %PATH%
)
_KINDS: Final[tuple[tuple[IdentifierKind, str], ...]] = (
    ("path", _PATH),
    ("error_code", _CALLED_CODE),
    ("error_code", _ERROR_CODE),
    ("issue_key", _ISSUE_KEY),
    ("option", _OPTION),
    ("version", _VERSION),
    ("name", _NAME),
)
_ANY: Final = re.compile("|".join(f"(?P<k{index}>{pattern})" for index, (_, pattern) in enumerate(_KINDS)), re.ASCII)
# Standards and products that are written as issue keys and error codes are.
_STANDARDS: Final = re.compile(r"(?:UTF|SHA|ISO|RFC|AES|RSA|MD|CRC|GPT|ARM|IEEE|EN|JIS|ES|HDMI|USB|IPV|COVID|UCS|CP|BASE)-?\d+")
# A question that is nothing but one such word is meant to the letter; in a sentence it may be any compound.
_COMPOUND: Final = re.compile(r"[A-Za-z][A-Za-z0-9.+]*(?:-[A-Za-z0-9.+]+)+")
# What is longer, such as base64, is no identifier; the square of its length would be its cost.
_TOO_LONG: Final = re.compile(r"[!-~]{257,}+")
_ABBREVIATIONS: Final = frozenset({"e.g", "i.e", "a.k.a", "etc.and"})
_PARTS: Final = re.compile(r"[^\W_]+")
WORD_BOUNDARIES: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
"""Inside of a word: before a capital that follows a small letter, before the last capital of an acronym, at digits."""


def find_identifiers(text: str) -> tuple[Identifier, ...]:
    """The identifiers of a question in canonical form, in the order in which they stand, each once, at most `MAX_IDENTIFIERS`.

    What stands in quotes is `quoted`, and looked into as well; where all of it is one identifier, it has its own kind.
    """
    found: dict[str, tuple[int, Identifier]] = {}
    for start, identifier in _found(text):
        found.setdefault(identifier.text, (start, identifier))
        if len(found) == MAX_IDENTIFIERS:
            break
    if not found and _COMPOUND.fullmatch(text):
        return (Identifier("name", text),)
    for start, quoted in _quoted(text):
        if quoted not in found and len(found) < MAX_IDENTIFIERS:
            found[quoted] = (start, Identifier("quoted", quoted))
    return tuple(identifier for _, identifier in sorted(found.values(), key=lambda item: item[0]))


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """`[start, end)` of everything in quotes, the quotes included."""
    return [match.span() for match in _QUOTED.finditer(text)]


def words_of(identifier: str) -> list[str]:
    """The words that an identifier is made of, split as the analysis of texts does; single characters are left out."""
    return [word for run in _PARTS.findall(identifier) for word in WORD_BOUNDARIES.split(run) if len(word) > 1]


def _quoted(text: str) -> Iterator[tuple[int, str]]:
    for match in _QUOTED.finditer(text):
        inner = next(group for group in match.groups() if group is not None).strip()
        if any(character.isalnum() for character in inner):
            yield match.start(), inner


def without_long_runs(text: str) -> str:
    """Blanks for what is too long to be an identifier, so that the rest stands where it stood."""
    return _TOO_LONG.sub(lambda run: " " * len(run[0]), text)


def _found(text: str) -> Iterator[tuple[int, Identifier]]:
    for match in _ANY.finditer(without_long_runs(text)):
        # The group that ended last is the kind's own: those inside of it have names.
        kind = next(kind for index, (kind, _) in enumerate(_KINDS) if match.group(f"k{index}") is not None)
        named = next((name for name in ("code", "version") if match.group(name) is not None), None)
        written = match.group(named) if named else match.group()
        written = written if named else written.rstrip(".,;:!?")
        if kind in ("issue_key", "error_code") and _STANDARDS.fullmatch(written):
            kind = "name"
        if not _only_looks_alike(kind, written):
            yield match.start(named or 0), Identifier(kind, written)


def _only_looks_alike(kind: IdentifierKind, written: str) -> bool:
    if kind == "path":
        # Dates, fractions, "and/or/not" in capitals; a single "/" or "/2".
        named = re.search(r"[A-Za-z_]{2}|^[A-Za-z]:.*\w|^~", written)
        return not named or bool(re.fullmatch(r"[A-Z/]+", written))
    return written.lower() in _ABBREVIATIONS or len(written) < 2
