// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";

import type { MessageToWebview } from "../../../../src/protocol/chat";
import type { ScopeItem } from "../../../../src/protocol/session";
import { ChatApp } from "../../../../webview/chat/app";
import { answer, button, fakeHost, find, init, question, session, stubBrowser } from "./fixtures";

const NOTES: ScopeItem = { kind: "folder", id: "notes/", label: "notes/" };
const REPORT: ScopeItem = { kind: "document", id: "d1", label: "report.pdf" };
const SELECTION = { name: "a.py, lines 1–3", text: "x = 1" };

function start(messages: Parameters<typeof session>[0] = []) {
  const { host, sent } = fakeHost();
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const app = new ChatApp(host, root, init({ session: session(messages) }));
  const ask = (text: string) => {
    const input = find("[data-testid=composer]") as HTMLTextAreaElement;
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    return sent.findLast((message) => message.type === "ask")?.options;
  };
  return { sent, ask, tell: (message: MessageToWebview) => app.receive(message) };
}

const chips = () => [...document.querySelectorAll("[data-testid=scope] li")].map((chip) => chip.textContent);

beforeEach(stubBrowser);

describe("what a question is about", { timeout: 60_000 }, () => {
  it("stands as chips above the field and holds on; an attachment goes with one question", () => {
    const { ask, tell } = start();
    tell({ type: "scope", scope: [REPORT], add: true, attachments: [SELECTION] });
    tell({ type: "scope", scope: [NOTES, REPORT], add: true, attachments: [] });
    expect(chips()).toEqual(["report.pdf", "notes/", "a.py, lines 1–3"]);
    expect(ask("Why?")).toEqual({ scope: [REPORT, NOTES], attachments: [SELECTION] });
    expect(chips()).toEqual(["report.pdf", "notes/"]);
    expect(ask("And then?")).toEqual({ scope: [REPORT, NOTES] });
  });

  it("is ticked in a list, and taken away by a chip's button", () => {
    const { sent, ask, tell } = start();
    tell({ type: "scope", scope: [REPORT, NOTES], add: false, attachments: [] });
    find("[data-testid=choose-scope]").click();
    expect(sent.at(-1)).toEqual({ type: "scope.choose", scope: [REPORT, NOTES] });
    button("Remove report.pdf").click();
    expect(ask("Why?")).toEqual({ scope: [NOTES] });
    tell({ type: "scope", scope: [], add: false, attachments: [] });
    expect(chips()).toEqual([]);
  });

  it("stands beside the question that was asked, and is there again when the chat is", () => {
    const asked = { ...question("u1"), options: { scope: [REPORT], attachments: [SELECTION] } };
    const { ask } = start([asked, answer("a1", { state: "done" })]);
    const shown = [...document.querySelectorAll("[data-message=u1] .scope-chip")].map((chip) => chip.textContent);
    expect(shown).toEqual(["report.pdf", "a.py, lines 1–3"]);
    expect(chips()).toEqual(["report.pdf"]);
    expect(ask("Why?")).toEqual({ scope: [REPORT] });
  });
});
