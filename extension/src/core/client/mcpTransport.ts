/** Calls of the daemon's MCP tools: opened with the first one, with the failures and the cancellation of REST. */

import * as l10n from "@vscode/l10n";

import { RagError, isCancelled, type FieldProblem } from "../common/errors";
import type { Connection } from "./connection";
import type { Client, ContentBlock } from "./mcpSdk";
import { failureIn, foreignAnswer, noAnswer } from "./restTransport";
import { SOURCE_TOKEN_HEADER, tokenHeader, type TokenScope, type SourceTokens } from "./sourceTokens";

type Sdk = typeof import("./mcpSdk");

/** What a tool gave: its typed fields, and what stands beside its text, such as pictures. */
export interface ToolResult<Fields> {
  fields: Fields;
  content: ContentBlock[];
}

export interface CallOptions {
  /** Whose tokens for cloud sources the call brings; left out: none. */
  tokenScope?: TokenScope;
  signal?: AbortSignal | undefined;
}

/** The typed fields of a result that is an error. */
interface Failed {
  trace_id: string;
  error: { code: string; message: string; details: FieldProblem[] };
}

/** Like REST, a call waits as long as its caller does; this is the longest that a timer knows. */
const NO_LIMIT = 2 ** 31 - 1;

export class McpTransport {
  private opening: Promise<{ sdk: Sdk; client: Client }> | undefined;

  constructor(
    private readonly daemon: Connection,
    private readonly sourceTokens: SourceTokens,
  ) {}

  /** Arguments that are undefined are left out. Throws as `RagClient` says. */
  async call<Fields>(
    tool: string,
    given: Record<string, unknown>,
    { tokenScope, signal }: CallOptions = {},
  ): Promise<ToolResult<Fields>> {
    // With each call anew: tokens change while the connection stays, and calls of different askers run at the same time.
    const tokens = tokenScope && (await tokenHeader(this.sourceTokens, tokenScope, this.daemon.url));
    try {
      const { client } = await whileWanted(this.open(), signal);
      const result = await client.callTool(
        { name: tool, arguments: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) },
        {
          timeout: NO_LIMIT,
          ...(signal ? { signal } : {}),
          ...(tokens === undefined ? {} : { headers: { [SOURCE_TOKEN_HEADER]: tokens } }),
        },
      );
      if (result.isError === true) throw toolFailure(result.structuredContent, result.content);
      return { fields: result.structuredContent as Fields, content: result.content };
    } catch (error) {
      if (signal?.aborted === true)
        throw isCancelled(signal.reason) ? (signal.reason as Error) : noAnswer(signal.reason);
      throw await this.failure(error);
    }
  }

  private open(): Promise<{ sdk: Sdk; client: Client }> {
    this.opening ??= import("./mcpSdk").then(async (sdk) => ({
      sdk,
      client: await sdk.open(`${this.daemon.url}/mcp`, this.daemon.token, daemonFetch),
    }));
    // One that failed is tried anew with the next call.
    const opening = this.opening;
    opening.catch(() => {
      if (this.opening === opening) this.opening = undefined;
    });
    return opening;
  }

  private async failure(error: unknown): Promise<RagError> {
    for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof RagError) return cause;
    const { BROKEN_OFF, ProtocolError, SdkHttpError } = await import("./mcpSdk");
    if (error instanceof SdkHttpError) return foreignAnswer(error.status);
    if (error instanceof ProtocolError && error.code !== BROKEN_OFF) {
      return new RagError(
        "SERVER_INCOMPATIBLE",
        l10n.t("The daemon does not know what it was asked by MCP: {0}", error.message),
      );
    }
    return noAnswer(error);
  }
}

/** A tool's failure, as REST would have told it. */
function toolFailure(fields: unknown, content: ContentBlock[]): RagError {
  const { error, trace_id } = (fields ?? {}) as Partial<Failed>;
  if (error !== undefined) return new RagError(error.code, error.message, "", trace_id, error.details);
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return new RagError("UNEXPECTED", text);
}

/** What the HTTP server answers before MCP (a wrong token, a daemon that is not ready) fails as it does by REST. */
async function daemonFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    // Wherever else a redirect led to would be given the tokens, too.
    response = await fetch(url, { ...init, redirect: "error" });
  } catch (error) {
    if (isCancelled(error)) throw error;
    throw noAnswer(error);
  }
  if (response.ok) return response;
  const failure = failureIn(await response.clone().text());
  if (failure === undefined) return response;
  throw failure.code === "NOT_FOUND" ? mcpMissing() : failure;
}

function mcpMissing(): RagError {
  return new RagError(
    "MCP_OFF",
    l10n.t("The daemon does not serve MCP by HTTP."),
    l10n.t("Add http to mcp.transports in the daemon's settings, or set ragAssistant.transport to rest."),
  );
}

/** `work`, or the signal's reason when that comes first. */
function whileWanted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
