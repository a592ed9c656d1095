// @vitest-environment jsdom
/** What the webview does for sessions: pins, titles of other windows, reasons of judgements, and a scope that holds nothing. */
import { beforeEach, describe, expect, it } from "vitest";

import type { ToWebview } from "../../../../src/protocol/chat";
import { ChatApp } from "../../../../webview/chat/app";
import type { SavedState } from "../../../../webview/chat/types";
import { answer, button, citation, fakeHost, find, init, question, retrieval, session, stubBrowser } from "./fixtures";

function start(more: Partial<ToWebview["init"]> = {}) {
  const { host, sent, keep } = fakeHost();
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const app = new ChatApp(host, root, init(more));
  const kept = () => (keep.mock.lastCall as [SavedState] | undefined)?.[0];
  return { app, kept, root, sent };
}

function press(element: HTMLElement, key: string): void {
  element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

beforeEach(stubBrowser);

const row = { updatedAt: "2020-03-01T10:00:00Z", messageCount: 2 };

describe("the list of chats", () => {
  it("has those that are pinned first, and pins and unpins", () => {
    const { app, sent } = start();
    const rows = [
      { ...row, id: "s2", title: "Kept", pinned: true as const },
      { ...row, id: "s3", title: "Old" },
    ];
    app.receive({ type: "sessions", text: "", rows });
    expect([...document.querySelectorAll(".history-group h2")].map((one) => one.textContent)).toEqual(["Pinned", "Older"]);
    const unpin = button("Unpin chat");
    expect(unpin.getAttribute("aria-pressed")).toBe("true");
    unpin.click();
    button("Pin chat").click();
    expect(sent.filter(({ type }) => type === "session.pin")).toEqual([
      { type: "session.pin", sessionId: "s2", pinned: false },
      { type: "session.pin", sessionId: "s3", pinned: true },
    ]);
  });

  it("has the name that another window gave, of the chat that is shown alone", () => {
    const { app } = start({ session: session([question("u1"), answer("a1", { state: "done" })], { title: "Mine" }) });
    app.receive({ type: "session.title", sessionId: "s9", title: "Other" });
    expect(find(".history-title").textContent).toBe("Mine");
    app.receive({ type: "session.title", sessionId: "s1", title: "Named" });
    expect(find(".history-title").textContent).toBe("Named");
  });
});

it("keeps which chat is shown, so that a tab comes back with it", () => {
  const { app, kept } = start({ session: session([question("u1")]) });
  expect(kept()?.session).toBe("s1");
  app.receive({ type: "session", session: session([], { id: "s2" }) });
  expect(kept()?.session).toBeUndefined();
  const messages = [question("u2"), answer("a2")];
  app.receive({ type: "answer.started", sessionId: "s2", keep: 0, messages, title: "t" });
  expect(kept()?.session).toBe("s2");
});

describe("an answer that did not help", () => {
  const judged = (comment?: string) => {
    const feedback = { verdict: "down" as const, id: "f1", ...(comment === undefined ? {} : { comment }) };
    return start({ session: session([question("u1"), answer("a1", { state: "done", text: "No", feedback })]) });
  };

  it("can be said to be wrong in words, which then stand below it", () => {
    const { app, root, sent } = judged();
    button("Say what was wrong…").click();
    const input = find(".feedback-form input") as HTMLInputElement;
    expect(document.activeElement).toBe(input);
    press(input, "Enter");
    input.value = " Of another year ";
    press(input, "Enter");
    const comment = "Of another year";
    const about = { type: "feedback" as const, sessionId: "s1", messageId: "a1" };
    expect(sent.filter(({ type }) => type === "feedback")).toEqual([{ ...about, verdict: "down", comment }]);
    app.receive({ ...about, feedback: { verdict: "down", id: "f2", comment } });
    expect(find(".feedback-said", root).textContent).toBe("What was wrong: Of another year");
  });

  it("is not asked about when it helped", () => {
    const feedback = { verdict: "up" as const, id: "f1" };
    start({ session: session([question("u1"), answer("a1", { state: "done", text: "Yes", feedback })]) });
    expect(document.body.textContent).not.toContain("Say what was wrong");
  });
});

describe("a scope in which nothing is indexed", () => {
  const scope = [{ kind: "folder" as const, id: "/home/ann/notes/", label: "notes/" }];
  const nothing = { ...retrieval, explanation: [] };
  const line = (more: object) => {
    const asked = { state: "done" as const, found: false, text: "No.", retrieval: nothing, options: { scope }, ...more };
    const made = start({ session: session([question("u1"), answer("a1", asked)]) });
    return { ...made, line: made.root.querySelector("[data-testid=empty-scope]") };
  };

  it("is named below the answer, with a button that adds it", () => {
    const made = line({});
    expect(made.line?.textContent).toContain("Nothing is indexed of what was asked about: notes/.");
    button("Add to Knowledge Base").click();
    expect(made.sent).toContainEqual({ type: "scope.add", scope });
  });

  it("is the collection that was asked, where nothing else was chosen", () => {
    const made = line({ options: { collection: "handbook" } });
    expect(made.line?.textContent).toContain("Nothing is indexed of what was asked about: handbook.");
    button("Add to Knowledge Base").click();
    const collection = { kind: "collection", id: "handbook", label: "handbook" };
    expect(made.sent).toContainEqual({ type: "scope.add", scope: [collection] });
  });

  it.each([
    ["passages were found", { citations: [citation(1)] }],
    ["nothing was chosen", { options: {} }],
    ["filters left nothing", { options: { scope, filters: { language: "ja" } } }],
    ["passages may not be read", { retrieval: { ...nothing, effective: { ...nothing.effective, live: { checked: 1 } } } }],
    ["nothing was searched", { retrieval: undefined }],
    ["it was stopped", { state: "stopped" }],
  ])("is not said to be empty where %s", (_why, more) => {
    expect(line(more).line).toBeNull();
  });
});
