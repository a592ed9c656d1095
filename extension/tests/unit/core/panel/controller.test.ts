import { randomUUID } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { RagError } from "../../../../src/core/common/errors";
import type { MessageToExtension } from "../../../../src/protocol/chat";
import type { AssistantMessage } from "../../../../src/protocol/session";
import { citation, retrieval } from "../../fixtures/answers";
import { doneEvent, panel } from "./fakePanel";

type Panel = Awaited<ReturnType<typeof panel>>;
let made: Panel;
let view: Panel["window"];

beforeEach(async () => {
  made = await panel();
  view = made.window;
  await view.say({ type: "ready" });
});

afterEach(async () => {
  await view.conversations.close();
  await made.remove();
});

const answer = (index = -1) => view.session().messages.at(index) as AssistantMessage;

/** Asks and lets the answer come at once. */
async function answered(text: string, reply: string, ...citations: ReturnType<typeof citation>[]): Promise<AssistantMessage> {
  if (citations.length > 0) made.script.say({ type: "retrieval", retrieval: retrieval(citations) });
  made.script.say(doneEvent(reply, citations));
  await view.say({ type: "ask", sessionId: view.session().id, text, options: {} });
  return answer();
}

describe("asking", () => {
  it("streams: the question is accepted, passages come, then the text, then the whole answer", async () => {
    const passages = [citation(1, "passage")];
    made.script.say(
      { type: "retrieval", retrieval: retrieval(passages) },
      { type: "delta", text: "So [1]" },
      doneEvent("So [1]", passages),
    );
    await view.say({ type: "ask", sessionId: view.session().id, text: "Why?", options: { strategy: "hybrid" } });
    const types = view.sent.map(({ type }) => type).filter((type) => type.startsWith("answer."));
    expect(types).toEqual(["answer.started", "answer.retrieval", "answer.delta", "answer.ended"]);
    expect(view.last("answer.started")).toMatchObject({ keep: 0, title: "Why?" });
    expect(view.last("answer.ended").message).toMatchObject({ state: "done", text: "So [1]" });
    expect(made.script.questions[0]).toMatchObject({
      text: "Why?",
      options: { strategy: "hybrid", topK: 5 },
      history: [],
    });
  });

  it("sends the turns before as history, and only those before a question that is edited", async () => {
    await answered("one", "first");
    await answered("two", "second");
    expect(made.script.questions[1]?.history.map(({ text }) => text)).toEqual(["one", "first"]);
    made.script.say(doneEvent("again"));
    const edited = view.session().messages[0];
    await view.ask("one, better", { replaces: edited?.id });
    expect(made.script.questions[2]?.history).toEqual([]);
    expect(view.session().messages.map(({ text }) => text)).toEqual(["one, better", "again"]);
  });

  it("answers again with other options", async () => {
    const first = await answered("one", "first");
    made.script.say(doneEvent("second"));
    await view.say({
      type: "retry",
      sessionId: view.session().id,
      messageId: first.id,
      options: { strategy: "sparse_only" },
    });
    expect(view.session().messages).toMatchObject([{ text: "one" }, { text: "second", options: { strategy: "sparse_only" } }]);
    expect(made.script.questions[1]?.text).toBe("one");
  });

  it("stops at once and keeps what had come, on disk too", async () => {
    made.script.say({ type: "delta", text: "Half" });
    const ended = view.ask("Why?");
    await vi.waitFor(() => expect(answer().text).toBe("Half"));
    await view.say({ type: "stop", sessionId: view.session().id });
    await ended;
    expect(made.script.signal?.aborted).toBe(true);
    expect(view.last("answer.ended").message).toMatchObject({ state: "stopped", text: "Half" });
    await view.store.flush();
    expect((await made.open().store.load(view.session().id))?.messages[1]).toMatchObject({
      state: "stopped",
      text: "Half",
    });
  });

  it("takes one question at a time in a session", async () => {
    const ended = view.ask("first");
    await vi.waitFor(() => expect(view.all("answer.started")).toHaveLength(1));
    await view.say({ type: "ask", sessionId: view.session().id, text: "second", options: {} });
    expect(view.last("note").text).toContain("still being answered");
    made.script.say(doneEvent("done"));
    await ended;
    expect(view.session().messages).toHaveLength(2);
  });

  it("shows why an answer failed and what to do, and logs the request", async () => {
    made.script.say(new RagError("KNOWLEDGE_BASE_NOT_FOUND", "There is no collection 'x'.", "", "request-7"));
    await view.ask("Why?");
    expect(view.last("answer.ended").message).toMatchObject({
      state: "failed",
      error: {
        code: "KNOWLEDGE_BASE_NOT_FOUND",
        message: "There is no collection 'x'.",
        advice: expect.stringContaining("another collection") as string,
      },
    });
    expect(made.lines.join()).toContain("request-7");
  });

  it("fails an answer that ends without its end", async () => {
    made.script.say({ type: "delta", text: "Half" }, null);
    await view.ask("Why?");
    expect(answer()).toMatchObject({ state: "failed", text: "Half", error: { code: "ANSWER_INCOMPLETE" } });
  });

  it("takes the setting's collection where none is chosen, and all where that is chosen", async () => {
    const set = await panel({ collection: "handbook" });
    await set.window.say({ type: "ready" });
    set.script.say(doneEvent("a"), doneEvent("b"));
    const ask = (options: object) => set.window.say({ type: "ask", sessionId: set.window.session().id, text: "q", options });
    await ask({});
    set.script.say(doneEvent("b"));
    await ask({ collection: "" });
    expect(set.script.questions.map(({ options }) => options.collection)).toEqual(["handbook", ""]);
    await set.window.conversations.close();
    await set.remove();
  });

  it("puts no write to disk between a question and its way to the daemon", async () => {
    const ended = view.ask("Why?");
    expect(made.script.questions).toHaveLength(0);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    expect(made.script.questions).toHaveLength(1);
    made.script.say(doneEvent("done"));
    await ended;
  });

  it("sends a fast stream in few messages, and none of its text twice or never", async () => {
    const pieces = Array.from({ length: 10_000 }, (_, index) => `word${index} `);
    const start = performance.now();
    made.script.say(...pieces.map((text) => ({ type: "delta" as const, text })));
    made.script.say(null);
    await view.ask("Long?");
    const seconds = (performance.now() - start) / 1000;
    const deltas = view.all("answer.delta");
    expect(deltas.map(({ text }) => text).join("")).toBe(pieces.join(""));
    expect(deltas.length).toBeLessThanOrEqual(Math.ceil(seconds * 30) + 2);
    console.log(`10,000 pieces in ${Math.round(seconds * 1000)} ms, ${deltas.length} messages`);
  });
});

describe("sessions", () => {
  it("stream on while another one is looked at, and are whole when one comes back", async () => {
    made.script.say({ type: "delta", text: "One " });
    const ended = view.ask("first");
    await vi.waitFor(() => expect(answer().text).toBe("One "));
    const { id } = view.session();
    await view.say({ type: "session.new" });
    const before = view.all("answer.delta").length;
    made.script.say({ type: "delta", text: "two " });
    await vi.waitFor(async () => expect((await view.conversations.get(id)).messages[1]?.text).toBe("One two "));
    expect(view.all("answer.delta")).toHaveLength(before);
    await view.say({ type: "session.open", sessionId: id });
    expect(view.last("session").session.messages[1]).toMatchObject({ text: "One two ", state: "answering" });
    made.script.say({ type: "delta", text: "three" }, doneEvent("One two three"));
    await ended;
    const later = view
      .all("answer.delta")
      .slice(before)
      .map(({ text }) => text);
    expect(later.join("")).toBe("three");
    expect(view.last("answer.ended").message.text).toBe("One two three");
  });

  it("are all there after a reload: the one that was shown, and the list", async () => {
    await answered("What is a lease?", "A contract.");
    await view.conversations.close();
    const reloaded = made.open();
    await reloaded.say({ type: "ready" });
    expect(reloaded.last("init").session.messages.map(({ text }) => text)).toEqual(["What is a lease?", "A contract."]);
    await reloaded.say({ type: "session.search", text: "contract" });
    expect(reloaded.last("sessions").rows).toMatchObject([{ title: "What is a lease?", excerpt: "A contract." }]);
  });

  it("give a view that was drawn anew everything, also in the middle of an answer", async () => {
    made.script.say({ type: "delta", text: "Half" });
    const ended = view.ask("Why?");
    await vi.waitFor(() => expect(answer().text).toBe("Half"));
    await view.say({ type: "ready" });
    expect(view.last("init").session.messages[1]).toMatchObject({ text: "Half", state: "answering" });
    made.script.say(doneEvent("Half and whole"));
    await ended;
  });

  it("are renamed and deleted, the shown one after its answer was stopped", async () => {
    await answered("one", "first");
    const { id } = view.session();
    await view.say({ type: "session.rename", sessionId: id, title: "Renamed" });
    expect(view.last("sessions").rows).toMatchObject([{ title: "Renamed" }]);
    const ended = view.ask("two");
    await vi.waitFor(() => expect(made.script.questions).toHaveLength(2));
    await view.say({ type: "session.delete", sessionId: id });
    await ended;
    expect(view.last("sessions").rows).toEqual([]);
    expect(view.last("session").session.messages).toEqual([]);
    await view.store.flush();
    expect(await made.open().store.load(id)).toBeUndefined();
  });

  it("go on from what another window has written, not from old memory", async () => {
    await answered("one", "first");
    await view.store.flush();
    const other = made.open();
    await other.say({ type: "ready" });
    made.script.say(doneEvent("second"));
    await other.ask("two");
    await other.store.flush();
    await answered("three", "third");
    expect(view.session().messages.map(({ text }) => text)).toEqual(["one", "first", "two", "second", "three", "third"]);
    expect(made.script.questions.at(-1)?.history).toHaveLength(4);
  });

  it("say so when one to open is gone", async () => {
    await view.say({ type: "session.open", sessionId: randomUUID() });
    expect(view.last("note").text).toContain("no longer there");
  });
});

describe("feedback", () => {
  it("tells the question, the cited passages and the trace, and is kept in the session", async () => {
    const message = await answered("Why?", "So [2].", citation(1, "a"), citation(2, "b", { chunk_ids: ["x", "y"] }));
    const about = { type: "feedback" as const, sessionId: view.session().id, messageId: message.id };
    await view.say({ ...about, verdict: "up" });
    expect(made.daemon.given[0]).toEqual({
      question: "Why?",
      verdict: "up",
      chunk_ids: ["x", "y"],
      answer: "So [2].",
      trace_id: "0".repeat(32),
    });
    expect(view.last("feedback").feedback).toEqual({ verdict: "up", id: "f1" });
    await view.say({ ...about, verdict: "down" });
    expect(made.daemon.withdrawn).toEqual(["f1"]);
    expect(answer().feedback).toEqual({ verdict: "down", id: "f2" });
    await view.say({ ...about, verdict: null });
    expect(made.daemon.withdrawn).toEqual(["f1", "f2"]);
    await view.store.flush();
    expect((await made.open().store.load(view.session().id))?.messages[1]).not.toHaveProperty("feedback");
  });

  it("goes back to what it was when the daemon can't be reached", async () => {
    const message = await answered("Why?", "So.");
    made.daemon.fails = new RagError("DAEMON_UNREACHABLE", "The daemon does not answer.");
    await view.say({ type: "feedback", sessionId: view.session().id, messageId: message.id, verdict: "up" });
    expect(view.last("feedback").feedback).toBeNull();
    expect(view.last("note").text).toContain("does not answer");
  });
});

describe("what the view asks of the editor", () => {
  it("opens the place of a citation and says so when there is no such passage", async () => {
    const message = await answered("Why?", "So [1].", citation(1, "a"));
    const about = { type: "citation.open" as const, sessionId: view.session().id, messageId: message.id };
    await view.say({ ...about, citationId: 1 });
    expect(made.places.open).toHaveBeenCalledWith(citation(1, "a"));
    await view.say({ ...about, citationId: 9 });
    expect(view.last("note").text).toContain("no passage 9");
  });

  it("copies an answer with its sources", async () => {
    const message = await answered("Why?", "So [1].", citation(1, "a"));
    await view.say({ type: "answer.copy", sessionId: view.session().id, messageId: message.id });
    expect(made.host.copy).toHaveBeenCalledWith(expect.stringContaining("- [1] Document 1: guides/doc1.md"));
  });

  it("loads a picture once, and says why when it can't be had", async () => {
    await view.say({ type: "image.load", assetId: "a1", variant: "thumb" });
    await view.say({ type: "image.load", assetId: "a1", variant: "thumb" });
    expect(made.daemon.assets).toEqual(["a1"]);
    expect(view.last("image").bytes).toEqual(new Uint8Array([1]));
    made.daemon.fails = new RagError("ASSET_NOT_FOUND", "There is no picture 'a2'.");
    await view.say({ type: "image.load", assetId: "a2", variant: "raw" });
    expect(view.last("image")).toMatchObject({ bytes: null, problem: "There is no picture 'a2'." });
  });

  it.each(["http://example.com/a", "https://example.com", "mailto:a@example.com"])("opens %s", async (href) => {
    await view.say({ type: "link.open", href });
    expect(made.host.openLink).toHaveBeenCalledWith(href);
  });

  it.each(["command:workbench.action.reloadWindow", "file:///etc/passwd", "vscode://x/y", "javascript:alert(1)"])(
    "refuses %s",
    async (href) => {
      await view.say({ type: "link.open", href });
      expect(made.host.openLink).not.toHaveBeenCalled();
      expect(view.last("note").text).toContain("Only links");
    },
  );

  it.each([
    { type: "problem.action", command: "workbench.action.terminal.new" },
    { type: "session.open", sessionId: "../../secrets" },
    { type: "ask", sessionId: randomUUID(), text: "x", options: { topK: "many" } },
    { type: "ask", sessionId: randomUUID(), text: "x", options: { unknown: 1 } },
    { type: "image.load", assetId: "a/../b", variant: "thumb" },
    { type: "constructor" },
    null,
  ])("takes nothing that is not in the map: %j", async (message) => {
    const before = view.sent.length;
    await view.say(message as MessageToExtension);
    expect(view.sent.slice(before).map(({ type }) => type)).toEqual(["note"]);
    expect(made.host.run).not.toHaveBeenCalled();
  });

  it("refuses a question that is empty or far too long, and says so", async () => {
    await view.say({ type: "ask", sessionId: view.session().id, text: " \n ", options: {} });
    expect(view.last("note").text).toContain("empty");
    await view.say({ type: "ask", sessionId: view.session().id, text: "x".repeat(20_001), options: {} });
    expect(view.last("note").text).toContain("20000");
    expect(view.session().messages).toEqual([]);
  });
});

describe("before the view listens", () => {
  it("keeps what commands ask for, and sends the rest with the beginning", async () => {
    const closed = made.open();
    closed.controller.compose("What is a lease?", true);
    closed.controller.showHistory();
    closed.controller.sendDaemonState();
    expect(closed.sent).toEqual([]);
    await closed.say({ type: "ready" });
    expect(closed.sent.map(({ type }) => type)).toEqual(["init", "compose", "history.show", "choices"]);
    expect(closed.last("choices").choices.collections.map(({ name }) => name)).toEqual(["default"]);
    expect(closed.last("choices").choices.defaults).toEqual({ model: "auto", topK: 5 });
  });
});
