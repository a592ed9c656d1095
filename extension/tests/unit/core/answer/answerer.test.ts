import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { Answerer } from "../../../../src/core/answer/answerer";
import type { AnswerEvent, ChosenWriter, FinishedAnswer, Question } from "../../../../src/core/answer/types";
import { DaemonClient } from "../../../../src/core/client/daemonClient";
import { RagError, isCancelled } from "../../../../src/core/common/errors";
import { FakeClient, FakeWriter, MESSAGES, NOT_FOUND, citation, done, question, retrieval } from "../../fixtures/answers";

const FOUND = retrieval([citation(1, "The lease lasts 90 seconds."), citation(2, "It is renewed.", { chunk_ids: ["c2", "c3"] })]);
const ASKED = question("How long does the lease last?");

async function answered(
  client: FakeClient,
  writer: ChosenWriter,
  asked: Question = ASKED,
  signal = new AbortController().signal,
) {
  const events: AnswerEvent[] = [];
  for await (const event of new Answerer(client.service()).answer(asked, writer, signal)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("The answer has no end.");
  const text = events.map((event) => (event.type === "delta" ? event.text : "")).join("");
  return { events: events.map(({ type }) => type), text, answer: last.answer };
}

describe("an answer by a model of the editor", () => {
  it("streams its text without citations that were never given, and is held against the passages", async () => {
    const support = [{ start: 0, end: 5, text: "The l", score: 0.9, supported: true, citations: [1] }];
    const client = new FakeClient(FOUND, done(), { support });
    const writer = new FakeWriter(["The lease lasts ", "90 s [", "1]. It moves [7", "]."]);
    const { events, text, answer } = await answered(client, writer);
    expect(events).toEqual(["retrieval", "delta", "delta", "delta", "delta", "done"]);
    expect(text).toBe("The lease lasts 90 s [1]. It moves.");
    expect(answer).toMatchObject({
      text,
      by: { kind: "editor", name: "Test model" },
      found: true,
      finish: "complete",
      support,
    });
    expect(answer.citations).toHaveLength(2);
    expect(client.verified).toEqual([
      {
        answer: text,
        citations: [
          { id: 1, chunk_ids: ["chunk1"] },
          { id: 2, chunk_ids: ["c2", "c3"] },
        ],
      },
    ]);
    expect(client.chats).toEqual([]);
  });

  it("gets the messages that the daemon built by its rules, and no others", async () => {
    const writer = new FakeWriter(["Ninety."]);
    await answered(new FakeClient(FOUND), writer);
    expect(writer.asked).toEqual([MESSAGES]);
  });

  it("asks for a smaller prompt when the model counts more tokens than it takes", async () => {
    const long = (tokens: number) => [{ role: "user" as const, text: "x".repeat(4 * tokens) }];
    const client = new FakeClient(FOUND, done(), {}, ({ max_tokens: limit }) => ({
      messages: long(2 * (limit ?? 0)),
      tokens: limit ?? 0,
    }));
    const writer = new FakeWriter(["Yes [1]."], 1_000);
    await answered(client, writer);
    expect(client.prompts.map(({ max_tokens: limit }) => limit)).toEqual([1_000, 475]);
    expect(writer.asked).toEqual([long(950)]);
  });

  it("asks for a longer prompt when the daemon's estimate left out what has room", async () => {
    const client = new FakeClient(FOUND, done(), {}, ({ max_tokens: limit = 0 }) => ({
      tokens: 900,
      given: (limit ?? 0) > 1_000 ? [1, 2] : [1],
    }));
    const { answer } = await answered(client, new FakeWriter(["Yes [2]."], 1_000));
    expect(client.prompts).toHaveLength(2);
    expect(answer).toMatchObject({ text: "Yes [2].", notices: [] });
  });

  it("says what had no room", async () => {
    const client = new FakeClient(FOUND, done(), {}, () => ({
      tokens: 20,
      given: [1],
      attachments: ["beginning", "none"],
      turns_left_out: 3,
    }));
    const attachments = ["log.txt", "b.py"].map((name) => ({ name, text: "x" }));
    const { answer } = await answered(client, new FakeWriter(["Yes [1]. No [2]."]), question("How long?", { attachments }));
    expect(client.prompts[0]).toMatchObject({ attachments, max_tokens: 10_000 });
    expect(answer.text).toBe("Yes [1]. No.");
    expect(client.verified[0]?.citations).toEqual([{ id: 1, chunk_ids: ["chunk1"] }]);
    expect(answer.notices).toEqual([
      "1 of 2 passages did not fit into the model's room.",
      "Only the beginning of log.txt fits into the model's room.",
      "b.py was left out: the model has no room for it.",
      "Earlier messages left out, as the model has no room for them: 3.",
    ]);
  });

  it("gives way to the passages when the question and one passage do not fit", async () => {
    const tooSmall = () => {
      throw new RagError("VALIDATION_ERROR", "It does not fit.", "", "", [{ field: "max_tokens", message: "It does not fit." }]);
    };
    const { answer } = await answered(new FakeClient(FOUND, done(), {}, tooSmall), new FakeWriter(["Yes."], 200));
    expect(answer.by.kind).toBe("passages");
    expect(answer.notices[0]).toContain("the question and one passage do not fit into its 200 tokens");
  });

  it("is not asked for with a model that is gone", async () => {
    const client = new FakeClient(FOUND);
    const gone = new FakeWriter([]);
    Object.defineProperty(gone, "maxInputTokens", {
      get() {
        throw new RagError("MODEL_MISSING", "the editor has no such model now");
      },
    });
    const { answer } = await answered(client, gone);
    expect(client.prompts).toEqual([]);
    expect(answer.notices[0]).toContain("Test model is not available");
  });

  it("is asked with what was chosen, and with a bounded history", async () => {
    const client = new FakeClient(FOUND);
    const history = Array.from({ length: 60 }, (_, index) => ({
      role: "user" as const,
      text: `${index}${"x".repeat(9_000)}`,
    }));
    const options = {
      collection: "guides",
      strategy: "dense_only",
      rerank: false,
      filters: { doc_type: ["pdf" as const] },
      topK: 7,
    };
    await answered(client, new FakeWriter(["Yes [1]."]), question("And?", { history, options }));
    const [{ history: sent, ...rest } = { query: "" }] = client.prompts;
    expect(rest).toEqual({
      query: "And?",
      explain: true,
      collection: "guides",
      strategy: "dense_only",
      rerank: false,
      filters: { doc_type: ["pdf"] },
      top_k: 7,
      max_tokens: 10_000,
    });
    expect(sent).toHaveLength(20);
    expect(sent?.every((turn) => turn.text.length <= 4_000)).toBe(true);
  });

  it.each([
    ["MODEL_REFUSED", "Test model declined to answer: no. This answer is made of the passages themselves."],
    ["MODEL_QUOTA", "The quota of Test model is used up: no. This answer is made of the passages themselves."],
    ["MODEL_MISSING", "Test model is not available: no. This answer is made of the passages themselves."],
    ["MODEL_FAILED", "Test model failed: no. This answer is made of the passages themselves."],
  ])("gives way to the passages when the model says nothing: %s", async (code, notice) => {
    const { answer, text } = await answered(new FakeClient(FOUND), new FakeWriter([new RagError(code, "no.")]));
    expect(answer.by.kind).toBe("passages");
    expect(answer.notices).toEqual([notice]);
    expect(text).toBe("The documents say: so [1].");
  });

  it("gives way to the daemon's model when there is one", async () => {
    const client = new FakeClient(FOUND, done({ provider: "openai_compatible", model: "local" }));
    const { answer } = await answered(client, new FakeWriter([]));
    expect(answer.by).toEqual({ kind: "daemon", name: "local" });
    expect(answer.notices).toEqual(["Test model failed: it gave an empty answer. The daemon's model local answered instead."]);
  });

  it("keeps what came when the model breaks off midway, and says so", async () => {
    const { answer, text } = await answered(new FakeClient(FOUND), new FakeWriter(["It lasts 90 s [1]. ", new Error("lost")]));
    expect(text.trim()).toBe("It lasts 90 s [1].");
    expect(answer).toMatchObject({ finish: "cut_off", by: { kind: "editor" } });
    expect(answer.notices).toEqual(["The answer of Test model broke off and is not complete: lost"]);
  });

  it("stands when it can't be held against the passages, and says so", async () => {
    const client = new FakeClient(FOUND, done(), new RagError("SERVICE_UNAVAILABLE", "busy"));
    const { answer } = await answered(client, new FakeWriter(["Yes [1]."]));
    expect(answer).toMatchObject({
      text: "Yes [1].",
      support: [],
      notices: ["The answer was not held against the passages: busy"],
    });
  });

  it("is not found when the daemon says that the model says so", async () => {
    const unchecked = new RagError("SERVICE_UNAVAILABLE", "busy");
    for (const verdict of [{ found: false }, unchecked]) {
      const { answer } = await answered(new FakeClient(FOUND, done(), verdict), new FakeWriter([NOT_FOUND]));
      expect(answer).toMatchObject({ found: false, support: [] });
    }
  });

  it("is the daemon's phrase when too little was found, unless something is attached", async () => {
    const doubtful = retrieval([citation(1, "Other things.")], {
      found: false,
      warnings: ["The reranker is not there."],
    });
    const client = new FakeClient(doubtful);
    const writer = new FakeWriter(["From the file."]);
    const { answer, events } = await answered(client, writer);
    expect(events).toEqual(["retrieval", "delta", "done"]);
    expect(answer).toMatchObject({
      found: false,
      text: NOT_FOUND,
      by: { kind: "passages" },
      notices: ["The reranker is not there."],
    });
    expect([writer.asked, client.chats]).toEqual([[], []]);
    const attachments = [{ name: "a.txt", text: "It lasts 90 s.\n" }];
    expect((await answered(client, writer, question("How long?", { attachments }))).answer.text).toBe("From the file.");
  });

  it("fails when the search fails: that is no empty answer", async () => {
    const client = new FakeClient(new RagError("KNOWLEDGE_BASE_NOT_FOUND", "There is no such collection."));
    await expect(answered(client, new FakeWriter(["x"]))).rejects.toMatchObject({ code: "KNOWLEDGE_BASE_NOT_FOUND" });
    await expect(answered(client, undefined)).rejects.toMatchObject({ code: "KNOWLEDGE_BASE_NOT_FOUND" });
  });

  it("can be called off while the model is silent", async () => {
    const controller = new AbortController();
    const writer = new FakeWriter([]);
    let ended = false;
    writer.stream = async function* () {
      try {
        yield "It ";
        controller.abort();
        await new Promise(() => undefined);
      } finally {
        ended = true;
      }
    };
    const asked = answered(new FakeClient(FOUND), writer, ASKED, controller.signal);
    await expect(asked).rejects.toSatisfy(isCancelled);
    expect(ended).toBe(false);
  });
});

describe("an answer without a model of the editor", () => {
  it("is the daemon's, event by event", async () => {
    const client = new FakeClient(FOUND, done({ provider: "ollama", model: "", warnings: ["2 passages did not fit."] }));
    const { events, answer } = await answered(client, undefined);
    expect(events).toEqual(["retrieval", "delta", "done"]);
    expect(answer).toMatchObject({
      by: { kind: "daemon", name: "ollama" },
      notices: ["2 passages did not fit."],
    } satisfies Partial<FinishedAnswer>);
    expect(client.chats[0]).not.toHaveProperty("extractive");
  });

  it("is made of the passages alone when no model is wanted, and says that attachments were not read", async () => {
    const client = new FakeClient(FOUND);
    const { answer } = await answered(client, "passages", question("How?", { attachments: [{ name: "a", text: "b" }] }));
    expect(client.chats[0]).toMatchObject({ extractive: true });
    expect(answer.by).toEqual({ kind: "passages" });
    expect(answer.notices).toEqual(["Attached files were not used: only a model of the editor reads them."]);
  });

  it("fails when the daemon fails midway", async () => {
    const failed = new FakeClient(FOUND, new RagError("INTERNAL_ERROR", "Something went wrong."));
    await expect(answered(failed, undefined)).rejects.toMatchObject({ code: "INTERNAL_ERROR" });
  });
});

describe("a daemon over HTTP", () => {
  const servers: (() => void)[] = [];
  afterEach(() => servers.splice(0).forEach((close) => close()));

  async function serve(chunks: string[], onClose: () => void = () => undefined): Promise<DaemonClient> {
    const server = createServer((request, response) => {
      response.on("close", onClose);
      request.resume().on("end", () => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        for (const chunk of chunks) response.write(chunk);
        if (chunks.length !== 2) response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return new DaemonClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "t" });
  }

  const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

  it("gives its answer piece by piece", async () => {
    const end = done({ answer: "九十秒です[1]。" });
    const client = await serve([
      event("retrieval", FOUND),
      event("delta", { text: "九十秒" }),
      event("delta", { text: "です[1]。" }),
      event("done", end),
    ]);
    const events = [];
    const service = { client: () => Promise.resolve(client) };
    for await (const one of new Answerer(service).answer(ASKED, undefined, new AbortController().signal)) events.push(one.type);
    expect(events).toEqual(["retrieval", "delta", "delta", "done"]);
  });

  it("is told when the user stops, and the answer ends as one that was called off", async () => {
    const controller = new AbortController();
    let resolveClosed: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (resolveClosed = resolve));
    const client = await serve([event("retrieval", FOUND), event("delta", { text: "It" })], () => resolveClosed());
    const read = async () => {
      for await (const one of new Answerer({ client: () => Promise.resolve(client) }).answer(
        ASKED,
        undefined,
        controller.signal,
      )) {
        if (one.type === "delta") controller.abort();
      }
    };
    await expect(read()).rejects.toSatisfy(isCancelled);
    await closed;
  });

  it("that breaks off is an error", async () => {
    const client = await serve([event("retrieval", FOUND)]);
    const seen: string[] = [];
    const read = async () => {
      const answering = new Answerer({ client: () => Promise.resolve(client) });
      for await (const one of answering.answer(ASKED, undefined, new AbortController().signal)) seen.push(one.type);
    };
    await expect(read()).rejects.toMatchObject({ code: "DAEMON_UNREACHABLE" });
    expect(seen).toEqual(["retrieval"]);
  });
});
