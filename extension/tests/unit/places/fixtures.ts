import type { Chunk, Citation, DocumentDetail } from "../../../src/core/api/types";

export function citation(more: Partial<Citation> = {}): Citation {
  return {
    ...{ id: 1, chunk_id: "c1", doc_id: "d1", collection: "default", content: "Passage", doc_type: "markdown" },
    ...{
      title: "Guide",
      source: "guides/guide.md",
      source_uri: "file:///srv/docs/guides/guide.md",
      section_path: [],
      images: [],
    },
    ...more,
  };
}

export function detail(more: Partial<DocumentDetail> = {}): DocumentDetail {
  return {
    ...{
      id: "d1",
      collection: "default",
      source: "guides/guide.md",
      source_uri: "file:///srv/docs/guides/guide.md",
      title: "Guide",
    },
    ...{
      doc_type: "markdown",
      language: "en",
      status: "ready",
      size: 10,
      chunk_count: 1,
      version_id: "v1",
      summary: "",
      tags: [],
    },
    ...{ updated_at: "2026-03-01T10:00:00Z", keywords: [], metadata: {}, versions: [], warnings: [] },
    ...more,
  };
}

export function chunk(chunk_id: string, content: string, more: Partial<Chunk> = {}): Chunk {
  return { chunk_id, content, ordinal: 0, section_id: "s", section_path: [], image_refs: [], ...more };
}
