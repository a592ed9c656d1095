/** What the extension asks by either transport: the same answers, the same failures. */

import { mkdirSync, writeFileSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Document, Job, QueryAnswer } from "../../src/core/api/types";
import { DaemonClient } from "../../src/core/client/daemonClient";
import type { Transport } from "../../src/core/client/ragClient";
import { QUESTIONS } from "../e2e/questions.ts";
import { ContractDaemon, LONG_TEXT } from "./daemon";

const TRANSPORTS: Transport[] = ["rest", "mcp"];
const REQUEST_ID = /^[0-9a-f-]{36}$/;

let daemon: ContractDaemon;
const clients = {} as Record<Transport, DaemonClient>;

const connect = (transport: Transport, connection = daemon.connection): DaemonClient =>
  new DaemonClient(connection, undefined, transport);

async function finished(client: DaemonClient, jobId: string): Promise<Job> {
  let last: Job | undefined;
  for await (const job of client.jobProgress(jobId)) last = job;
  if (last === undefined) throw new Error(`The job ${jobId} told nothing.`);
  return last;
}

async function find(client: DaemonClient, source: string): Promise<Document> {
  const { items } = await client.documents("default", undefined, 1, 100);
  const found = items.find((document) => document.source === source);
  if (found === undefined) throw new Error(`${source} is not among ${items.map((document) => document.source).join(", ")}`);
  return found;
}

beforeAll(async () => {
  daemon = await ContractDaemon.start();
  for (const transport of TRANSPORTS) clients[transport] = connect(transport);
  const job = await finished(clients.rest, (await clients.rest.ingest([daemon.path()], undefined)).job_id);
  expect(job.result).toMatchObject({ failed: [] });
});

afterAll(async () => {
  await daemon.stop();
  daemon.remove();
});

describe.each(TRANSPORTS)("by %s", (transport) => {
  const client = (): DaemonClient => clients[transport];

  test.each(["english", "japanese"] as const)("a question in %s finds its passage, and cites what it found", async (language) => {
    const { text, source } = QUESTIONS[language];
    const answer = await client().query({ query: text, top_k: 4 });
    expect(answer.results.map((result) => result.source)).toContain(source);
    expect(answer.results.length).toBeLessThanOrEqual(4);
    expect(answer.citations.map(({ id }) => id)).toEqual(answer.citations.map((_, index) => index + 1));
    expect(answer.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.context).toContain("[1]");
  });

  test("filters, turns before, a strategy and an explanation are all carried", async () => {
    const answer = await client().query({
      query: "And for a shard?",
      collection: "default",
      top_k: 3,
      filters: { path_prefix: "operations/" },
      prefer: { recent: true },
      history: [{ role: "user", text: QUESTIONS.english.text }],
      strategy: "sparse_only",
      rerank: false,
      explain: true,
      max_context_tokens: 500,
    });
    expect(answer.results.length).toBeGreaterThan(0);
    expect(answer.results.every(({ source }) => source.startsWith("operations/"))).toBe(true);
    expect(answer.effective).toMatchObject({ strategy: "sparse_only", reranked: false });
    expect(answer.explanation?.length).toBeGreaterThan(0);
  });

  test.each([
    ["an unknown collection", { collection: "nowhere" }, "KNOWLEDGE_BASE_NOT_FOUND", undefined],
    ["too small a top_k", { top_k: 0 }, "VALIDATION_ERROR", "top_k"],
    ["too large a top_k", { top_k: 1_000 }, "VALIDATION_ERROR", "top_k"],
    ["a filter that there is not", { filters: { colour: "red" } as never }, "VALIDATION_ERROR", "filters.colour"],
    ["an empty question", { query: "" }, "VALIDATION_ERROR", "query"],
  ])("%s is refused with the daemon's code", async (_what, wrong, code, field) => {
    const error: unknown = await client()
      .query({ query: "failover", ...wrong })
      .catch((one: unknown) => one);
    expect(error).toMatchObject({ name: "RagError", code });
    expect(error).toHaveProperty("requestId", expect.stringMatching(REQUEST_ID));
    if (field !== undefined) expect(error).toHaveProperty("details", [expect.objectContaining({ field })]);
  });

  test("collections and documents are listed in pages", async () => {
    expect((await client().collections()).map(({ name }) => name)).toEqual(["default"]);
    const first = await client().documents("default", "ready", 1, 2);
    const second = await client().documents("default", "ready", 2, 2);
    expect(first).toMatchObject({ page: 1, page_size: 2 });
    expect(second.total).toBe(first.total);
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(4);
    await expect(client().documents("nowhere", undefined, 1, 2)).rejects.toMatchObject({
      code: "KNOWLEDGE_BASE_NOT_FOUND",
    });
  });

  test("a document has its facts, its whole text and its sections", async () => {
    const { id } = await find(client(), "long.md");
    const detail = await client().document(id);
    expect(detail).toMatchObject({ id, source: "long.md", status: "ready" });
    const { markdown } = await client().content(id);
    expect(markdown).toContain(LONG_TEXT.trimEnd());
    const sections = await client().sections(id);
    expect(sections[0]).toMatchObject({ section_path: ["Long"] });
    await expect(client().document("nothing")).rejects.toMatchObject({ code: "DOCUMENT_NOT_FOUND" });
    await expect(client().content("nothing")).rejects.toMatchObject({ code: "DOCUMENT_NOT_FOUND" });
  });

  test("a picture comes as it is and as a thumbnail", async () => {
    const asset = await picture();
    const [raw, thumb] = await Promise.all([client().asset(asset, "raw"), client().asset(asset, "thumb")]);
    expect(Buffer.from(raw)).toEqual(Buffer.from(await clients.rest.asset(asset, "raw")));
    expect(Buffer.from(thumb)).toEqual(Buffer.from(await clients.rest.asset(asset, "thumb")));
    await expect(client().asset("0".repeat(64), "raw")).rejects.toMatchObject({ code: "ASSET_NOT_FOUND" });
  });

  test("a file is taken in by a job, found, and deleted", async () => {
    const name = `taken-${transport}.md`;
    writeFileSync(daemon.path(name), `# Xylophone ${transport}\n\nThe zirconium ${transport} valve opens at noon.\n`);
    const { job_id } = await client().ingest([daemon.path(name)], "default");
    expect(await finished(client(), job_id)).toMatchObject({ status: "completed", result: { added: 1, failed: [] } });
    expect(await client().job(job_id)).toMatchObject({ job_id, status: "completed", result: { added: 1 } });
    const [found] = (await client().query({ query: `zirconium ${transport} valve`, top_k: 1 })).results;
    expect(found).toMatchObject({ source: name });
    const { id } = await find(client(), name);
    await client().deleteDocument(id);
    const asked = [client().document(id), client().content(id), client().sections(id), client().deleteDocument(id)];
    const reason = expect.objectContaining({ name: "RagError", code: "DOCUMENT_DELETED" }) as unknown;
    const gone = { status: "rejected", reason };
    expect(await Promise.allSettled(asked)).toEqual([gone, gone, gone, gone]);
  });

  test("what may not be read, or lies in no collection, is not taken in", async () => {
    const outside = `${daemon.folder}/outside`;
    mkdirSync(outside, { recursive: true });
    await expect(client().ingest([outside], undefined)).rejects.toMatchObject({ code: "FORBIDDEN_PATH" });
    const nowhere = client().ingest([daemon.path("long.md")], "nowhere");
    await expect(nowhere).rejects.toMatchObject({ code: "KNOWLEDGE_BASE_NOT_FOUND" });
    await expect(client().job("nothing")).rejects.toMatchObject({ code: "JOB_NOT_FOUND" });
  });

  test("an answer is held against its passages", async () => {
    const { citations, results } = await client().query({ query: QUESTIONS.english.text });
    const given = citations.map(({ id, chunk_id, chunk_ids }) => ({ id, chunk_ids: chunk_ids ?? [chunk_id] }));
    const sentence = results[0]?.content.split("\n").find((line) => line.length > 40) ?? "";
    const answer = `${sentence} [1]\n\nBananas are blue. [99]`;
    const checked = await client().verify(answer, given);
    expect(checked.removed_citations).toBe(1);
    expect(checked.answer).not.toContain("[99]");
    expect(checked.support[0]).toMatchObject({ supported: true, citations: [1] });
    expect(withoutNulls(checked)).toEqual(withoutNulls(await clients.rest.verify(answer, given)));
  });

  test("what is called off ends as `fetch` does, and the next question is answered", async () => {
    await expect(client().query({ query: "failover" }, AbortSignal.abort())).rejects.toMatchObject({
      name: "AbortError",
    });
    const stop = new AbortController();
    const asked = client().query({ query: "failover" }, stop.signal);
    setImmediate(() => stop.abort());
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    // Before there is a connection, too.
    const early = new AbortController();
    const first = connect(transport).query({ query: "failover" }, early.signal);
    early.abort();
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    expect((await client().query({ query: "failover" })).results.length).toBeGreaterThan(0);
  });

  test("a wrong token is refused", async () => {
    const stranger = connect(transport, { ...daemon.connection, token: "wrong" });
    await expect(stranger.query({ query: "failover" })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    const requestId = expect.stringMatching(REQUEST_ID) as string;
    await expect(stranger.collections()).rejects.toMatchObject({ code: "UNAUTHORIZED", requestId });
  });

  test("many questions at once are each answered with their own", async () => {
    const words = ["failover", "certificate", "backup", "証明書", "token", "election", "shard", "latency"];
    const answers = await Promise.all(words.map((query) => client().query({ query, top_k: 2 })));
    expect(answers.map(({ query }) => query)).toEqual(words);
    expect(new Set(answers.map(({ trace_id }) => trace_id)).size).toBe(words.length);
  });
});

const WHICH = ["english", "japanese", "pdf"] as const;
test.each(WHICH)("both transports give the same passages, citations and scores in %s", async (which) => {
  const request = { query: QUESTIONS[which].text, explain: true };
  const [rest, mcp] = await Promise.all(TRANSPORTS.map(async (transport) => stable(await clients[transport].query(request))));
  expect(mcp).toEqual(rest);
});

test("both transports list the same documents with the same facts", async () => {
  const listed = TRANSPORTS.map((transport) => clients[transport].documents("default", undefined, 1, 100));
  const [rest, mcp] = await Promise.all(listed);
  expect(withoutNulls(mcp)).toEqual(withoutNulls(rest));
  for (const { id } of rest?.items.slice(0, 5) ?? []) {
    expect(await clients.mcp.document(id)).toEqual(await clients.rest.document(id));
    expect(await clients.mcp.content(id)).toEqual(await clients.rest.content(id));
    expect(await clients.mcp.sections(id)).toEqual(await clients.rest.sections(id));
  }
});

test("a daemon that is gone is unreachable by both, for those who were connected and for those who come", async () => {
  await daemon.stop();
  for (const transport of TRANSPORTS) {
    for (const client of [clients[transport], connect(transport)]) {
      await expect(client.query({ query: "failover" })).rejects.toMatchObject({
        name: "RagError",
        code: "DAEMON_UNREACHABLE",
      });
      await expect(client.ingest([daemon.path()], undefined)).rejects.toMatchObject({ code: "DAEMON_UNREACHABLE" });
    }
  }
});

/** The id of a picture that a document holds. */
async function picture(): Promise<string> {
  const { items } = await clients.rest.documents("default", "ready", 1, 100);
  for (const { id } of items) {
    for (const chunk of await clients.rest.chunks(id)) {
      const [asset] = chunk.image_refs;
      if (asset !== undefined) return asset;
    }
  }
  throw new Error("No document holds a picture.");
}

/** An answer without what differs each time. */
function stable(answer: QueryAnswer): unknown {
  return { ...answer, trace_id: "", latency_ms: 0, timings_ms: {} };
}

/** A field that may be left out may as well be null. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, one: unknown) => one ?? undefined));
}
