"""Migrations of what the service for other programs and the dashboard use; `migrations` has their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from ragd.store.database.columns import size, text

if TYPE_CHECKING:
    from alembic.operations import Operations


def api_keys(op: Operations) -> None:
    """Keys by which programs and people ask in server mode, and the collections of those that do not count everywhere."""
    op.create_table(
        "api_keys",
        sa.Column("key_id", text(32), primary_key=True),
        sa.Column("name", text(255), nullable=False),
        sa.Column("role", text(16), nullable=False),
        sa.Column("everywhere", sa.Boolean(), nullable=False),
        sa.Column("secret_hash", text(64), nullable=False),
        sa.Column("previous_hash", text(64)),
        sa.Column("previous_until", text(32)),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("expires_at", text(32)),
        sa.Column("revoked_at", text(32)),
        sa.Column("last_used_at", text(32)),
        sa.Column("rate_per_minute", sa.Integer()),
        sa.Column("quota_documents", sa.Integer()),
        sa.Column("quota_bytes", size()),
    )
    live = sa.text("revoked_at IS NULL")
    op.create_index("uq_api_keys_name", "api_keys", ["name"], unique=True, sqlite_where=live, postgresql_where=live)
    op.create_table(
        "api_key_collections",
        sa.Column("key_id", text(32), sa.ForeignKey("api_keys.key_id"), primary_key=True),
        sa.Column("kb_id", text(32), sa.ForeignKey("collections.kb_id"), primary_key=True),
    )


def callers(op: Operations) -> None:
    """Which trace of its caller's a job belongs to, as W3C writes it."""
    op.add_column("jobs", sa.Column("traceparent", text(64)))


def trace_summaries(op: Operations) -> None:
    """What lists of traces show and look for without reading whole envelopes. Older traces have none of it."""
    op.add_column("traces", sa.Column("question", text()))
    op.add_column("traces", sa.Column("results", sa.Integer()))
    op.add_column("traces", sa.Column("degraded", text()))


def request_rates(op: Operations) -> None:
    """When each caller's allowance is whole again, in seconds since 1970: shared by the processes that answer."""
    op.create_table(
        "request_rates",
        sa.Column("caller_hash", text(64), primary_key=True),
        sa.Column("full_at", sa.Double(), nullable=False),
    )


def labels(op: Operations) -> None:
    """What people say of single passages: whether they answer a question. Every mark is a row; the newest one counts."""
    op.create_table(
        "labels",
        sa.Column("label_id", text(32), primary_key=True),
        sa.Column("question_id", text(32), nullable=False),
        sa.Column("kb_id", text(32), sa.ForeignKey("collections.kb_id"), nullable=False),
        sa.Column("question", text(), nullable=False),
        sa.Column("author", text(255), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("grade", sa.Integer()),
        sa.Column("doc_id", text(32), nullable=False),
        sa.Column("source", text(), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("section_path", sa.JSON(), nullable=False),
        sa.Column("chunk_id", text(32), nullable=False),
        sa.Column("text_hash", text(32), nullable=False),
        sa.Column("content_hash", text(32), nullable=False),
        sa.Column("trace_id", text(32)),
        sa.Column("created_at", text(32), nullable=False),
    )
    op.create_index("uq_labels_position", "labels", ["question_id", "author", "position"], unique=True)
    op.create_index("ix_labels_kb", "labels", ["kb_id", "question_id"])


def descriptions(op: Operations) -> None:
    """What captioners say of pictures, once for each picture and captioner; the words read in pictures, with their places.

    `version_assets` says which description the views of a version hold.
    """
    op.create_table(
        "descriptions",
        sa.Column("description_id", text(32), primary_key=True),
        sa.Column("asset_id", text(32), sa.ForeignKey("assets.asset_id"), nullable=False),
        sa.Column("provider", text(64), nullable=False),
        sa.Column("model", text(255), nullable=False),
        sa.Column("prompt_id", text(64), nullable=False),
        sa.Column("profile", text(64), nullable=False),
        sa.Column("image_type", text(16), nullable=False),
        sa.Column("low_quality", sa.Boolean(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("error_code", text(64)),
        sa.Column("error_message", text()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("context_hash", text(32), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
    )
    op.create_index("ix_descriptions_asset", "descriptions", ["asset_id"])
    op.create_index("ix_descriptions_created", "descriptions", ["created_at"])
    op.add_column("assets", sa.Column("words", sa.JSON()))
    op.add_column("version_assets", sa.Column("description_id", text(32)))


def pages_of_documents(op: Operations) -> None:
    """A page of documents by path is found in an index alone, which tells what is left out of it, too."""
    op.create_index("ix_documents_source", "documents", ["source", "doc_id", "kb_id", "status", "source_id"])


def likenesses(op: Operations) -> None:
    """By what pictures are told that look the same. Those that were kept before have none until they are looked at again."""
    op.add_column("assets", sa.Column("phash", text(64)))


def datasets(op: Operations) -> None:
    """Questions to measure with, each version whole."""
    op.create_table(
        "datasets",
        sa.Column("name", text(64), primary_key=True),
        sa.Column("position", sa.Integer(), primary_key=True),
        sa.Column("digest", text(32), nullable=False),
        sa.Column("questions", sa.Integer(), nullable=False),
        sa.Column("author", text(255), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("text", text(), nullable=False),
    )


LATER_MIGRATIONS = (
    api_keys,
    callers,
    trace_summaries,
    request_rates,
    labels,
    descriptions,
    pages_of_documents,
    likenesses,
    datasets,
)
"""After those of `migrations`, in order."""
