"""One tree of errors. Each carries its codes for HTTP and processes, and whether a retry helps; only the edges translate it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Self


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field of a request or of the settings."""

    field: str
    code: str
    message: str


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """What to add to "there is no …": the nearest known name, as ` Did you mean 'x'?`; empty when none is near."""
    close = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f" Did you mean '{close[0]}'?" if close else ""


class RagError(Exception):
    """Base of every error a person or a program may see. `message` says what happened and what to do."""

    code = "INTERNAL_ERROR"
    status = 500
    exit_code = 1
    """Of a process that ends by it: see `cli.common.failures`."""
    retryable = False

    def __init__(self, message: str, *, details: Sequence[FieldProblem] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.details = tuple(details)


class ValidationFailed(RagError):
    code, status, exit_code = "VALIDATION_ERROR", 400, 2

    @classmethod
    def of_field(cls, field: str, code: str, message: str) -> Self:
        """One field is wrong, and that is all there is to say."""
        return cls(message, details=[FieldProblem(field, code, message)])

    @classmethod
    def of_fields(cls, what: str, problems: Sequence[FieldProblem]) -> Self:
        """Several fields may be wrong: `what` is said first, then the first five problems."""
        reasons = " ".join(f"{problem.field}: {problem.message}" for problem in problems[:5])
        return cls(f"{what} {reasons}", details=problems)


class SettingsError(ValidationFailed):
    """The settings can't be used: an unknown key, a wrong type, a literal secret."""


class Unauthorized(RagError):
    code, status = "UNAUTHORIZED", 401


class ForbiddenHost(RagError):
    code, status = "FORBIDDEN_HOST", 403


class ForbiddenOrigin(RagError):
    code, status = "FORBIDDEN_ORIGIN", 403


class ForbiddenPath(RagError):
    code, status = "FORBIDDEN_PATH", 403


class Forbidden(RagError):
    """Whoever asks lacks the role for it."""

    code, status = "FORBIDDEN", 403


class QuotaExceeded(RagError):
    code, status = "QUOTA_EXCEEDED", 403


class RateLimited(RagError):
    code, status = "RATE_LIMITED", 429

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class CollectionUnavailable(RagError):
    code, status = "KNOWLEDGE_BASE_UNAVAILABLE", 403


class NotFound(RagError):
    """Any other address or thing that does not exist."""

    code, status = "NOT_FOUND", 404


class CollectionNotFound(NotFound):
    code = "KNOWLEDGE_BASE_NOT_FOUND"


class DocumentNotFound(NotFound):
    code = "DOCUMENT_NOT_FOUND"


class CleanupTaskNotFound(NotFound):
    code = "CLEANUP_TASK_NOT_FOUND"


class JobNotFound(NotFound):
    code = "JOB_NOT_FOUND"


class TraceNotFound(NotFound):
    code = "TRACE_NOT_FOUND"


class SourceNotFound(NotFound):
    code = "SOURCE_NOT_FOUND"


class AssetNotFound(NotFound):
    code = "ASSET_NOT_FOUND"


class FeedbackNotFound(NotFound):
    code = "FEEDBACK_NOT_FOUND"


class KeyNotFound(NotFound):
    code = "KEY_NOT_FOUND"


class CollectionNameConflict(RagError):
    code, status = "KNOWLEDGE_BASE_NAME_CONFLICT", 409


class SourceNameConflict(RagError):
    code, status = "SOURCE_NAME_CONFLICT", 409


class KeyNameConflict(RagError):
    code, status = "KEY_NAME_CONFLICT", 409


class DocumentChanged(RagError):
    """The file is no longer what was read; what was asked for can't be shown from it."""

    code, status = "DOCUMENT_CHANGED", 409


class CollectionDeleted(RagError):
    code, status = "KNOWLEDGE_BASE_DELETED", 409


class CleanupTaskNotRetryable(RagError):
    code, status = "CLEANUP_TASK_NOT_RETRYABLE", 409


class DocumentDeleted(RagError):
    code, status = "DOCUMENT_DELETED", 410


class PayloadTooLarge(RagError):
    code, status = "PAYLOAD_TOO_LARGE", 413


class UnsupportedMediaType(RagError):
    code, status = "UNSUPPORTED_MEDIA_TYPE", 415


class ServiceUnavailable(RagError):
    code, status, retryable = "SERVICE_UNAVAILABLE", 503, True


class DaemonAlreadyRunning(ServiceUnavailable):
    """A second process asked for a data directory that a daemon owns."""

    exit_code = 4
    retryable = False


class PortTaken(ServiceUnavailable):
    exit_code = 5
    retryable = False


class IndexDamaged(ServiceUnavailable):
    """A dense or sparse index can't be opened; it can be rebuilt from the store."""


class IndexOutdated(IndexDamaged):
    """An earlier version made the index, in a form that this one does not use."""


class ModelUnavailable(ServiceUnavailable):
    """No source could give the model, or what it gave is damaged."""

    exit_code = 3


class ModelDamaged(ModelUnavailable):
    """A model file does not have the size or SHA-256 that its manifest records."""


class RemoteUnavailable(ServiceUnavailable):
    """A model service can't be reached, is overloaded or answers nonsense, after all retries."""


class RemoteRefused(RemoteUnavailable):
    """A model service refused what was asked: a wrong key, an unknown model, a text that is too long. A retry can't help."""

    retryable = False


class SourceUnavailable(ServiceUnavailable):
    """The remote side of a source can't be reached or answers nonsense, after all retries. No document was deleted."""


class SourceRefused(SourceUnavailable):
    """Another try can't help: a wrong token, a wrong address, a log-in page. `field` is the setting of the source to look at."""

    retryable = False

    def __init__(self, message: str, field: str = "config.base_url") -> None:
        super().__init__(message, details=[FieldProblem(field, "refused", message)])


class SourceThrottled(SourceUnavailable):
    """The remote side wants to be left alone for `retry_after_s` seconds."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ParseFailed(RagError):
    """A document could not be read. `code` goes into the job's `failed[]`; the file fails alone.

    Only a defect of ours or of a library has no more to say than this.
    """

    code, status = "PARSE_FAILED", 400


class TooComplex(ParseFailed):
    """A file has more parts, or is nested more deeply, than is read."""

    code = "TOO_COMPLEX"


class DocumentEncrypted(ParseFailed):
    code = "ENCRYPTED"


class DocumentEmpty(ParseFailed):
    code = "EMPTY"


class DocumentUnreadable(ParseFailed):
    code = "UNREADABLE"


class DocumentDamaged(DocumentUnreadable):
    """A file is cut off, or otherwise breaks the rules of its format."""

    code = "DAMAGED"


class EncodingUnknown(DocumentUnreadable):
    code = "UNKNOWN_ENCODING"


class WrongType(DocumentUnreadable):
    """What a file holds is not what its name says."""

    code = "WRONG_TYPE"


class OldFormat(ParseFailed):
    code = "OLD_FORMAT"


class UnpacksTooLarge(ParseFailed):
    """A small file that would become a very large one."""

    code = "UNPACKS_TOO_LARGE"


class TooManyPixels(ParseFailed):
    code = "TOO_MANY_PIXELS"


class DocumentVanished(ParseFailed):
    code = "VANISHED"


class ItemForbidden(ParseFailed):
    """The remote side does not let this token read the item."""

    code = "FORBIDDEN"


class ItemFailed(ParseFailed):
    """The remote side can't give the item, though it lists it."""

    code = "FAILED"


class ParseTimeout(ParseFailed):
    code = "TIMEOUT"


class ParseOutOfMemory(ParseFailed):
    code = "MEMORY"


class ParseInterrupted(ParseFailed):
    """The daemon ended more than once while it read the file."""

    code = "INTERRUPTED"


PARSE_FAILURES: dict[str, type[ParseFailed]] = {
    kind.code: kind
    for kind in (
        ParseFailed,
        DocumentDamaged,
        TooComplex,
        DocumentEncrypted,
        DocumentEmpty,
        DocumentUnreadable,
        EncodingUnknown,
        WrongType,
        OldFormat,
        UnpacksTooLarge,
        TooManyPixels,
        DocumentVanished,
        ParseTimeout,
        ParseOutOfMemory,
    )
}
"""Code -> class, for an error that a worker process reports."""
