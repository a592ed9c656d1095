"""Where every error of the command line ends: one message on stderr, and an exit code that means something.

0 fine · 1 it failed, or a problem was found · 2 wrong usage or settings · 3 no model · 4 the data directory is in use ·
5 the port is taken · 6 an evaluation did not meet its gate · 130 interrupted.
"""

from __future__ import annotations

import logging
import sys

import click

from ragd.cli.common.context import CliContext
from ragd.cli.common.output import note
from ragd.client.errors import ApiError
from ragd.core.errors import RagError, ValidationFailed

FAILED = 1
GATE_NOT_MET = 6
_INTERRUPTED = 130
_GLOBAL_OPTIONS = ("--data-dir", "--config-dir")

log = logging.getLogger(__name__)


def explain(error: BaseException, context: CliContext) -> int:
    """Print what happened and what to do; returns the exit code."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        note("Interrupted.")
        return _INTERRUPTED
    if isinstance(error, click.NoSuchOption) and error.option_name in _GLOBAL_OPTIONS:
        hint = f"It stands before the command: rag {error.option_name} FOLDER {' '.join(sys.argv[1:2])} …"
        error = click.NoSuchOption(error.option_name, f"{error.message} {hint}", ctx=error.ctx)
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, RagError):
        note(f"Error: {error.message}")
        if isinstance(error, ApiError) and error.status == RagError.status:
            note(f"The log has the details under the request id {error.request_id}; logs are in {context.logs}.")
        return ValidationFailed.exit_code if error.code == ValidationFailed.code else error.exit_code
    if isinstance(error, ImportError):
        note(f"Error: the installation is incomplete ({error}). Install rag-assistant again.")
    elif isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        note(f"Error: {error.strerror or error}{where}. `rag doctor` may say how to fix it.")
    else:
        note(f"Error: an unexpected {type(error).__name__}. {_log_it(error, context)}")
    return FAILED


def _log_it(error: BaseException, context: CliContext) -> str:
    """Put the stack into the log; returns where it is, in a sentence."""
    from ragd.core.logs import CLI_LOG, logging_to

    try:
        with logging_to(context.logs, CLI_LOG, "INFO"):
            log.error("unexpected error", exc_info=error)
    except OSError as refusal:
        return f"It says: {error} (and the log can't be written: {refusal.strerror})."
    return f"The details are in {context.logs / CLI_LOG}."
