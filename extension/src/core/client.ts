/** The daemon's REST API. Runs in the extension host only: a view never learns the address or the token. */

import * as l10n from "@vscode/l10n";

import type {
  ChatEvent,
  ChatRequest,
  Chunk,
  CloudConfig,
  CloudPreview,
  Collection,
  DaemonState,
  Document,
  DocumentContent,
  DocumentDetail,
  ErrorInfo,
  FeedbackRequest,
  Job,
  LedgerItem,
  NewSource,
  Page,
  QueryAnswer,
  QueryRequest,
  Section,
  Source,
  SourceChange,
  SourceLedger,
  SourcePreview,
  Status,
  TraceDetail,
  TraceRow,
  VerifiedAnswer,
} from "./api";
import { RagError, isCancelled } from "./errors";
import { NO_SOURCE_TOKENS, SOURCE_TOKEN_HEADER, tokenHeader, type Asker, type SourceTokens } from "./sourceTokens";
import { readEvents, type ServerSentEvent } from "./sse";

export interface Connection {
  /** Without a slash at its end. */
  url: string;
  token: string;
}

export interface UploadFile {
  name: string;
  bytes: Uint8Array;
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

interface Options {
  query?: Record<string, string | number | boolean | string[] | undefined>;
  json?: unknown;
  form?: FormData;
  /** Whose tokens for cloud sources the request brings; left out: none. */
  asker?: Asker;
  signal?: AbortSignal | undefined;
}

export class DaemonClient {
  constructor(
    readonly connection: Connection,
    private readonly sourceTokens: SourceTokens = NO_SOURCE_TOKENS,
  ) {}

  status(signal?: AbortSignal): Promise<Status> {
    return this.json("GET", "/api/status", { signal });
  }

  /** What the daemon does, at once and whenever it changes. An open stream is this window's presence. */
  async *events(signal: AbortSignal): AsyncGenerator<DaemonState> {
    for await (const { event, data } of this.stream("GET", "/api/events", { signal })) {
      if (event === "state") yield JSON.parse(data) as DaemonState;
    }
  }

  stop(signal?: AbortSignal): Promise<unknown> {
    return this.json("POST", "/api/stop", { signal });
  }

  query(request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer> {
    return this.json("POST", "/api/query", { json: request, asker: "all", signal });
  }

  /** Throws `RagError` for the event `error`, too. */
  async *chat(request: ChatRequest, signal?: AbortSignal): AsyncGenerator<ChatEvent> {
    for await (const { event, data } of this.stream("POST", "/api/chat", { json: request, asker: "all", signal })) {
      const value: unknown = JSON.parse(data);
      if (event === "error") throw asError((value as { error: ErrorInfo }).error);
      yield { event, data: value } as ChatEvent;
    }
  }

  /** Takes out citations that were never given, and judges each sentence, of an answer that another model wrote. */
  verify(answer: string, citations: { id: number; chunk_ids: string[] }[], signal?: AbortSignal): Promise<VerifiedAnswer> {
    return this.json("POST", "/api/answers/verify", { json: { answer, citations }, asker: "all", signal });
  }

  giveFeedback(feedback: FeedbackRequest): Promise<{ id: string }> {
    return this.json("POST", "/api/feedback", { json: feedback });
  }

  withdrawFeedback(id: string): Promise<unknown> {
    return this.json("DELETE", `/api/feedback/${encodeURIComponent(id)}`, {});
  }

  collections(): Promise<Collection[]> {
    return this.all("/api/collections");
  }

  createCollection(name: string, description = ""): Promise<Collection> {
    return this.json("POST", "/api/collections", { json: { name, description } });
  }

  changeCollection(name: string, change: { name?: string; status?: "enabled" | "disabled" }): Promise<Collection> {
    return this.json("PATCH", `/api/collections/${encodeURIComponent(name)}`, { json: change });
  }

  deleteCollection(name: string): Promise<unknown> {
    return this.json("DELETE", `/api/collections/${encodeURIComponent(name)}`, {});
  }

  documents(collection: string, status: string | undefined, page: number, pageSize: number): Promise<Page<Document>> {
    return this.json("GET", "/api/documents", { query: { collection, status, page, page_size: pageSize }, asker: "all" });
  }

  document(id: string, signal?: AbortSignal): Promise<DocumentDetail> {
    return this.json("GET", `/api/documents/${encodeURIComponent(id)}`, { asker: "all", signal });
  }

  content(id: string, signal?: AbortSignal): Promise<DocumentContent> {
    return this.json("GET", `/api/documents/${encodeURIComponent(id)}/content`, { asker: "all", signal });
  }

  sections(id: string): Promise<Section[]> {
    return this.all(`/api/documents/${encodeURIComponent(id)}/sections`, { asker: "all" });
  }

  chunks(id: string): Promise<Chunk[]> {
    return this.all(`/api/documents/${encodeURIComponent(id)}/chunks`, { asker: "all" });
  }

  reindexDocument(id: string): Promise<{ job_id: string }> {
    return this.json("POST", `/api/documents/${encodeURIComponent(id)}/reindex`, {});
  }

  deleteDocument(id: string): Promise<unknown> {
    return this.json("DELETE", `/api/documents/${encodeURIComponent(id)}`, {});
  }

  /** A page of a PDF as PNG, with these passages marked. Pages count from 1; `width` is in pixels. */
  pageImage(id: string, page: number, width: number, chunkIds: string[], signal?: AbortSignal): Promise<Uint8Array> {
    const path = `/api/documents/${encodeURIComponent(id)}/pages/${page}`;
    return this.bytes(path, { query: { width, chunk_id: chunkIds }, asker: "all", signal });
  }

  asset(id: string, variant: "raw" | "thumb", signal?: AbortSignal): Promise<Uint8Array> {
    return this.bytes(`/api/assets/${encodeURIComponent(id)}`, { query: { variant }, asker: "all", signal });
  }

  ingest(paths: string[], collection: string | undefined, force = false): Promise<{ job_id: string }> {
    return this.json("POST", "/api/ingest", { json: { paths, force, ...(collection ? { collection } : {}) } });
  }

  upload(files: UploadFile[], collection: string | undefined): Promise<{ job_id: string }> {
    const form = new FormData();
    // Before the files: the daemon checks each as it arrives.
    if (collection) form.append("collection", collection);
    for (const file of files) form.append("files", new Blob([new Uint8Array(file.bytes)]), file.name);
    return this.json("POST", "/api/ingest", { form });
  }

  reindex(collection?: string): Promise<{ job_id: string }> {
    return this.json("POST", "/api/reindex", { json: collection ? { collection } : {} });
  }

  jobs(page = 1, pageSize = 20): Promise<Page<Job>> {
    return this.json("GET", "/api/jobs", { query: { page, page_size: pageSize } });
  }

  job(id: string): Promise<Job> {
    return this.json("GET", `/api/jobs/${encodeURIComponent(id)}`, {});
  }

  cancelJob(id: string): Promise<Job> {
    return this.json("DELETE", `/api/jobs/${encodeURIComponent(id)}`, {});
  }

  /** A job until it is finished; the last value is the finished one. */
  async *jobProgress(id: string, signal?: AbortSignal): AsyncGenerator<Job> {
    for await (const { data } of this.stream("GET", `/api/jobs/${encodeURIComponent(id)}/events`, { signal })) {
      yield JSON.parse(data) as Job;
    }
  }

  sources(): Promise<Source[]> {
    return this.all("/api/sources");
  }

  addFolder(path: string, collection: string | undefined): Promise<Source> {
    return this.json("POST", "/api/sources", {
      json: { type: "folder", config: { path }, ...(collection ? { collection } : {}) },
    });
  }

  previewFolder(path: string): Promise<SourcePreview> {
    return this.json("POST", "/api/sources", { query: { dry_run: true }, json: { type: "folder", config: { path } } });
  }

  /** `token` is for a source whose token comes with each request. */
  addCloudSource(source: NewSource, token: string): Promise<Source> {
    return this.json("POST", "/api/sources", { json: source, asker: { added: token } });
  }

  /** Tests address and token, and tells what there is to read. */
  previewCloudSource(type: string, config: CloudConfig, token: string, signal?: AbortSignal): Promise<CloudPreview> {
    const json = { type, config };
    return this.json("POST", "/api/sources", { query: { dry_run: true }, json, asker: { added: token }, signal });
  }

  changeSource(id: string, change: SourceChange): Promise<Source> {
    return this.json("PATCH", `/api/sources/${encodeURIComponent(id)}`, { json: change, asker: { source: id } });
  }

  syncSource(id: string, wish: { full?: boolean; allow_empty?: boolean } = {}): Promise<{ job_id: string }> {
    return this.json("POST", `/api/sources/${encodeURIComponent(id)}/sync`, { json: wish, asker: { source: id } });
  }

  /** Fetches items once more that were left out: these, or all. */
  retrySource(id: string, items?: string[]): Promise<{ job_id: string }> {
    const json = items ? { items } : {};
    return this.json("POST", `/api/sources/${encodeURIComponent(id)}/retry`, { json, asker: { source: id } });
  }

  ledger(id: string): Promise<SourceLedger> {
    return this.json("GET", `/api/sources/${encodeURIComponent(id)}/ledger`, { asker: { source: id } });
  }

  ledgerItems(id: string, state: LedgerItem["state"], page: number, pageSize: number): Promise<Page<LedgerItem>> {
    const query = { state, page, page_size: pageSize };
    return this.json("GET", `/api/sources/${encodeURIComponent(id)}/ledger/items`, { query, asker: { source: id } });
  }

  removeSource(id: string, documents: "delete" | "keep"): Promise<unknown> {
    return this.json("DELETE", `/api/sources/${encodeURIComponent(id)}`, { query: { documents } });
  }

  traces(page = 1, pageSize = 20): Promise<Page<TraceRow>> {
    return this.json("GET", "/api/traces", { query: { page, page_size: pageSize } });
  }

  trace(id: string): Promise<TraceDetail> {
    return this.json("GET", `/api/traces/${encodeURIComponent(id)}`, {});
  }

  private async all<T>(path: string, options: Pick<Options, "asker"> = {}): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; ; page += 1) {
      const got = await this.json<Page<T>>("GET", path, { query: { page, page_size: 100 }, ...options });
      items.push(...got.items);
      if (items.length >= got.total || got.items.length === 0) return items;
    }
  }

  private async json<T>(method: Method, path: string, options: Options): Promise<T> {
    const response = await this.send(method, path, options);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  private async bytes(path: string, options: Options): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send("GET", path, options)).arrayBuffer());
  }

  private async *stream(method: Method, path: string, options: Options): AsyncGenerator<ServerSentEvent> {
    const response = await this.send(method, path, options);
    if (response.body === null) throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon sent an empty answer."));
    yield* readEvents(response.body);
  }

  /** Throws `RagError`: the daemon's own, or `DAEMON_UNREACHABLE`. A request that was called off throws as `fetch` does. */
  private async send(method: Method, path: string, options: Options): Promise<Response> {
    const { query = {}, json, form, asker, signal } = options;
    const url = new URL(this.connection.url + path);
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined) url.searchParams.append(name, String(one));
      }
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${this.connection.token}` };
    if (json !== undefined) headers["Content-Type"] = "application/json";
    const tokens = asker && (await tokenHeader(this.sourceTokens, asker, this.connection.url));
    if (tokens !== undefined) headers[SOURCE_TOKEN_HEADER] = tokens;
    const body = json === undefined ? form : JSON.stringify(json);
    let response: Response;
    try {
      // Wherever else a redirect led to would be given the tokens, too.
      const redirect = tokens === undefined ? "follow" : "error";
      response = await fetch(url, { method, headers, redirect, ...(body ? { body } : {}), ...(signal ? { signal } : {}) });
    } catch (error) {
      if (isCancelled(error)) throw error;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon does not answer: {0}", cause));
    }
    if (!response.ok) throw await failure(response);
    return response;
  }
}

async function failure(response: Response): Promise<RagError> {
  const text = await response.text();
  try {
    return asError((JSON.parse(text) as { error: ErrorInfo }).error);
  } catch {
    // Not one of ours: another program answers at this address.
    return new RagError("DAEMON_UNREACHABLE", l10n.t("Something other than the daemon answered (HTTP {0}).", response.status));
  }
}

function asError(info: ErrorInfo): RagError {
  return new RagError(info.code, info.message, "", info.request_id, info.details);
}
