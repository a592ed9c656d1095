/** The client by REST. */

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
import type { RagClient } from "./ragClient";
import type { RestTransport } from "./restTransport";

export class RestClient implements RagClient {
  constructor(private readonly rest: RestTransport) {}

  query(request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer> {
    return this.rest.json("POST", "/api/query", { json: request, tokenScope: "all", signal });
  }

  verify(
    answer: string,
    citations: { id: number; chunk_ids: string[] }[],
    signal?: AbortSignal,
  ): Promise<VerifiedAnswer> {
    return this.rest.json("POST", "/api/answers/verify", { json: { answer, citations }, tokenScope: "all", signal });
  }

  collections(): Promise<Collection[]> {
    return this.rest.all("/api/collections");
  }

  documents(collection: string, status: string | undefined, page: number, pageSize: number): Promise<Page<Document>> {
    return this.rest.json("GET", "/api/documents", {
      query: { collection, status, page, page_size: pageSize },
      tokenScope: "all",
    });
  }

  document(id: string, signal?: AbortSignal): Promise<DocumentDetail> {
    return this.rest.json("GET", `/api/documents/${encodeURIComponent(id)}`, { tokenScope: "all", signal });
  }

  content(id: string, signal?: AbortSignal): Promise<DocumentContent> {
    return this.rest.json("GET", `/api/documents/${encodeURIComponent(id)}/content`, { tokenScope: "all", signal });
  }

  sections(id: string): Promise<Section[]> {
    return this.rest.all(`/api/documents/${encodeURIComponent(id)}/sections`, { tokenScope: "all" });
  }

  deleteDocument(id: string): Promise<unknown> {
    return this.rest.json("DELETE", `/api/documents/${encodeURIComponent(id)}`, {});
  }

  asset(id: string, variant: "raw" | "thumb", signal?: AbortSignal): Promise<Uint8Array> {
    return this.rest.bytes(`/api/assets/${encodeURIComponent(id)}`, { query: { variant }, tokenScope: "all", signal });
  }

  job(id: string): Promise<Job> {
    return this.rest.json("GET", `/api/jobs/${encodeURIComponent(id)}`, {});
  }
}
