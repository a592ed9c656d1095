/** The daemon as the extension uses it. Runs in the extension host only: a webview never learns the address or the token. */

import type {
  AssetDetails,
  ChatEvent,
  CollectionGuide,
  ChatRequest,
  Chunk,
  CloudConfig,
  CloudPreview,
  Collection,
  DaemonState,
  Document,
  DocumentContent,
  DocumentDetail,
  DocumentGuide,
  ErrorInfo,
  FeedbackRequest,
  Folder,
  Job,
  NewSource,
  Page,
  PromptAnswer,
  PromptRequest,
  QueryAnswer,
  QueryRequest,
  Section,
  Source,
  SourceChange,
  SourceLedger,
  SourcePreview,
  Status,
  SuggestionList,
  VerifiedAnswer,
} from "../api/types";
import type { Connection } from "./connection";
import { DocumentPages } from "./documentPages";
import { McpClient } from "./mcpClient";
import { McpTransport } from "./mcpTransport";
import { PictureClient } from "./pictureClient";
import type { RagClient, Transport } from "./ragClient";
import { RestClient } from "./restClient";
import { RestTransport, asError, type Method } from "./restTransport";
import { NO_SOURCE_TOKENS, type SourceTokens, type TokenScope } from "./sourceTokens";
import type { ServerSentEvent } from "./sse";

export interface UploadFile {
  name: string;
  bytes: Uint8Array;
}

export interface DocumentQuery {
  collection?: string;
  folder?: string;
  text?: string;
  status?: Document["status"];
  page: number;
  page_size: number;
}

/**
 * All that the extension asks of the daemon. What `RagClient` has, which is what agents' tools offer, goes by the transport
 * that is set. The rest has no tool and goes by REST on both: status, presence, prompts, chat by the daemon's model, uploads, the progress
 * of jobs, chunks, images of pages, sources, changes of collections, re-indexing, feedback, and all that the dashboard asks.
 */
export class DaemonClient implements RagClient {
  readonly pages: DocumentPages;
  private readonly rest: RestTransport;
  private readonly client: RagClient;
  readonly pictures: PictureClient;

  constructor(
    readonly connection: Connection,
    sourceTokens: SourceTokens = NO_SOURCE_TOKENS,
    transport: Transport = "rest",
  ) {
    this.rest = new RestTransport(connection, sourceTokens);
    this.pages = new DocumentPages(this.rest);
    this.pictures = new PictureClient(this.rest);
    this.client =
      transport === "mcp" ? new McpClient(new McpTransport(connection, sourceTokens)) : new RestClient(this.rest);
  }

  status(signal?: AbortSignal): Promise<Status> {
    return this.rest.json("GET", "/api/status", { signal });
  }

  /** Answers as soon as the process does, whatever it is busy with. */
  health(signal: AbortSignal): Promise<unknown> {
    return this.rest.json("GET", "/api/health", { signal });
  }

  /** What the daemon does, at once and whenever it changes. An open stream is this window's presence. */
  async *events(signal: AbortSignal): AsyncGenerator<DaemonState> {
    for await (const { event, data } of this.rest.stream("GET", "/api/events", { signal })) {
      if (event === "state") yield JSON.parse(data) as DaemonState;
    }
  }

  /** An address that opens the daemon's dashboard in a browser, once. */
  async dashboardLink(): Promise<string> {
    const { path } = await this.rest.json<{ path: string }>("POST", "/api/dashboard-link", {});
    return this.connection.url + path;
  }

  stop(signal?: AbortSignal): Promise<unknown> {
    return this.rest.json("POST", "/api/stop", { signal });
  }

  query(request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer> {
    return this.client.query(request, signal);
  }

  /** Titles, headings and identifiers that complete a text. */
  suggest(text: string, collection: string | undefined, limit: number, signal?: AbortSignal): Promise<SuggestionList> {
    return this.rest.json("GET", "/api/suggest", {
      query: { q: text, collection: collection || undefined, limit },
      signal,
    });
  }

  /** What a document is about. `byModel`: the daemon's language model writes it, where there is one. */
  documentGuide(id: string, byModel: boolean, signal?: AbortSignal): Promise<DocumentGuide> {
    const query = { by: byModel ? "model" : "rules" };
    return this.rest.json("GET", `/api/documents/${encodeURIComponent(id)}/guide`, {
      query,
      tokenScope: "all",
      signal,
    });
  }

  collectionGuide(name: string, signal?: AbortSignal): Promise<CollectionGuide> {
    return this.rest.json("GET", `/api/collections/${encodeURIComponent(name)}/guide`, { tokenScope: "all", signal });
  }

  /** The messages for a model of the editor, and the passages in them. */
  prompt(request: PromptRequest, signal?: AbortSignal): Promise<PromptAnswer> {
    return this.rest.json("POST", "/api/prompt", { json: request, tokenScope: "all", signal });
  }

  /** Throws `RagError` for the event `error`, too. */
  async *chat(request: ChatRequest, signal?: AbortSignal): AsyncGenerator<ChatEvent> {
    for await (const { event, data } of this.rest.stream("POST", "/api/chat", {
      json: request,
      tokenScope: "all",
      signal,
    })) {
      const value: unknown = JSON.parse(data);
      if (event === "error") throw asError((value as { error: ErrorInfo }).error);
      yield { event, data: value } as ChatEvent;
    }
  }

  verify(
    answer: string,
    citations: { id: number; chunk_ids: string[] }[],
    signal?: AbortSignal,
  ): Promise<VerifiedAnswer> {
    return this.client.verify(answer, citations, signal);
  }

  giveFeedback(feedback: FeedbackRequest): Promise<{ id: string }> {
    return this.rest.json("POST", "/api/feedback", { json: feedback });
  }

  withdrawFeedback(id: string): Promise<unknown> {
    return this.rest.json("DELETE", `/api/feedback/${encodeURIComponent(id)}`, {});
  }

  collections(): Promise<Collection[]> {
    return this.client.collections();
  }

  createCollection(name: string, description = ""): Promise<Collection> {
    return this.rest.json("POST", "/api/collections", { json: { name, description } });
  }

  changeCollection(name: string, change: { name?: string; status?: "enabled" | "disabled" }): Promise<Collection> {
    return this.rest.json("PATCH", `/api/collections/${encodeURIComponent(name)}`, { json: change });
  }

  deleteCollection(name: string): Promise<unknown> {
    return this.rest.json("DELETE", `/api/collections/${encodeURIComponent(name)}`, {});
  }

  documents(collection: string, status: string | undefined, page: number, pageSize: number): Promise<Page<Document>> {
    return this.client.documents(collection, status, page, pageSize);
  }

  /** The folders in a folder, "" for the outermost. */
  folders(collection: string | undefined, folder: string): Promise<Folder[]> {
    return this.rest.all("/api/documents/folders", { query: { collection, folder } });
  }

  /** Documents by what is given of it: `folder` is what they lie in themselves ("": in none), `text` a part of path or title. */
  listDocuments(query: DocumentQuery, signal?: AbortSignal): Promise<Page<Document>> {
    return this.rest.json("GET", "/api/documents", { query: { ...query }, tokenScope: "all", signal });
  }

  document(id: string, signal?: AbortSignal): Promise<DocumentDetail> {
    return this.client.document(id, signal);
  }

  content(id: string, signal?: AbortSignal): Promise<DocumentContent> {
    return this.client.content(id, signal);
  }

  sections(id: string): Promise<Section[]> {
    return this.client.sections(id);
  }

  chunks(id: string): Promise<Chunk[]> {
    return this.rest.all(`/api/documents/${encodeURIComponent(id)}/chunks`, { tokenScope: "all" });
  }

  reindexDocument(id: string): Promise<{ job_id: string }> {
    return this.rest.json("POST", `/api/documents/${encodeURIComponent(id)}/reindex`, {});
  }

  deleteDocument(id: string): Promise<unknown> {
    return this.client.deleteDocument(id);
  }

  /** A page of a PDF as PNG, with these passages marked. Pages count from 1; `width` is in pixels. */
  pageImage(id: string, page: number, width: number, chunkIds: string[], signal?: AbortSignal): Promise<Uint8Array> {
    const path = `/api/documents/${encodeURIComponent(id)}/pages/${page}`;
    return this.rest.bytes(path, { query: { width, chunk_id: chunkIds }, tokenScope: "all", signal });
  }

  /** What is known of a picture, with the lines that were read in it. */
  assetDetails(id: string, signal?: AbortSignal): Promise<AssetDetails> {
    return this.rest.json("GET", `/api/assets/${encodeURIComponent(id)}/details`, { tokenScope: "all", signal });
  }

  asset(id: string, variant: "raw" | "thumb", signal?: AbortSignal): Promise<Uint8Array> {
    return this.client.asset(id, variant, signal);
  }

  /** By REST on both transports: the tool takes in only what is named to it for agents; a person may add any file of theirs. */
  ingest(paths: string[], collection: string | undefined): Promise<{ job_id: string }> {
    return this.rest.json("POST", "/api/ingest", { json: { paths, ...(collection ? { collection } : {}) } });
  }

  upload(files: UploadFile[], collection: string | undefined): Promise<{ job_id: string }> {
    const form = new FormData();
    // Before the files: the daemon checks each as it arrives.
    if (collection) form.append("collection", collection);
    for (const file of files) form.append("files", new Blob([new Uint8Array(file.bytes)]), file.name);
    return this.rest.json("POST", "/api/ingest", { form });
  }

  reindex(collection?: string): Promise<{ job_id: string }> {
    return this.rest.json("POST", "/api/reindex", { json: collection ? { collection } : {} });
  }

  job(id: string): Promise<Job> {
    return this.client.job(id);
  }

  cancelJob(id: string): Promise<Job> {
    return this.rest.json("DELETE", `/api/jobs/${encodeURIComponent(id)}`, {});
  }

  /** A job until it is finished; the last value is the finished one. */
  async *jobProgress(id: string, signal?: AbortSignal): AsyncGenerator<Job> {
    for await (const { data } of this.rest.stream("GET", `/api/jobs/${encodeURIComponent(id)}/events`, { signal })) {
      yield JSON.parse(data) as Job;
    }
  }

  sources(): Promise<Source[]> {
    return this.rest.all("/api/sources");
  }

  addFolder(path: string, collection: string | undefined): Promise<Source> {
    return this.rest.json("POST", "/api/sources", {
      json: { type: "folder", config: { path }, ...(collection ? { collection } : {}) },
    });
  }

  previewFolder(path: string): Promise<SourcePreview> {
    return this.rest.json("POST", "/api/sources", {
      query: { dry_run: true },
      json: { type: "folder", config: { path } },
    });
  }

  /** `token` is for a source whose token comes with each request. */
  addCloudSource(source: NewSource, token: string): Promise<Source> {
    return this.rest.json("POST", "/api/sources", { json: source, tokenScope: { added: token } });
  }

  /** Tests address and token, and tells what there is to read. */
  previewCloudSource(type: string, config: CloudConfig, token: string, signal?: AbortSignal): Promise<CloudPreview> {
    const json = { type, config };
    return this.rest.json("POST", "/api/sources", {
      query: { dry_run: true },
      json,
      tokenScope: { added: token },
      signal,
    });
  }

  changeSource(id: string, change: SourceChange): Promise<Source> {
    return this.rest.json("PATCH", `/api/sources/${encodeURIComponent(id)}`, {
      json: change,
      tokenScope: { source: id },
    });
  }

  syncSource(id: string, wish: { full?: boolean; allow_empty?: boolean } = {}): Promise<{ job_id: string }> {
    return this.rest.json("POST", `/api/sources/${encodeURIComponent(id)}/sync`, {
      json: wish,
      tokenScope: { source: id },
    });
  }

  /** Fetches items once more that were left out: these, or all. */
  retrySource(id: string, items?: string[]): Promise<{ job_id: string }> {
    const json = items ? { items } : {};
    return this.rest.json("POST", `/api/sources/${encodeURIComponent(id)}/retry`, { json, tokenScope: { source: id } });
  }

  ledger(id: string): Promise<SourceLedger> {
    return this.rest.json("GET", `/api/sources/${encodeURIComponent(id)}/ledger`, { tokenScope: { source: id } });
  }

  removeSource(id: string, documents: "delete" | "keep"): Promise<unknown> {
    return this.rest.json("DELETE", `/api/sources/${encodeURIComponent(id)}`, { query: { documents } });
  }

  /** Sends on what a page of the dashboard asks: an answer in JSON, or undefined for an empty one. */
  async relayed(method: Method, path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    return this.rest.json(method, path, { json: body, tokenScope: tokenScopeOf(path), signal });
  }

  relayedBytes(path: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.rest.bytes(path, { tokenScope: tokenScopeOf(path), signal });
  }

  relayedEvents(path: string, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    return this.rest.stream("GET", path, { tokenScope: tokenScopeOf(path), signal });
  }
}

/** A source's own page brings that source's token, and any other all, as a question does. */
function tokenScopeOf(path: string): TokenScope {
  const source = /^\/api\/sources\/([^/?]+)/.exec(path)?.[1];
  return source === undefined ? "all" : { source: decodeURIComponent(source) };
}
