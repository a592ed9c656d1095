/** Requests to the daemon's REST API, and its failures as `RagError`. */

import * as l10n from "@vscode/l10n";

import type { ErrorInfo, Page } from "../api/types";
import { RagError, isCancelled } from "../common/errors";
import type { Connection } from "./connection";
import { SOURCE_TOKEN_HEADER, tokenHeader, type TokenScope, type SourceTokens } from "./sourceTokens";
import { readEvents, type ServerSentEvent } from "./sse";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

interface Options {
  query?: Record<string, string | number | boolean | string[] | undefined>;
  json?: unknown;
  form?: FormData;
  /** Whose tokens for cloud sources the request brings; left out: none. */
  tokenScope?: TokenScope;
  signal?: AbortSignal | undefined;
}

/**
 * Every method throws `RagError`: the daemon's own, or `DAEMON_UNREACHABLE`. A request that was called off throws as `fetch`
 * does.
 */
export class RestTransport {
  constructor(
    readonly connection: Connection,
    private readonly sourceTokens: SourceTokens,
  ) {}

  /** Every item of a list. */
  async all<T>(
    path: string,
    { query, ...options }: Pick<Options, "query" | "tokenScope" | "signal"> = {},
  ): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; ; page += 1) {
      const got = await this.json<Page<T>>("GET", path, { query: { ...query, page, page_size: 100 }, ...options });
      items.push(...got.items);
      if (items.length >= got.total || got.items.length === 0) return items;
    }
  }

  async json<T>(method: Method, path: string, options: Options): Promise<T> {
    const response = await this.send(method, path, options);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  async bytes(path: string, options: Options): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send("GET", path, options)).arrayBuffer());
  }

  async *stream(method: Method, path: string, options: Options): AsyncGenerator<ServerSentEvent> {
    const response = await this.send(method, path, options);
    if (response.body === null) throw new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon sent an empty answer."));
    yield* readEvents(response.body);
  }

  private async send(method: Method, path: string, options: Options): Promise<Response> {
    const { query = {}, json, form, tokenScope, signal } = options;
    const url = new URL(this.connection.url + path);
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined) url.searchParams.append(name, String(one));
      }
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${this.connection.token}` };
    if (json !== undefined) headers["Content-Type"] = "application/json";
    const tokens = tokenScope && (await tokenHeader(this.sourceTokens, tokenScope, this.connection.url));
    if (tokens !== undefined) headers[SOURCE_TOKEN_HEADER] = tokens;
    const body = json === undefined ? form : JSON.stringify(json);
    let response: Response;
    try {
      // Wherever else a redirect led to would be given the tokens, too.
      const redirect = tokens === undefined ? "follow" : "error";
      response = await fetch(url, {
        method,
        headers,
        redirect,
        ...(body ? { body } : {}),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (isCancelled(error)) throw error;
      throw noAnswer(error);
    }
    if (!response.ok) throw await failure(response);
    return response;
  }
}

async function failure(response: Response): Promise<RagError> {
  return failureIn(await response.text()) ?? foreignAnswer(response.status);
}

/** The failure in the body of an answer; undefined for one that is not the daemon's. */
export function failureIn(text: string): RagError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ErrorInfo> };
    return typeof error?.code === "string" ? asError(error as ErrorInfo) : undefined;
  } catch {
    return undefined;
  }
}

/** Another program answers at this address. */
export function foreignAnswer(status: number): RagError {
  return new RagError("DAEMON_UNREACHABLE", l10n.t("Something other than the daemon answered (HTTP {0}).", status));
}

/** Nobody answers: `error` is what `fetch` threw. */
export function noAnswer(error: unknown): RagError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  return new RagError("DAEMON_UNREACHABLE", l10n.t("The daemon does not answer: {0}", cause));
}

export function asError(info: ErrorInfo): RagError {
  return new RagError(info.code, info.message, "", info.request_id, info.details);
}
