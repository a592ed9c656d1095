import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { DaemonClient } from "../../../../src/core/client/daemonClient";
import { storedToken, tokenHeader, tokenProblem, type SourceTokens } from "../../../../src/core/client/sourceTokens";
import { logFailure } from "../../../../src/core/problems/failures";
import { TOKEN } from "../../fixtures/sources";

const HERE = "http://127.0.0.1:8765";
const tokens = (all: Record<string, string>): SourceTokens => ({
  all: () => Promise.resolve(new Map(Object.entries(all))),
});

describe("the header", () => {
  it("brings all tokens with a question, and one with what is about one source", async () => {
    const stored = tokens({ a: "one", b: "mail@example.com:two" });
    expect(await tokenHeader(stored, "all", HERE)).toBe("a=one, b=mail@example.com:two");
    expect(await tokenHeader(stored, { source: "b" }, HERE)).toBe("b=mail@example.com:two");
    expect(await tokenHeader(stored, { source: "c" }, HERE)).toBeUndefined();
    expect(await tokenHeader(stored, { added: TOKEN }, HERE)).toBe(`new=${TOKEN}`);
    expect(await tokenHeader(tokens({}), "all", HERE)).toBeUndefined();
  });

  it("is never sent to another machine", async () => {
    for (const url of ["https://rag.example.com", "http://10.0.0.7:8765", "http://127.0.0.1.example.com"]) {
      expect(await tokenHeader(tokens({ a: TOKEN }), "all", url), url).toBeUndefined();
      expect(await tokenHeader(tokens({}), { added: TOKEN }, url), url).toBeUndefined();
    }
  });

  it("refuses what can't stand in it, without saying what it was", async () => {
    for (const wrong of [`${TOKEN}\nHost: x`, `${TOKEN},b=c`, `${TOKEN} x`, "鍵"]) {
      await expect(tokenHeader(tokens({ a: wrong }), "all", HERE)).rejects.toSatisfy(
        (error) => !String(error).includes("s3cret"),
      );
      expect(tokenProblem(wrong)).toBeDefined();
    }
  });

  it("has an API token's e-mail before it, and no other's", () => {
    expect(storedToken("api_token", "a@example.com", ` ${TOKEN} `)).toBe(`a@example.com:${TOKEN}`);
    expect(storedToken("pat", "a@example.com", TOKEN)).toBe(TOKEN);
  });
});

describe("the client", () => {
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));

  async function served(status = 200, location = "") {
    const seen: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        seen.push({ path: request.url ?? "", headers: request.headers, body });
        response.writeHead(status, { "Content-Type": "application/json", ...(location ? { Location: location } : {}) });
        response.end(status < 400 ? JSON.stringify({ items: [], total: 0, job_id: "j" }) : failure);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { client: new DaemonClient({ url, token: "daemon" }, tokens({ s1: TOKEN, s2: "other" })), seen, url };
  }

  const details = [{ field: "config.base_url", code: "invalid", message: "Write https." }];
  const failure = JSON.stringify({ error: { code: "SOURCE_REFUSED", message: "No.", request_id: "r", details } });

  it("brings tokens with questions and documents, one with a source's own requests, none with the rest", async () => {
    const { client, seen } = await served();
    await client.query({ query: "q" });
    await client.documents("default", undefined, 1, 10);
    await client.document("d");
    await client.content("d");
    await client.sections("d");
    await client.chunks("d");
    await client.asset("a", "raw");
    await client.pageImage("d", 1, 100, []);
    await client.verify("a", []);
    expect(seen.map(({ headers }) => headers["x-rag-source-token"])).toEqual(Array(9).fill(`s1=${TOKEN}, s2=other`));
    seen.length = 0;
    await client.syncSource("s1");
    await client.retrySource("s1", ["page/1"]);
    await client.ledger("s1");
    await client.relayed("GET", "/api/sources/s1/ledger/items?state=skipped", undefined, new AbortController().signal);
    expect(seen.map(({ headers }) => headers["x-rag-source-token"])).toEqual(Array(4).fill(`s1=${TOKEN}`));
    seen.length = 0;
    await client.status();
    await client.collections();
    await client.sources();
    await client.giveFeedback({ question: "q", verdict: "up", chunk_ids: [] });
    expect(seen.map(({ headers }) => headers["x-rag-source-token"])).toEqual(Array(4).fill(undefined));
  });

  it("puts a token neither into an address nor into a body", async () => {
    const { client, seen } = await served();
    await client.previewCloudSource("confluence", {} as never, TOKEN);
    await client.addCloudSource({ type: "confluence", config: {} as never }, TOKEN);
    expect(seen.map(({ headers }) => headers["x-rag-source-token"])).toEqual([`new=${TOKEN}`, `new=${TOKEN}`]);
    expect(JSON.stringify(seen.map(({ path, body }) => [path, body]))).not.toContain(TOKEN);
  });

  it("follows no redirect with it", async () => {
    const { seen: elsewhere, url } = await served();
    const { client } = await served(307, `${url}/api/query`);
    await expect(client.query({ query: "q" })).rejects.toMatchObject({ code: "DAEMON_UNREACHABLE" });
    expect(elsewhere).toEqual([]);
  });

  it("tells the fields that are wrong, and never the token in a message or the log", async () => {
    const { client } = await served(400);
    const failure: unknown = await client.previewCloudSource("jira", {} as never, TOKEN).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "SOURCE_REFUSED", details });
    const lines: string[] = [];
    const log = { debug: String, info: String, warn: String, error: (line: string) => lines.push(line) };
    logFailure(log, "It failed", failure);
    const unreachable = new DaemonClient({ url: "http://127.0.0.1:1", token: "t" }, tokens({ s1: TOKEN }));
    await unreachable.query({ query: "q" }).catch((error: unknown) => logFailure(log as never, "It failed", error));
    expect(lines).toHaveLength(2);
    expect(lines.join("\n")).not.toContain(TOKEN);
  });
});
