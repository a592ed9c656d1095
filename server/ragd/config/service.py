"""Settings of the daemon: its address, limits, store, jobs, traces and agents."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, Field, IPvAnyNetwork, model_validator
from pydantic_core import PydanticCustomError

from ragd.config.fields import Group, SecretReference
from ragd.core.errors import ForbiddenPath

_STORES: Final = ("sqlite", "postgresql", "postgresql+psycopg")

Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]


class ServerSettings(Group):
    port: Annotated[int, Field(ge=0, le=65535)] = 8765
    """TCP port; 0 takes a free one."""
    host: str = "127.0.0.1"
    """Address to listen on. Any but a loopback one needs `security.mode: server`."""
    dashboard: bool = True
    """Whether there is a dashboard at `/dashboard`."""
    names: tuple[str, ...] = ()
    """Names of hosts by which clients call in server mode, as in `https://NAME/`; loopback names always count."""
    trusted_proxies: tuple[IPvAnyNetwork, ...] = ()
    """Networks of proxies whose `X-Forwarded-For` says who asks. From anybody else it is not looked at."""
    connections_per_address: Annotated[int, Field(ge=1)] = 64
    """Connections at once from one address in server mode, unless it is a trusted proxy or of this machine."""
    shutdown_grace_s: Annotated[float, Field(gt=0)] = 10.0
    """Seconds in which a daemon that was asked to stop has ended; then it is killed."""
    drain_s: Annotated[float, Field(ge=0, le=600)] = 0.0
    """Seconds after a signal in which requests are still answered while `/ready` says 503; `shutdown_grace_s` begins then."""


class GroupRole(Group):
    """What the members of a group may do."""

    group: Annotated[str, Field(min_length=1)]
    role: Literal["reader", "writer", "admin"]
    collections: tuple[str, ...] | None = None
    """Names; none given counts everywhere."""

    @model_validator(mode="after")
    def _names_what_it_begins_to_name(self) -> GroupRole:
        # `collections:` with nothing behind it is null in YAML: a list that was not filled in must not open everything.
        if self.collections is None and "collections" in self.model_fields_set:
            raise PydanticCustomError(
                "no_collections",
                "name collections, write [] for none, or leave `collections` out: the role then counts everywhere",
            )
        return self


class OidcSettings(Group):
    issuer: str = ""
    """Address of the company's sign-on, as its tokens name it (`iss`). Empty: no tokens of it are taken."""
    audience: str = ""
    """What tokens for this service name as their audience (`aud`)."""
    jwks_url: str = ""
    """Where the issuer's keys are. Empty: as its `/.well-known/openid-configuration` says."""
    algorithms: Annotated[tuple[Algorithm, ...], Field(min_length=1)] = ("RS256", "ES256")
    """Signatures that are taken. None with a shared secret is."""
    leeway_s: Annotated[float, Field(ge=0, le=300)] = 60.0
    """Seconds by which clocks may differ."""
    refresh_s: Annotated[float, Field(ge=1)] = 60.0
    """Seconds between two looks at the issuer's keys, at least, also when tokens name keys that are not known."""
    name_claim: str = "preferred_username"
    """The claim that names somebody in the audit log; `sub` where it is missing."""
    groups_claim: str = "groups"
    """The claim with the groups of somebody."""
    rate_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Requests that one person may make in a minute. None: no limit."""
    groups: tuple[GroupRole, ...] = ()
    """What members of a group may do: `group`, `role`, `collections`."""

    @model_validator(mode="after")
    def _is_whole(self) -> OidcSettings:
        if self.issuer and not self.audience:
            raise PydanticCustomError("no_audience", "oidc.audience must name this service, or any token of the issuer counts")
        return self


class SecuritySettings(Group):
    mode: Literal["local", "server"] = "local"
    """`local`: one user, on this machine, by the token of `daemon.json`. `server`: API keys and sign-on, with roles."""
    audit: bool = True
    """Whether server mode writes who did what to `audit.jsonl` in the log folder."""
    audit_questions: bool = False
    """Whether the audit log has the texts of questions, too."""
    allowed_roots: tuple[str, ...] = ()
    """Folders that path ingestion may read. Empty: any path that the daemon's user can read."""
    secret_names: tuple[str, ...] = ("env:RAG_SECRET_*", "keyring:*")
    """References to secrets that a source may name, with `*` for any signs. Files in the configuration's folder and in
    `allowed_roots` may be named besides."""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts (`*.corp.example.com`) and networks (`10.0.0.0/8`) at private addresses or on this machine that sources may ask.
    Public addresses need no entry; link-local ones are never asked."""

    def path_roots(self) -> tuple[str, ...]:
        """The folders that named paths may lead into; none for anywhere. Raises `ForbiddenPath` where there must be some."""
        if self.mode == "server" and not self.allowed_roots:
            raise ForbiddenPath("In server mode only paths in security.allowed_roots are read, and it names none. Upload files.")
        return self.allowed_roots


def _store_url(text: str) -> str:
    url = urlsplit(text)
    if text and url.scheme not in _STORES:
        raise PydanticCustomError("store_url", "the database is PostgreSQL, postgresql://USER@HOST/DATABASE, or empty: SQLite")
    if url.password is not None or "password" in parse_qs(url.query):
        raise PydanticCustomError("literal_secret", "a password never stands in the URL; store.password says where it is")
    return text


class StoreSettings(Group):
    url: Annotated[str, AfterValidator(_store_url)] = ""
    """The database: `postgresql://USER@HOST/DATABASE`, options of libpq behind a `?`. Empty: SQLite in the data directory."""
    password: SecretReference = ""
    """Where the database's password is. Empty: none, or what libpq finds (`PGPASSFILE`, `~/.pgpass`, `PGPASSWORD`)."""


def _blobs_url(text: str) -> str:
    url = urlsplit(text)
    if text and (url.scheme != "s3" or not url.netloc or "@" in url.netloc or url.query or url.fragment):
        raise PydanticCustomError("blobs_url", "a bucket is s3://BUCKET/PREFIX without keys; empty: the data directory")
    return text


class BlobsSettings(Group):
    url: Annotated[str, AfterValidator(_blobs_url)] = ""
    """Where uploaded files and pictures are kept: `s3://BUCKET/PREFIX`, a prefix for each database. Empty: the data directory."""
    endpoint: str = ""
    """The address of a service that speaks S3, such as `https://minio.corp.example.com`. Empty: that of AWS."""
    region: str = ""
    """Its region. Empty: `AWS_REGION`, or `us-east-1`."""
    access_key: SecretReference = ""
    """Where the access key's id is. Empty: the standard environment (`AWS_ACCESS_KEY_ID` …, a web identity, a machine's role)."""
    secret_key: SecretReference = ""
    """Where the secret key is."""
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """Seconds for one request to the bucket, its retries together; files travel in parts of 5 MB."""


class JobsSettings(Group):
    queue: Literal["process", "procrastinate"] = "process"
    """Who runs jobs: the daemon itself (`process`), or any number of `rag worker` processes, to which Procrastinate brings them.
    The latter needs `store.url` and indexes that processes can share: see docs/service.md."""
    keep: Annotated[int, Field(ge=1)] = 1000
    """Finished jobs kept in the store; the oldest go first."""
    cleanup_retries_s: tuple[float, ...] = (60.0, 120.0, 240.0)
    """Seconds before each new attempt of a clean-up that failed."""
    niceness: Annotated[int, Field(ge=0, le=19)] = 10
    """How far a `rag worker` stands behind other processes of its machine, as of `nice`: 10 gets it a tenth of a core that a
    process wants as well that answers. Windows has no such ranks."""


class McpSettings(Group):
    enabled: bool = False
    """Whether agents may ask by the Model Context Protocol. A policy file of the machine can forbid it: see docs/mcp.md."""
    transports: tuple[Literal["stdio", "http"], ...] = ("stdio", "http")
    """By which ways: `stdio` is the command `rag mcp`, `http` the daemon's address `/mcp`."""
    tool_names: Literal["flat", "library"] = "flat"
    """Names under which tools are listed: `flat` (`query_knowledge_hub`) or `library` (`library.query`). Calls by either name
    are answered."""
    max_chars: Annotated[int, Field(ge=2_000, le=1_000_000)] = 20_000
    """Characters of the text of one result at most, unless a call asks for less."""
    daemon_idle_s: Annotated[int, Field(ge=1)] = 300
    """Seconds for which a daemon that `rag mcp` started lives on after its last client has gone."""


class ObservabilitySettings(Group):
    detail_level: Literal["minimal", "standard", "verbose"] = "standard"
    """What a trace holds: `minimal` no texts, `standard` the query's text, `verbose` passages too."""
    keep_traces: Annotated[int, Field(ge=0)] = 10_000
    """Traces kept in the store; the oldest go first."""
    metrics: bool = True
    """Whether `GET /metrics` gives counters and durations for Prometheus."""
    otlp_endpoint: str = ""
    """Base URL of an OpenTelemetry collector that gets the traces, such as `http://collector.example.com:4318`. Empty: none."""
    otlp_question_text: bool = False
    """Whether the collector gets the text of questions, as far as `detail_level` lets it into traces."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Least severity that is logged."""


class LimitsSettings(Group):
    max_document_size: Annotated[int, Field(ge=1)] = 50 * 1024 * 1024
    """Bytes of one file at most."""
    max_upload_size: Annotated[int, Field(ge=1)] = 500 * 1024 * 1024
    """Bytes of one upload request at most, all its files together."""
    max_body_size: Annotated[int, Field(ge=1024)] = 2 * 1024 * 1024
    """Bytes of a request body that is not an upload."""
    max_top_k: Annotated[int, Field(ge=1)] = 20
    """Largest `top_k` of a request."""
    max_rerank_candidates: Annotated[int, Field(ge=1)] = 100
    """Largest number of candidates that a reranker gets."""
    max_query_chars: Annotated[int, Field(ge=1)] = 8192
    """Characters of a query; what is beyond is cut, with a warning."""
    max_queued_jobs: Annotated[int, Field(ge=1)] = 1000
    """Jobs that may wait; beyond that an ingestion is refused with 503."""


class EvaluationSettings(Group):
    resamples: Annotated[int, Field(ge=100)] = 10_000
    """Resamplings of the paired randomisation test that compares two configurations."""
    keep: Annotated[int, Field(ge=1)] = 200
    """Evaluation runs kept in the store; the oldest go first."""
