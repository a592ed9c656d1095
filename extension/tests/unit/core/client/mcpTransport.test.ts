import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { DaemonClient } from "../../../../src/core/client/daemonClient";
import type { SourceTokens } from "../../../../src/core/client/sourceTokens";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}
/** Whether the request goes on; if not, it has been answered before MCP. */
type Intercept = (count: number, response: ServerResponse) => boolean;
type Reply = (call: Call, response: ServerResponse) => object | undefined | Promise<object | undefined>;

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "double", version: "1" } },
};

/** A result of a tool, with these typed fields. */
const gives = (structuredContent: object, more: object = {}) => ({
  resultType: "complete",
  content: [{ type: "text", text: "text" }],
  structuredContent,
  ...more,
});

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** A server that speaks as much MCP as a client needs. What `reply` leaves undefined it has answered itself. */
async function served(reply: Reply, intercept: Intercept = () => true, sourceTokens?: SourceTokens) {
  const seen: { headers: IncomingHttpHeaders; call: Call }[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      requests += 1;
      if (!intercept(requests, response)) return;
      const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: Call };
      if (method === "server/discover") {
        answer(response, 200, { jsonrpc: "2.0", id, result: DISCOVERED });
        return;
      }
      seen.push({ headers: request.headers, call: params });
      void Promise.resolve(reply(params, response)).then((outcome) => {
        if (outcome !== undefined) answer(response, 200, { jsonrpc: "2.0", id, ...outcome });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: new DaemonClient({ url, token: "daemon" }, sourceTokens, "mcp"), seen, url };
}

const failure = (code: string) => ({ error: { code, message: "No.", request_id: "r" } });

describe("what a person adds", () => {
  it("goes by REST, which asks for no folders that are named to agents", async () => {
    const { client, seen } = await served(
      () => undefined,
      (_count, response) => {
        answer(response, 202, { job_id: "j1" });
        return false;
      },
    );
    expect(await client.ingest(["/home/me/a.md"], undefined)).toEqual({ job_id: "j1" });
    expect(seen).toEqual([]);
  });
});

describe("a failure by MCP", () => {
  it("of a tool is the one that REST gives, with code, fields and the id that finds it in the log", async () => {
    const details = [{ field: "top_k", code: "too_large", message: "20 at most." }];
    const failed = { trace_id: "t-1", error: { code: "VALIDATION_ERROR", message: "No.", details }, retryable: false };
    const { client } = await served(() => ({ result: gives(failed, { isError: true }) }));
    const error = { name: "RagError", code: "VALIDATION_ERROR", message: "No.", requestId: "t-1", details };
    await expect(client.query({ query: "q" })).rejects.toMatchObject(error);
  });

  it("without a code says what the tool said", async () => {
    const result = { resultType: "complete", isError: true, content: [{ type: "text", text: "Broken." }] };
    const { client } = await served(() => ({ result }));
    await expect(client.collections()).rejects.toMatchObject({ code: "UNEXPECTED", message: "Broken." });
  });

  it("of the protocol says that the daemon does not fit", async () => {
    const { client } = await served(() => ({ error: { code: -32602, message: "Unknown tool: 'list_collections'." } }));
    await expect(client.collections()).rejects.toMatchObject({
      code: "SERVER_INCOMPATIBLE",
      message: expect.stringContaining("Unknown tool: 'list_collections'.") as string,
    });
  });

  it.each([
    ["a wrong token", 401, failure("UNAUTHORIZED"), { code: "UNAUTHORIZED", requestId: "r" }],
    ["a daemon that opens its model", 503, failure("SERVICE_UNAVAILABLE"), { code: "SERVICE_UNAVAILABLE" }],
    ["MCP that is not served by HTTP", 404, failure("NOT_FOUND"), { code: "MCP_OFF" }],
    ["another program", 500, "<html>", { message: "Something other than the daemon answered (HTTP 500)." }],
  ])("for %s (HTTP %i) is that of the HTTP server, and the next call tries anew", async (_what, status, body, error) => {
    const { client } = await served(
      () => ({ result: gives({ collections: [], total: 0 }) }),
      (count, response) => {
        if (count === 1) answer(response, status, body);
        return count > 1;
      },
    );
    await expect(client.collections()).rejects.toMatchObject({ name: "RagError", ...error });
    expect(await client.collections()).toEqual([]);
  });

  it.each([
    ["ends without an answer", (response: ServerResponse) => response.end(": nothing\n\n")],
    ["breaks off", (response: ServerResponse) => response.write(": nothing\n\n", () => response.destroy())],
  ])("of a stream that %s comes at once", async (_how, end) => {
    const { client } = await served((_call, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      end(response);
      return undefined;
    });
    await expect(client.query({ query: "q" })).rejects.toMatchObject({ name: "RagError", code: "DAEMON_UNREACHABLE" });
  });

  it("where nobody answers says why", async () => {
    const client = new DaemonClient({ url: "http://127.0.0.1:1", token: "t" }, undefined, "mcp");
    await expect(client.query({ query: "q" })).rejects.toMatchObject({ code: "DAEMON_UNREACHABLE" });
  });

  it("of a call that was stopped is the stop, and the server sees it", async () => {
    let closed: (() => void) | undefined;
    const seenClosed = new Promise<void>((resolve) => (closed = resolve));
    const stop = new AbortController();
    const { client } = await served((_call, response) => {
      response.on("close", () => closed?.());
      stop.abort();
      return undefined;
    });
    await expect(client.query({ query: "q" }, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
    await seenClosed;
  });
});

describe("a call by MCP", () => {
  const full = () => ({ result: gives({ full: {} }) });

  it("brings the tokens for sources as they are at that moment, and none where REST brings none", async () => {
    const stored = new Map<string, string>();
    const { client, seen } = await served(
      ({ name }) => ({
        result: gives(name === "query_knowledge_hub" ? { full: {} } : { collections: [], total: 0, job: {} }),
      }),
      undefined,
      { all: () => Promise.resolve(new Map(stored)) },
    );
    await client.query({ query: "1" });
    stored.set("s1", "one");
    await client.query({ query: "2" });
    stored.set("s1", "two");
    const others = [client.collections(), client.job("j1")];
    await Promise.all([client.query({ query: "3" }), ...others, client.query({ query: "4" })]);
    const brought = seen.map(({ headers, call }) => [call.arguments["query"] ?? call.name, headers["x-rag-source-token"]]);
    const none = { 1: undefined, list_collections: undefined, get_job: undefined };
    expect(Object.fromEntries(brought)).toEqual({ ...none, 2: "s1=one", 3: "s1=two", 4: "s1=two" });
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer daemon"]));
  });

  it("keeps the tokens of calls apart that run at the same time, whichever is ready first", async () => {
    const asked: ((value: ReadonlyMap<string, string>) => void)[] = [];
    const { client, seen } = await served(full, undefined, {
      all: () => new Promise((resolve) => asked.push(resolve)),
    });
    const calls = ["a", "b", "c"].map((query) => client.query({ query }));
    expect(asked).toHaveLength(3);
    for (const index of [2, 0, 1]) asked[index]?.(new Map([["s", `token-${"abc".charAt(index)}`]]));
    await Promise.all(calls);
    for (const { headers, call } of seen) {
      expect(headers["x-rag-source-token"]).toBe(`s=token-${call.arguments["query"] as string}`);
    }
    expect(seen).toHaveLength(3);
  });

  it("takes its token nowhere else", async () => {
    const { seen: elsewhere, url } = await served(full);
    const { client } = await served(full, (_count, response) => {
      response.writeHead(307, { Location: `${url}/mcp` }).end();
      return false;
    });
    await expect(client.query({ query: "q" })).rejects.toMatchObject({ code: "DAEMON_UNREACHABLE" });
    expect(elsewhere).toEqual([]);
  });

  it("asks for the whole answer, and leaves out what is not said", async () => {
    const { client, seen } = await served(full);
    await client.query({ query: "q", top_k: 3, collection: undefined as never });
    expect(seen[0]?.call).toMatchObject({
      name: "query_knowledge_hub",
      arguments: { query: "q", top_k: 3, detail: "full" },
    });
    expect(seen[0]?.call.arguments).not.toHaveProperty("collection");
  });

  it("reads a text in pieces, and from its beginning when it changed between two of them", async () => {
    const pieces = [
      { version_id: "1", markdown: "old ", next_offset: 4 },
      { version_id: "2", markdown: "xx", next_offset: 6 },
      { version_id: "2", markdown: "new ", next_offset: 4 },
      { version_id: "2", markdown: "text" },
    ];
    const { client, seen } = await served(() => ({ result: gives(pieces.shift() ?? {}) }));
    expect(await client.content("d")).toEqual({ id: "d", markdown: "new text" });
    expect(seen.map(({ call }) => call.arguments["offset"])).toEqual([0, 4, 0, 4]);
  });

  it("tells why a picture can't be had", async () => {
    const missing = [{ asset_id: "a", code: "UNSUPPORTED_MEDIA_TYPE", message: "It is image/tiff." }];
    const results = [gives({ trace_id: "t", missing }), gives({ trace_id: "t", missing: [] })];
    const { client } = await served(() => ({ result: results.shift() }));
    const error = { code: "UNSUPPORTED_MEDIA_TYPE", message: "It is image/tiff." };
    await expect(client.asset("a", "raw")).rejects.toMatchObject(error);
    await expect(client.asset("a", "raw")).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });
});
