/** The client by MCP: each request is a call of the tool that agents have for it. */

import * as l10n from "@vscode/l10n";

import type {
  Collection,
  Document,
  DocumentContent,
  DocumentDetail,
  Job,
  Page,
  QueryAnswer,
  QueryRequest,
  Section,
  VerifiedAnswer,
} from "../api/types";
import { RagError } from "../common/errors";
import type { CallOptions, McpTransport } from "./mcpTransport";
import type { RagClient } from "./ragClient";

const PAGE_SIZE = 100;
/** As many as the tool allows. */
const MOST_BYTES = 8_000_000;

interface Pictures {
  trace_id: string;
  missing: { code: string; message: string }[];
}

/** `next_offset` is missing at the end. */
interface Slice {
  version_id?: string;
  markdown: string;
  next_offset?: number;
}

export class McpClient implements RagClient {
  constructor(private readonly mcp: McpTransport) {}

  query(request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer> {
    return this.full("query_knowledge_hub", request, { tokenScope: "all", signal });
  }

  verify(
    answer: string,
    citations: { id: number; chunk_ids: string[] }[],
    signal?: AbortSignal,
  ): Promise<VerifiedAnswer> {
    return this.full("verify_answer", { answer, citations }, { tokenScope: "all", signal });
  }

  collections(): Promise<Collection[]> {
    return this.all("list_collections", "collections", {});
  }

  async documents(
    collection: string,
    status: string | undefined,
    page: number,
    pageSize: number,
  ): Promise<Page<Document>> {
    const asked = { collection, status, page, page_size: pageSize };
    const { fields } = await this.mcp.call<Page<Document> & { documents: Document[] }>("list_documents", asked, {
      tokenScope: "all",
    });
    const { documents: items, total, page: at, page_size } = fields;
    return { items, total, page: at, page_size };
  }

  async document(id: string, signal?: AbortSignal): Promise<DocumentDetail> {
    const asked = { tokenScope: "all", signal } as const;
    return (await this.mcp.call<{ document: DocumentDetail }>("get_document_summary", { doc_id: id }, asked)).fields
      .document;
  }

  /** In slices, since a tool's answer is bounded; from the beginning again where the document changes meanwhile. */
  async content(id: string, signal?: AbortSignal): Promise<DocumentContent> {
    let markdown = "";
    let version: string | undefined;
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const slice = await this.slice(id, offset, signal);
      if (offset > 0 && slice.version_id !== version) {
        [markdown, offset] = ["", 0];
        continue;
      }
      version = slice.version_id;
      markdown += slice.markdown;
      offset = slice.next_offset;
    }
    return { id, markdown };
  }

  sections(id: string): Promise<Section[]> {
    return this.all("list_document_sections", "sections", { doc_id: id }, { tokenScope: "all" });
  }

  async deleteDocument(id: string): Promise<unknown> {
    return (await this.mcp.call("delete_document", { doc_id: id })).fields;
  }

  async asset(id: string, variant: "raw" | "thumb", signal?: AbortSignal): Promise<Uint8Array> {
    const asked = { asset_ids: [id], variant, max_bytes: MOST_BYTES };
    const { fields, content } = await this.mcp.call<Pictures>("query_assets", asked, { tokenScope: "all", signal });
    const image = content.find((block) => block.type === "image");
    if (image !== undefined) return Uint8Array.from(Buffer.from(image.data, "base64"));
    const [missing] = fields.missing;
    if (missing !== undefined) throw new RagError(missing.code, missing.message, "", fields.trace_id);
    throw new RagError("PAYLOAD_TOO_LARGE", l10n.t("The picture is too large to be sent by MCP."));
  }

  async job(id: string): Promise<Job> {
    return (await this.mcp.call<{ job: Job }>("get_job", { job_id: id })).fields.job;
  }

  private async slice(id: string, offset: number, signal?: AbortSignal): Promise<Slice> {
    const asked = { doc_id: id, format: "markdown", offset };
    return (await this.mcp.call<Slice>("get_document", asked, { tokenScope: "all", signal })).fields;
  }

  /** The whole answer of REST, of a tool that gives a shorter one to models. */
  private async full<Answer>(tool: string, asked: object, options: CallOptions): Promise<Answer> {
    return (await this.mcp.call<{ full: Answer }>(tool, { ...asked, detail: "full" }, options)).fields.full;
  }

  private async all<T>(tool: string, field: string, asked: object, options: CallOptions = {}): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; ; page += 1) {
      const given = { ...asked, page, page_size: PAGE_SIZE };
      const { fields } = await this.mcp.call<Record<string, T[]> & { total: number }>(tool, given, options);
      const got = fields[field] ?? [];
      items.push(...got);
      if (items.length >= fields.total || got.length === 0) return items;
    }
  }
}
