// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";

import type { MessageToWebview, ToWebview } from "../../../../src/protocol/chat";
import { ChatApp } from "../../../../webview/chat/app";
import type { SavedState } from "../../../../webview/chat/types";
import { answer, button, fakeHost, find, init, question, session, stubBrowser } from "./fixtures";

function start(first: ToWebview["init"], kept?: SavedState) {
  const { host, sent, keep } = fakeHost(kept);
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const app = new ChatApp(host, root, first);
  return { sent, keep, tell: (message: MessageToWebview) => app.receive(message) };
}

const composer = () => find("[data-testid=composer]") as HTMLTextAreaElement;
const talked = (id: string) => session([question("u1"), answer("a1", { state: "done", text: "Yes" })], { id });

function write(text: string): void {
  composer().value = text;
  composer().dispatchEvent(new Event("input", { bubbles: true }));
}

function press(key: string): void {
  composer().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

beforeEach(stubBrowser);

describe("what was written", { timeout: 60_000 }, () => {
  it("is there again after a reload, though a chat without a question has another id then", () => {
    const first = start(init({ session: session([], { id: "s1" }) }));
    write("half a question");
    const kept = structuredClone(first.keep.mock.lastCall?.[0]) as SavedState;
    start(init({ session: session([], { id: "s2" }) }), kept);
    expect(composer().value).toBe("half a question");
  });

  it("goes along into a new chat, and stays where another chat is opened", () => {
    const { tell } = start(init({ session: talked("s1") }));
    write("half a question");
    tell({ type: "session", session: talked("s2") });
    expect(composer().value).toBe("");
    tell({ type: "session", session: talked("s1") });
    expect(composer().value).toBe("half a question");
    tell({ type: "session", session: session([], { id: "s3" }) });
    expect(composer().value).toBe("half a question");
    tell({ type: "session", session: talked("s1") });
    expect(composer().value).toBe("");
  });

  it("keeps the options of a new chat once it has its first question, and gives them to no other", () => {
    const kept = { drafts: {}, options: { "": { strategy: "sparse_only" } } };
    const { tell, sent } = start(init(), kept);
    write("How long?");
    press("Enter");
    const options = { strategy: "sparse_only" };
    expect(sent).toContainEqual({ type: "ask", sessionId: "s1", text: "How long?", options });
    const messages = [question("u1"), answer("a1")];
    tell({ type: "answer.started", sessionId: "s1", keep: 0, title: "How long?", messages });
    tell({ type: "session", session: session([], { id: "s2" }) });
    expect(find("[data-picker=strategy]").classList).not.toContain("chosen");
    tell({ type: "session", session: talked("s1") });
    expect(find("[data-picker=strategy]").classList).toContain("chosen");
  });
});

describe("chats while the daemon is not there", { timeout: 60_000 }, () => {
  const problem = { code: "X", message: "The daemon does not answer.", advice: "Restart it.", actions: [] };

  it("can be looked at and asked in while it starts", () => {
    const { sent } = start(init({ daemon: { kind: "starting", detail: "Loading the model" }, choices: null }));
    expect(find(".banner").textContent).toContain("Loading the model");
    button("Chats. Shown now: New chat").click();
    expect(sent).toContainEqual({ type: "session.search", text: "" });
    write("How long?");
    press("Enter");
    expect(sent).toContainEqual({ type: "ask", sessionId: "s1", text: "How long?", options: {} });
  });

  it("can be looked at while it needs attention, with what to do", () => {
    const { tell } = start(init({ daemon: { kind: "attention", problem } }));
    expect(find("main.screen").textContent).toContain("The daemon does not answer.Restart it.");
    expect(find("[data-testid=history]").closest("[hidden]")).toBeNull();
    tell({ type: "session", session: talked("s2") });
    expect(find("main.screen").hidden).toBe(true);
    expect(find("[data-testid=message-user]").closest("[hidden]")).toBeNull();
    expect(find(".banner").textContent).toContain("The daemon does not answer.");
  });

  it("can be looked at while it is set up anew, with the button that goes on", () => {
    const setup = { state: "cancelled" as const, steps: [], status: "", fraction: null };
    const { sent } = start(init({ daemon: { kind: "setup", setup }, session: talked("s1") }));
    expect(find("[data-testid=message-assistant]").closest("[hidden]")).toBeNull();
    button("Continue").click();
    expect(sent).toContainEqual({ type: "setup.start" });
  });
});

describe("the last question", { timeout: 60_000 }, () => {
  it("comes into sight when it is edited by the arrow key", () => {
    const shown: Element[] = [];
    Element.prototype.scrollIntoView = function (this: Element) {
      shown.push(this);
    };
    start(init({ session: talked("s1") }));
    press("ArrowUp");
    expect(document.activeElement?.classList).toContain("edit-input");
    expect(shown).toEqual([find("[data-testid=message-user]")]);
  });
});
