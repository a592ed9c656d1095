/** What the extension asks of the daemon by either transport: what agents' tools offer, too. */

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

/** How the extension talks to the daemon: the setting `ragAssistant.transport`. */
export type Transport = "rest" | "mcp";

/**
 * Both ways give the same values and fail alike: with `RagError`, the daemon's own or `DAEMON_UNREACHABLE`. A request that was
 * called off throws as `fetch` does.
 */
export interface RagClient {
  query(request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer>;

  /** Takes out citations that were never given, and verifies each sentence, of an answer that another model wrote. */
  verify(
    answer: string,
    citations: { id: number; chunk_ids: string[] }[],
    signal?: AbortSignal,
  ): Promise<VerifiedAnswer>;

  collections(): Promise<Collection[]>;

  documents(collection: string, status: string | undefined, page: number, pageSize: number): Promise<Page<Document>>;

  document(id: string, signal?: AbortSignal): Promise<DocumentDetail>;

  content(id: string, signal?: AbortSignal): Promise<DocumentContent>;

  sections(id: string): Promise<Section[]>;

  deleteDocument(id: string): Promise<unknown>;

  asset(id: string, variant: "raw" | "thumb", signal?: AbortSignal): Promise<Uint8Array>;

  job(id: string): Promise<Job>;
}
