"""Schema changes, in order. The list only grows: a migration that has landed is never edited.

Each step is written with Alembic's operations, so that SQLite and PostgreSQL run the same list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import sqlalchemy as sa

from ragd.store.database.columns import size, text
from ragd.store.database.service_migrations import LATER_MIGRATIONS

if TYPE_CHECKING:
    from alembic.operations import Operations


def _0001_foundation(op: Operations) -> None:
    """Content, vectors, jobs and traces."""
    op.create_table(
        "collections",
        sa.Column("kb_id", text(32), primary_key=True),
        sa.Column("name", text(255), nullable=False),
        sa.Column("description", text(), nullable=False),
        sa.Column("status", text(16), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("updated_at", text(32), nullable=False),
    )
    live = sa.text("status != 'deleted'")
    op.create_index("uq_collections_name", "collections", ["name"], unique=True, sqlite_where=live, postgresql_where=live)
    op.create_table(
        "documents",
        sa.Column("doc_id", text(32), primary_key=True),
        sa.Column("kb_id", text(32), sa.ForeignKey("collections.kb_id"), nullable=False),
        sa.Column("source", text(), nullable=False),
        sa.Column("source_uri", text(), nullable=False),
        sa.Column("status", text(16), nullable=False),
        sa.Column("error_code", text(64)),
        sa.Column("error_message", text()),
        sa.Column("version_id", text(32)),
        sa.Column("title", text(), nullable=False),
        sa.Column("doc_type", text(16), nullable=False),
        sa.Column("language", text(16)),
        sa.Column("size", size(), nullable=False),
        sa.Column("summary", text(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("updated_at", text(32), nullable=False),
    )
    op.create_index("ix_documents_kb_status", "documents", ["kb_id", "status"])
    op.create_index("ix_documents_kb_source", "documents", ["kb_id", "source"])
    op.create_table(
        "versions",
        sa.Column("version_id", text(32), primary_key=True),
        sa.Column("doc_id", text(32), sa.ForeignKey("documents.doc_id"), nullable=False),
        sa.Column("status", text(16), nullable=False),
        sa.Column("content_hash", text(32), nullable=False),
        sa.Column("profile_id", text(32), nullable=False),
        sa.Column("loader", text(64), nullable=False),
        sa.Column("loader_version", text(32), nullable=False),
        sa.Column("title", text(), nullable=False),
        sa.Column("doc_type", text(16), nullable=False),
        sa.Column("language", text(16)),
        sa.Column("markdown", text(), nullable=False),
        sa.Column("md_sha256", text(32), nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("size", size(), nullable=False),
        sa.Column("section_count", sa.Integer(), nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("ready_at", text(32)),
    )
    op.create_index("ix_versions_doc_status", "versions", ["doc_id", "status"])
    op.create_table(
        "sections",
        sa.Column("version_id", text(32), sa.ForeignKey("versions.version_id"), primary_key=True),
        sa.Column("ordinal", sa.Integer(), primary_key=True),
        sa.Column("section_id", text(32), nullable=False),
        sa.Column("path", sa.JSON(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("section_hash", text(32), nullable=False),
    )
    op.create_table(
        "chunks",
        sa.Column("chunk_id", text(32), primary_key=True),
        sa.Column("doc_id", text(32), sa.ForeignKey("documents.doc_id"), nullable=False),
        sa.Column("section_id", text(32), nullable=False),
        sa.Column("section_path", sa.JSON(), nullable=False),
        sa.Column("text", text(), nullable=False),
    )
    op.create_index("ix_chunks_doc", "chunks", ["doc_id"])
    op.create_table(
        "chunk_occurrences",
        sa.Column("version_id", text(32), sa.ForeignKey("versions.version_id"), primary_key=True),
        sa.Column("ordinal", sa.Integer(), primary_key=True),
        sa.Column("chunk_id", text(32), sa.ForeignKey("chunks.chunk_id"), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("dense_key", text(32), nullable=False),
        sa.Column("dense_id", text(32), nullable=False),
        sa.Column("sparse_id", text(32), nullable=False),
    )
    op.create_index("ix_occurrences_chunk", "chunk_occurrences", ["chunk_id"])
    op.create_index("ix_occurrences_dense", "chunk_occurrences", ["dense_id"])
    op.create_index("ix_occurrences_sparse", "chunk_occurrences", ["sparse_id"])
    op.create_table(
        "vectors",
        sa.Column("dense_key", text(32), primary_key=True),
        sa.Column("model_id", text(128), primary_key=True),
        sa.Column("model_revision", text(64), primary_key=True),
        sa.Column("text_norm_profile", text(32), primary_key=True),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "jobs",
        sa.Column("job_id", text(32), primary_key=True),
        sa.Column("kind", text(32), nullable=False),
        sa.Column("status", text(16), nullable=False),
        sa.Column("collection", text(255), nullable=False),
        sa.Column("kb_id", text(32), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("progress", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON()),
        sa.Column("error", sa.JSON()),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("request_id", text(64)),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("started_at", text(32)),
        sa.Column("finished_at", text(32)),
    )
    op.create_index("ix_jobs_status_sequence", "jobs", ["status", "sequence"])
    op.create_table(
        "traces",
        sa.Column("trace_id", text(32), primary_key=True),
        sa.Column("trace_type", text(16), nullable=False),
        sa.Column("status", text(16), nullable=False),
        sa.Column("started_at", text(32), nullable=False),
        sa.Column("ended_at", text(32), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=False),
        sa.Column("strategy_config_id", text(32), nullable=False),
        sa.Column("job_id", text(64)),
        sa.Column("request_id", text(64)),
        sa.Column("envelope", sa.JSON(), nullable=False),
    )
    op.create_index("ix_traces_started", "traces", ["started_at"])


def _0002_documents(op: Operations) -> None:
    """Assets, enrichment, tags, hashes of a version's structure, sources, and jobs that are tried again."""
    for column in (
        sa.Column("parser", text(128), nullable=False, server_default=""),
        sa.Column("section_hash", text(32), nullable=False, server_default=""),
        sa.Column("chunk_hash", text(32), nullable=False, server_default=""),
        sa.Column("enrichment", sa.JSON()),
    ):
        op.add_column("versions", column)
    op.create_index("ix_versions_content_hash", "versions", ["content_hash"])
    op.add_column("chunk_occurrences", sa.Column("image_refs", sa.JSON()))
    op.add_column("chunk_occurrences", sa.Column("enrichment", sa.JSON()))
    op.create_index("ix_occurrences_dense_key", "chunk_occurrences", ["dense_key"])
    op.add_column("documents", sa.Column("source_id", text(32)))
    op.create_index("ix_documents_source_id", "documents", ["source_id"])
    op.create_table(
        "document_tags",
        sa.Column("doc_id", text(32), sa.ForeignKey("documents.doc_id"), primary_key=True),
        sa.Column("tag", text(255), primary_key=True),
    )
    op.create_index("ix_document_tags_tag", "document_tags", ["tag"])
    op.create_table(
        "assets",
        sa.Column("asset_id", text(32), primary_key=True),
        sa.Column("mime", text(64), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("size", size(), nullable=False),
        sa.Column("text", text(), nullable=False),
        sa.Column("ocr_skipped", text()),
        sa.Column("ocr_profile", text(255), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
    )
    op.create_table(
        "version_assets",
        sa.Column("version_id", text(32), sa.ForeignKey("versions.version_id"), primary_key=True),
        sa.Column("ordinal", sa.Integer(), primary_key=True),
        sa.Column("asset_id", text(32), sa.ForeignKey("assets.asset_id"), nullable=False),
        sa.Column("link", text(), nullable=False),
        sa.Column("alt", text(), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
    )
    op.create_index("ix_version_assets_asset", "version_assets", ["asset_id"])
    op.add_column("jobs", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("jobs", sa.Column("not_before", text(32)))
    op.create_table(
        "sources",
        sa.Column("source_id", text(32), primary_key=True),
        sa.Column("type", text(32), nullable=False),
        sa.Column("name", text(255), nullable=False),
        sa.Column("kb_id", text(32), sa.ForeignKey("collections.kb_id"), nullable=False),
        sa.Column("config", sa.JSON(), nullable=False),
        sa.Column("schedule", text(64)),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("updated_at", text(32), nullable=False),
        sa.Column("last_started_at", text(32)),
        sa.Column("last_finished_at", text(32)),
        sa.Column("last_result", sa.JSON()),
        sa.Column("last_error", text()),
    )
    op.create_index("uq_sources_name", "sources", ["name"], unique=True)


def _0003_evaluations(op: Operations) -> None:
    """Evaluation runs."""
    op.create_table(
        "evaluations",
        sa.Column("run_id", text(32), primary_key=True),
        sa.Column("name", text(255), nullable=False),
        sa.Column("dataset", text(255), nullable=False),
        sa.Column("dataset_hash", text(32), nullable=False),
        sa.Column("collection", text(255), nullable=False),
        sa.Column("strategy", text(255), nullable=False),
        sa.Column("strategy_config_id", text(32), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("started_at", text(32), nullable=False),
        sa.Column("finished_at", text(32), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("questions", sa.JSON(), nullable=False),
    )
    op.create_index("ix_evaluations_started", "evaluations", ["started_at"])


def _0004_live_versions(op: Operations) -> None:
    """From chunks to the documents whose live version holds them: asked several times by each query."""
    op.create_index("ix_documents_version", "documents", ["version_id"])


def _0005_feedback(op: Operations) -> None:
    """What people say of answers."""
    op.create_table(
        "feedback",
        sa.Column("id", text(32), primary_key=True),
        sa.Column("created_at", text(32), nullable=False),
        sa.Column("question", text(), nullable=False),
        sa.Column("verdict", text(8), nullable=False),
        sa.Column("collection", text(255)),
        sa.Column("filters", sa.JSON()),
        sa.Column("history", sa.JSON(), nullable=False),
        sa.Column("relevant", sa.JSON(), nullable=False),
        sa.Column("answer", text()),
        sa.Column("comment", text()),
        sa.Column("trace_id", text(32)),
    )
    op.create_index("ix_feedback_created", "feedback", ["created_at"])


def _0006_cloud_sources(op: Operations) -> None:
    """What cloud sources have, item by item, and how each reading of them went. Folders ask nobody who may read them."""
    op.add_column("sources", sa.Column("live", text(8), nullable=False, server_default="off"))
    op.add_column("sources", sa.Column("public", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("sources", sa.Column("due_at", text(32)))
    op.create_table(
        "source_items",
        sa.Column("source_id", text(32), sa.ForeignKey("sources.source_id"), primary_key=True),
        sa.Column("item_id", text(255), primary_key=True),
        sa.Column("kind", text(32), nullable=False),
        sa.Column("title", text(), nullable=False),
        sa.Column("container", text(255), nullable=False),
        sa.Column("owner", text(255)),
        sa.Column("hint", sa.JSON(), nullable=False),
        sa.Column("state", text(16), nullable=False),
        sa.Column("reason", text(32)),
        sa.Column("message", text()),
        sa.Column("fingerprint", text()),
        sa.Column("version", text()),
        sa.Column("doc_id", text(32)),
        sa.Column("remote_updated_at", text(32)),
        sa.Column("fetched_at", text(32)),
        sa.Column("cycle_id", text(32)),
    )
    op.create_index("ix_source_items_doc", "source_items", ["doc_id"])
    op.create_index("ix_source_items_state", "source_items", ["source_id", "state"])
    counts = ("remote", "indexed", "added", "updated", "unchanged", "deleted", "skipped", "held", "embedded", "requests")
    op.create_table(
        "sync_cycles",
        sa.Column("cycle_id", text(32), primary_key=True),
        sa.Column("source_id", text(32), sa.ForeignKey("sources.source_id"), nullable=False),
        sa.Column("job_id", text(32)),
        sa.Column("kind", text(16), nullable=False),
        sa.Column("phase", text(16), nullable=False),
        sa.Column("started_at", text(32), nullable=False),
        sa.Column("finished_at", text(32)),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in counts),
        sa.Column("throttled_s", sa.Float(), nullable=False),
        sa.Column("active_s", sa.Float(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("notice", text()),
    )
    op.create_index("ix_sync_cycles_source", "sync_cycles", ["source_id", "started_at"])


def _0007_paths_and_deletions(op: Operations) -> None:
    """The folders that were ever added, and up to which job a deletion holds.

    An empty path says that a collection is older than this table: its folders are found from its documents.
    """
    op.create_table(
        "roots",
        sa.Column("kb_id", text(32), sa.ForeignKey("collections.kb_id"), primary_key=True),
        sa.Column("path", text(), primary_key=True),
    )
    op.execute("INSERT INTO roots (kb_id, path) SELECT kb_id, '' FROM collections")
    op.add_column("documents", sa.Column("deleted_after_job", sa.Integer()))


def _0008_moments(op: Operations) -> None:
    """When versions were made ready can be read without their rows, in which their texts stand."""
    op.create_index("ix_versions_ready", "versions", ["status", "version_id", "ready_at"])


def _0009_awaited_uploads(op: Operations) -> None:
    """When a job last changed, and which job a document waits for that was uploaded and is not read yet."""
    op.add_column("jobs", sa.Column("updated_at", text(32)))
    op.add_column("documents", sa.Column("awaited_job", text(32)))
    op.create_index("ix_documents_awaited", "documents", ["awaited_job"])


Migration = Callable[["Operations"], None]

MIGRATIONS: tuple[Migration, ...] = (
    _0001_foundation,
    _0002_documents,
    _0003_evaluations,
    _0004_live_versions,
    _0005_feedback,
    _0006_cloud_sources,
    _0007_paths_and_deletions,
    _0008_moments,
    _0009_awaited_uploads,
    *LATER_MIGRATIONS,
)
