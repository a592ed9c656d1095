"""The tables of the database, as queries use them. `migrations.py` makes them; a test holds the two together."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
    true,
)

metadata = MetaData()

collections = Table(
    "collections",
    metadata,
    Column("kb_id", String(32), primary_key=True),
    Column("name", String(255), nullable=False),
    Column("description", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
)
Index(
    "uq_collections_name",
    collections.c.name,
    unique=True,
    sqlite_where=text("status != 'deleted'"),
    postgresql_where=text("status != 'deleted'"),
)

documents = Table(
    "documents",
    metadata,
    Column("doc_id", String(32), primary_key=True),
    Column("kb_id", String(32), ForeignKey("collections.kb_id"), nullable=False),
    Column("source", Text, nullable=False),
    Column("source_uri", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("error_code", String(64)),
    Column("error_message", Text),
    Column("version_id", String(32)),
    Column("title", Text, nullable=False),
    Column("doc_type", String(16), nullable=False),
    Column("language", String(16)),
    Column("size", Integer, nullable=False),
    Column("summary", Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Column("source_id", String(32)),
)
Index("ix_documents_source_id", documents.c.source_id)
Index("ix_documents_version", documents.c.version_id)
Index("ix_documents_kb_status", documents.c.kb_id, documents.c.status)
Index("ix_documents_kb_source", documents.c.kb_id, documents.c.source)

versions = Table(
    "versions",
    metadata,
    Column("version_id", String(32), primary_key=True),
    Column("doc_id", String(32), ForeignKey("documents.doc_id"), nullable=False),
    Column("status", String(16), nullable=False),
    Column("content_hash", String(32), nullable=False),
    Column("profile_id", String(32), nullable=False),
    Column("loader", String(64), nullable=False),
    Column("loader_version", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("doc_type", String(16), nullable=False),
    Column("language", String(16)),
    Column("markdown", Text, nullable=False),
    Column("md_sha256", String(32), nullable=False),
    Column("places", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("warnings", JSON, nullable=False),
    Column("size", Integer, nullable=False),
    Column("section_count", Integer, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("ready_at", String(32)),
    Column("parser", String(128), nullable=False, server_default=""),
    Column("section_hash", String(32), nullable=False, server_default=""),
    Column("chunk_hash", String(32), nullable=False, server_default=""),
    Column("enrichment", JSON),
)
Index("ix_versions_content_hash", versions.c.content_hash)
Index("ix_versions_doc_status", versions.c.doc_id, versions.c.status)

sections = Table(
    "sections",
    metadata,
    Column("version_id", String(32), ForeignKey("versions.version_id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("section_id", String(32), nullable=False),
    Column("path", JSON, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("section_hash", String(32), nullable=False),
)

chunks = Table(
    "chunks",
    metadata,
    Column("chunk_id", String(32), primary_key=True),
    Column("doc_id", String(32), ForeignKey("documents.doc_id"), nullable=False),
    Column("section_id", String(32), nullable=False),
    Column("section_path", JSON, nullable=False),
    Column("text", Text, nullable=False),
)
Index("ix_chunks_doc", chunks.c.doc_id)

occurrences = Table(
    "chunk_occurrences",
    metadata,
    Column("version_id", String(32), ForeignKey("versions.version_id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("chunk_id", String(32), ForeignKey("chunks.chunk_id"), nullable=False),
    Column("place", JSON, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("dense_key", String(32), nullable=False),
    Column("dense_id", String(32), nullable=False),
    Column("sparse_id", String(32), nullable=False),
    Column("image_refs", JSON),
    Column("enrichment", JSON),
)
Index("ix_occurrences_dense_key", occurrences.c.dense_key)
Index("ix_occurrences_chunk", occurrences.c.chunk_id)
Index("ix_occurrences_dense", occurrences.c.dense_id)
Index("ix_occurrences_sparse", occurrences.c.sparse_id)

vectors = Table(
    "vectors",
    metadata,
    Column("dense_key", String(32), primary_key=True),
    Column("model_id", String(128), primary_key=True),
    Column("model_revision", String(64), primary_key=True),
    Column("text_norm_profile", String(32), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", String(32), primary_key=True),
    Column("kind", String(32), nullable=False),
    Column("status", String(16), nullable=False),
    Column("collection", String(255), nullable=False),
    Column("kb_id", String(32), nullable=False),
    Column("payload", JSON, nullable=False),
    Column("progress", JSON, nullable=False),
    Column("result", JSON),
    Column("error", JSON),
    Column("cancel_requested", Boolean, nullable=False),
    Column("request_id", String(64)),
    Column("sequence", Integer, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("started_at", String(32)),
    Column("finished_at", String(32)),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("not_before", String(32)),
)
Index("ix_jobs_status_sequence", jobs.c.status, jobs.c.sequence)

traces = Table(
    "traces",
    metadata,
    Column("trace_id", String(32), primary_key=True),
    Column("trace_type", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("started_at", String(32), nullable=False),
    Column("ended_at", String(32), nullable=False),
    Column("latency_ms", Integer, nullable=False),
    Column("strategy_config_id", String(32), nullable=False),
    Column("job_id", String(64)),
    Column("request_id", String(64)),
    Column("envelope", JSON, nullable=False),
)
Index("ix_traces_started", traces.c.started_at)

document_tags = Table(
    "document_tags",
    metadata,
    Column("doc_id", String(32), ForeignKey("documents.doc_id"), primary_key=True),
    Column("tag", String(255), primary_key=True),
)
Index("ix_document_tags_tag", document_tags.c.tag)

assets = Table(
    "assets",
    metadata,
    Column("asset_id", String(32), primary_key=True),
    Column("mime", String(64), nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("ocr_skipped", Text),
    Column("ocr_profile", String(255), nullable=False),
    Column("created_at", String(32), nullable=False),
)

version_assets = Table(
    "version_assets",
    metadata,
    Column("version_id", String(32), ForeignKey("versions.version_id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("asset_id", String(32), ForeignKey("assets.asset_id"), nullable=False),
    Column("link", Text, nullable=False),
    Column("alt", Text, nullable=False),
    Column("place", JSON, nullable=False),
)
Index("ix_version_assets_asset", version_assets.c.asset_id)

sources = Table(
    "sources",
    metadata,
    Column("source_id", String(32), primary_key=True),
    Column("type", String(32), nullable=False),
    Column("name", String(255), nullable=False),
    Column("kb_id", String(32), ForeignKey("collections.kb_id"), nullable=False),
    Column("config", JSON, nullable=False),
    Column("schedule", String(64)),
    Column("enabled", Boolean, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("updated_at", String(32), nullable=False),
    Column("last_started_at", String(32)),
    Column("last_finished_at", String(32)),
    Column("last_result", JSON),
    Column("last_error", Text),
    Column("live", String(8), nullable=False, server_default="off"),
    Column("public", Boolean, nullable=False, server_default=true()),
    Column("due_at", String(32)),
)
Index("uq_sources_name", sources.c.name, unique=True)

source_items = Table(
    "source_items",
    metadata,
    Column("source_id", String(32), ForeignKey("sources.source_id"), primary_key=True),
    Column("item_id", String(255), primary_key=True),
    Column("kind", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("container", String(255), nullable=False),
    Column("owner", String(255)),
    Column("hint", JSON, nullable=False),
    Column("state", String(16), nullable=False),
    Column("reason", String(32)),
    Column("message", Text),
    Column("fingerprint", Text),
    Column("version", Text),
    Column("doc_id", String(32)),
    Column("remote_updated_at", String(32)),
    Column("fetched_at", String(32)),
    Column("cycle_id", String(32)),
)
Index("ix_source_items_doc", source_items.c.doc_id)
Index("ix_source_items_state", source_items.c.source_id, source_items.c.state)

sync_cycles = Table(
    "sync_cycles",
    metadata,
    Column("cycle_id", String(32), primary_key=True),
    Column("source_id", String(32), ForeignKey("sources.source_id"), nullable=False),
    Column("job_id", String(32)),
    Column("kind", String(16), nullable=False),
    Column("phase", String(16), nullable=False),
    Column("started_at", String(32), nullable=False),
    Column("finished_at", String(32)),
    Column("remote", Integer, nullable=False),
    Column("indexed", Integer, nullable=False),
    Column("added", Integer, nullable=False),
    Column("updated", Integer, nullable=False),
    Column("unchanged", Integer, nullable=False),
    Column("deleted", Integer, nullable=False),
    Column("skipped", Integer, nullable=False),
    Column("held", Integer, nullable=False),
    Column("embedded", Integer, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("throttled_s", Float, nullable=False),
    Column("active_s", Float, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("notice", Text),
)
Index("ix_sync_cycles_source", sync_cycles.c.source_id, sync_cycles.c.started_at)

evaluations = Table(
    "evaluations",
    metadata,
    Column("run_id", String(32), primary_key=True),
    Column("name", String(255), nullable=False),
    Column("dataset", String(255), nullable=False),
    Column("dataset_hash", String(32), nullable=False),
    Column("collection", String(255), nullable=False),
    Column("strategy", String(255), nullable=False),
    Column("strategy_config_id", String(32), nullable=False),
    Column("options", JSON, nullable=False),
    Column("started_at", String(32), nullable=False),
    Column("finished_at", String(32), nullable=False),
    Column("metrics", JSON, nullable=False),
    Column("questions", JSON, nullable=False),
)
Index("ix_evaluations_started", evaluations.c.started_at)

feedback = Table(
    "feedback",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created_at", String(32), nullable=False),
    Column("question", Text, nullable=False),
    Column("verdict", String(8), nullable=False),
    Column("collection", String(255)),
    Column("filters", JSON),
    Column("history", JSON, nullable=False),
    Column("relevant", JSON, nullable=False),
    Column("answer", Text),
    Column("comment", Text),
    Column("trace_id", String(32)),
)
Index("ix_feedback_created", feedback.c.created_at)
