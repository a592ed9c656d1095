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
