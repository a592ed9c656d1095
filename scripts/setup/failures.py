"""Why an installer failed, read from what it printed: a code for programs and advice for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from setup.console import STEP_FAILED, StopError
from setup.processes import CommandFailedError


class Failure(NamedTuple):
    code: str
    advice: str
    """For somebody at a terminal."""
    in_editor: str
    """For somebody who sees a notification of the extension."""


# What installers put before a reason.
_PREFIX = re.compile(r"^[^\w`'\"\[(]*((ERROR|WARNING|error|Caused by):\s*)*")
# What pip says of itself within a reason: its count of tries, and objects of its program.
_OF_ITSELF = re.compile(r"Retrying \(Retry\([^)]*\)\) after |<[\w.]+ object at 0x\w+>: ")
_LONGEST_CAUSE = 300

UNKNOWN = Failure("INSTALL_FAILED", "The lines above say why.", "The log says why.")

# The other installer would fail as well: it is not tried.
FINAL = frozenset({"DISK_FULL", "HASH_MISMATCH", "PERMISSION"})
# A second download from the same mirror would fail as well.
NO_WAY_TO_THE_MIRROR = frozenset({"INDEX_UNREACHABLE", "PROXY", "CERTIFICATE", *FINAL})

# The first match counts: a lost connection makes pip say in the end that it found no distribution.
_PATTERNS = (
    (
        r"no space left|disk quota|os error (28|112)\b|not enough space on the disk",
        Failure(
            "DISK_FULL",
            "The disk is full: make room (here and in the temporary folder).",
            "Make room on the disk, and where your temporary folder is.",
        ),
    ),
    (
        r"(?<!ca-)certificate|ssl ?error|tlsv1|unknownissuer",
        Failure(
            "CERTIFICATE",
            "The mirror's certificate is not trusted: set PIP_CERT to the file with your company's certificate.",
            "Write `cert = FILE` into pip's configuration, FILE being your company's certificate, or set PIP_CERT to it before "
            "the editor starts.",
        ),
    ),
    (
        r"hash(es)? (mismatch|do not match)|do not match the hashes",
        Failure(
            "HASH_MISMATCH",
            "A package differs from the one that the lock names: the mirror changed it. Ask those who run the mirror; do not go "
            "on.",
            "A package differs from the one that was released: ask those who run the package mirror, and do not go on.",
        ),
    ),
    (
        r"proxyerror|proxy authentication|\b407\b.*proxy|(unable|cannot|failed) (to )?connect to (the )?proxy|"
        r"tunnel (error|connection failed)|unsuccessful tunnel|proxy connect",
        Failure(
            "PROXY",
            "The proxy does not let the installer through: `python3 -m pip config list` and HTTPS_PROXY show which one is set.",
            "Check the setting `http.proxy`, and `proxy` in pip's configuration.",
        ),
    ),
    (
        r"(error|status code):? *\(?(401|403)\b|(401|403) (unauthorized|forbidden|client error)",
        Failure(
            "INDEX_UNREACHABLE",
            "The package mirror wants a user name and password, or a token: put them into its address.",
            "The package mirror wants a user name and password, or a token: put them into the address in pip's configuration.",
        ),
    ),
    (
        r"new connection|connection (refused|reset|error|aborted|broken)|timed out|dns error|name resolution|"
        r"unreachable|error sending request|failed to fetch|(failed to|could not) connect",
        Failure(
            "INDEX_UNREACHABLE",
            "The package mirror does not answer: `python3 -m pip config list` shows which one is set, PIP_INDEX_URL sets "
            "another, and HTTPS_PROXY the way to it.",
            "Check the network; behind a firewall set `ragAssistant.index.url` to your package mirror, or `http.proxy` to the "
            "way there.",
        ),
    ),
    (
        r"permission ?(denied|error)|access is denied|os error (5|13|30)\b|read-only file system",
        Failure(
            "PERMISSION",
            "Files can't be written there: look who owns the folder, and whether a program has it open.",
            "Look who owns the folder that the log names, and whether a program has its files open.",
        ),
    ),
    (
        r"no matching distribution|no version of|not found in the (package )?(registry|index)|no solution found|no wheels",
        Failure(
            "PACKAGE_MISSING",
            "The mirror lacks a package, has none for this machine, or wants a user name and password: "
            "`python3 -m pip config list` shows which mirror is set.",
            "The package mirror lacks a package, has none for this machine, or wants a user name and password: ask those who run "
            "it, or set `ragAssistant.index.url` to another one.",
        ),
    ),
)


def failure_in(output: str) -> Failure:
    """What an installer's output says about its failure."""
    for pattern, failure in _PATTERNS:
        if re.search(pattern, output, re.IGNORECASE):
            return failure
    return UNKNOWN


def cause_in(lines: Sequence[str]) -> str:
    """The last line of an installer that says why it failed, else the last one that it printed.

    Lines that only say what followed from it do not count, as that no distribution was found after a lost connection.
    """
    said = [line for line in (_OF_ITSELF.sub("", _PREFIX.sub("", line)).strip() for line in lines) if line]
    failure = failure_in("\n".join(said))
    telling = [line for line in said if failure is not UNKNOWN and failure_in(line) is failure]
    return next(reversed(telling or said), "")[:_LONGEST_CAUSE]


def without_credentials(address: str) -> str:
    return re.sub(r"//[^/@\s]*@", "//", address)


def stop(what_failed: str, error: CommandFailedError, index: str = "") -> StopError:
    """The end of the script after a failed installer, with its last lines and what to do. `index`: the one that it asked."""
    failure = failure_in("\n".join(error.last_lines))
    return StopError(
        f"{what_failed}: {error}.",
        STEP_FAILED,
        code=failure.code,
        advice=f"{failure.advice}\nThen try again; what was downloaded is kept.",
        in_editor=failure.in_editor,
        log=error.last_lines or ["(it printed nothing)"],
        cause=cause_in(error.last_lines),
        index=without_credentials(index),
    )
