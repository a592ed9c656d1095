// @vitest-environment jsdom
/** What the page shows before its script has come, beside what the script draws at its place. */

import * as l10n from "@vscode/l10n";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { chatShell } from "../../../../src/editor/panel/chatShell";
import type { MessageToWebview } from "../../../../src/protocol/chat";
import { ChatApp } from "../../../../webview/chat/app";
import { fakeHost, find, init, question, session, stubBrowser } from "../../webview/chat/fixtures";

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
  stubBrowser();
});

afterEach(() => l10n.config({ contents: {} }));

function shell(isNew: boolean): HTMLElement {
  document.body.innerHTML = chatShell(isNew);
  return find(".app");
}

/** What is seen of an element: its kind, classes, drawing, and the words of the page. */
function looks(element: Element): string {
  const words = [...element.childNodes].filter((node) => node instanceof Text).map((node) => node.data.trim());
  const drawn = [...element.attributes].filter(({ name }) => ["class", "d", "placeholder", "disabled", "viewBox"].includes(name));
  const attributes = drawn.map(({ name, value }) => `${name}=${value}`).sort();
  const within = [...element.children].map(looks).filter((one) => one !== "");
  return `${element.localName} ${[...attributes, ...words].join(" ").trim()}[${within.join(",")}]`;
}

/** What the script draws, without what nobody sees. */
function drawn(selector: string): Element {
  const element = find(selector).cloneNode(true) as Element;
  for (const unseen of element.querySelectorAll("[hidden], .unseen, .composer > div:empty")) unseen.remove();
  return element;
}

it("looks as the script draws it, in the language of the editor", () => {
  l10n.config({ contents: { "New chat": "新しいチャット", "Ask your documents": "文書に<質問>する" } });
  const root = shell(true);
  const before = ["header.top", "form.composer"].map((part) => looks(find(part)));
  new ChatApp(fakeHost().host, root, init({ choices: null }));
  expect(["header.top", "form.composer"].map((part) => looks(drawn(part)))).toEqual(before);
  expect(before.join()).toContain("新しいチャット");
  expect(before.join()).toContain("文書に<質問>する");
});

it("does not call a chat new that has been asked in", () => {
  const root = shell(false);
  expect(find(".history-title").textContent).toBe("");
  new ChatApp(fakeHost().host, root, init({ session: session([question("u1")], { title: "How long?" }) }));
  expect(find(".history-title").textContent).toBe("How long?");
});

it("can't be reached by keys, nor is it read aloud", () => {
  const root = shell(true);
  expect(root.hasAttribute("inert")).toBe(true);
  expect(root.getAttribute("aria-busy")).toBe("true");
  expect(root.querySelectorAll("[data-testid], [id], [aria-label]")).toHaveLength(0);
});

async function begin(...early: MessageToWebview[]): Promise<unknown[]> {
  const sent: unknown[] = [];
  const postMessage = (message: unknown) => sent.push(message);
  vi.stubGlobal("acquireVsCodeApi", () => ({ postMessage, getState: () => undefined, setState: vi.fn() }));
  vi.stubGlobal("early", early);
  vi.resetModules();
  await import("../../../../webview/chat/main");
  return sent;
}

it("gives way at once to a chat that was sent while the page loaded, with all that followed", async () => {
  const root = shell(false);
  const title = { type: "session.title" as const, sessionId: "s1", title: "Leases" };
  const sent = await begin({ type: "init", ...init({ session: session([question("u1")], { title: "How long?" }) }) }, title);
  expect(root.hasAttribute("inert")).toBe(false);
  expect(find(".history-title").textContent).toBe("Leases");
  expect(find("[data-testid=message-user]").textContent).toContain("How long?");
  expect(sent).toContainEqual({ type: "ready", drawn: true });
});

it("gives way to the script once that knows what to show, and the focus goes on to the question", async () => {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  const root = shell(true);
  // What the editor handed over before was cut off.
  expect(await begin({ type: "note", text: "Lost" })).toEqual([{ type: "ready" }]);
  expect(root.hasAttribute("inert")).toBe(true);
  window.dispatchEvent(new MessageEvent("message", { data: { type: "init", ...init() } }));
  expect(document.querySelectorAll(".app")).toHaveLength(1);
  expect(find(".app").hasAttribute("inert")).toBe(false);
  expect(find(".app").hasAttribute("aria-busy")).toBe(false);
  expect(document.activeElement).toBe(find("[data-testid=composer]"));
});
