"""What the words of installers are taken for. The texts are those of pip 23 to 26 and uv 0.13."""

from __future__ import annotations

import pytest

from ..loading import load

processes = load("setup.processes")
console = load("setup.console")
failures = load("setup.failures")


@pytest.mark.parametrize(
    ("printed", "code", "advice"),
    [
        ("OSError: [Errno 28] No space left on device", "DISK_FULL", "make room"),
        ("error: failed to write: There is not enough space on the disk. (os error 112)", "DISK_FULL", "make room"),
        ("There was a problem confirming the ssl certificate: CERTIFICATE_VERIFY_FAILED", "CERTIFICATE", "PIP_CERT"),
        ("invalid peer certificate: UnknownIssuer", "CERTIFICATE", "PIP_CERT"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "HASH_MISMATCH", "do not go on"),
        ("Hash mismatch for `x==1`", "HASH_MISMATCH", "do not go on"),
        ("ProxyError('Cannot connect to proxy.', NewConnectionError(...))", "PROXY", "HTTPS_PROXY"),
        ("tunnel error: unsuccessful", "PROXY", "HTTPS_PROXY"),
        ("Failed to establish a new connection ... No matching distribution found", "INDEX_UNREACHABLE", "does not answer"),
        ("error sending request for url: dns error: failed to lookup address", "INDEX_UNREACHABLE", "does not answer"),
        ("ERROR: HTTP error 401 while getting https://mirror.example/x.whl", "INDEX_UNREACHABLE", "user name and password"),
        ("HTTP status client error (403 Forbidden) for url", "INDEX_UNREACHABLE", "user name and password"),
        ("PermissionError: [Errno 13] Permission denied: '/x'", "PERMISSION", "who owns the folder"),
        ("error: Access is denied. (os error 5)", "PERMISSION", "who owns the folder"),
        ("ERROR: No matching distribution found for x==1", "PACKAGE_MISSING", "lacks a package"),
        ("Because x was not found in the package registry", "PACKAGE_MISSING", "lacks a package"),
        ("something else", "INSTALL_FAILED", "The lines above say why"),
    ],
)
def test_the_reason_follows_from_what_the_installer_printed(printed: str, code: str, advice: str) -> None:
    failure = failures.failure_in(printed)
    assert failure.code == code
    assert advice in failure.advice
    assert failure.in_editor


def test_the_name_of_the_systems_bundle_is_no_problem_with_a_certificate() -> None:
    assert failures.failure_in("--cert /etc/ssl/certs/ca-certificates.crt\nboom").code == "INSTALL_FAILED"


def test_a_terminal_reads_what_failed_the_last_lines_and_what_to_do() -> None:
    error = processes.CommandFailedError(["/usr/bin/python3", "-m", "pip"], 1, ["Hash mismatch for `x==1`"])
    stopped = failures.stop("Installing the packages failed", error)
    first, quoted, *advice = str(stopped).splitlines()
    assert first == "Installing the packages failed: pip ended with exit status 1."
    assert quoted == "  | Hash mismatch for `x==1`"
    assert advice[-1] == "Then try again; what was downloaded is kept."


def test_a_program_reads_the_same_in_parts() -> None:
    error = processes.CommandFailedError(["/usr/bin/uv", "pip", "install"], 1, [])
    stopped = failures.stop("Installing the packages failed", error)
    assert (stopped.code, stopped.log) == ("INSTALL_FAILED", ["(it printed nothing)"])
    assert stopped.message == "Installing the packages failed: uv ended with exit status 1."


def test_the_cause_is_the_last_line_that_says_why_and_the_index_has_no_password() -> None:
    printed = [
        "WARNING: Retrying (Retry(total=0, connect=None, read=None)) after connection broken by 'NewConnectionError("
        "'<pip._vendor.urllib3.connection.HTTPConnection object at 0x7f81e4b50210>: Failed to establish a new connection: "
        "[Errno 111] Connection refused')': /simple/anyio/",
        "ERROR: Could not find a version that satisfies the requirement anyio==4.14.2 (from versions: none)",
        "ERROR: No matching distribution found for anyio==4.14.2",
        "",
    ]
    error = processes.CommandFailedError(["/usr/bin/python3", "-m", "pip"], 1, printed)
    stopped = failures.stop("Installing the packages failed", error, "https://me:secret@mirror.example/simple")
    assert stopped.cause == (
        "connection broken by 'NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused')': "
        "/simple/anyio/"
    )
    assert failures.cause_in(printed[1:]) == "No matching distribution found for anyio==4.14.2"
    assert stopped.index == "https://mirror.example/simple"
    by_uv = ["  × Failed to download distributions", "  ╰─▶ Failed to fetch `http://127.0.0.1:9/simple/anyio/`", "  hint: look"]
    assert failures.cause_in(by_uv) == "Failed to fetch `http://127.0.0.1:9/simple/anyio/`"
    assert failures.cause_in(["something else"]) == "something else"
    assert failures.cause_in([]) == ""
