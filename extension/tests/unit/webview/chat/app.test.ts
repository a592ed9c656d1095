// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { MessageToWebview, ToWebview } from "../../../../src/protocol/chat";
import { ChatApp } from "../../../../webview/chat/app";
import { answer, button, citation, fakeHost, find, init, question, retrieval, session, stubBrowser } from "./fixtures";

function start(first: ToWebview["init"] = init(), kept?: Parameters<typeof fakeHost>[0]) {
  const { host, sent, keep } = fakeHost(kept);
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  const app = new ChatApp(host, root, first);
  return { sent, keep, tell: (message: MessageToWebview) => app.receive(message), root };
}

function press(element: Element, key: string, more: KeyboardEventInit = {}): void {
  element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

function type(text: string): HTMLTextAreaElement {
  const input = find("[data-testid=composer]") as HTMLTextAreaElement;
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  return input;
}

const asked = { sessionId: "s1", keep: 0, title: "How long?" };

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
  stubBrowser();
});

describe("the chat view", { timeout: 60_000 }, () => {
  it("asks on Enter and empties the composer", () => {
    const { sent } = start();
    const input = type("How long?");
    press(input, "Enter");
    expect(sent).toContainEqual({ type: "ask", sessionId: "s1", text: "How long?", options: {} });
    expect(input.value).toBe("");
  });

  it("does not ask while an input method composes, on Shift+Enter, or when nothing is written", () => {
    const { sent } = start();
    const input = type("ながさ");
    press(input, "Enter", { isComposing: true });
    press(input, "Enter", { keyCode: 229 });
    press(input, "Enter", { shiftKey: true });
    press(type("  "), "Enter");
    expect(sent.filter((message) => message.type === "ask")).toEqual([]);
  });

  it("shows the passages before the answer, then the answer with chips", async () => {
    const { tell, sent } = start();
    tell({ type: "answer.started", ...asked, messages: [question("u1"), answer("a1")] });
    expect(find("[data-testid=message-assistant]").textContent).toContain("Searching…");
    tell({
      type: "answer.retrieval",
      sessionId: "s1",
      messageId: "a1",
      citations: [citation(1), citation(2)],
      retrieval,
    });
    expect(document.querySelectorAll("[data-testid=passage]")).toHaveLength(2);
    tell({ type: "answer.delta", sessionId: "s1", messageId: "a1", text: "Thirty days [1], not [7].\n\n" });
    await vi.waitFor(() => expect(document.querySelectorAll("[data-testid=citation]")).toHaveLength(1));
    const chip = find("[data-testid=citation]");
    expect(chip.getAttribute("aria-label")).toBe("Citation 1: Title 1, page 1");
    chip.click();
    expect(sent).toContainEqual({ type: "citation.open", sessionId: "s1", messageId: "a1", citationId: 1 });
  });

  it("puts the answer first: pictures and passages stand below it, and keep what has the focus when it ends", async () => {
    const { tell } = start();
    const image = { asset_id: "x", url: "/api/assets/x", mime: "image/png", caption: "Curve" };
    const found = citation(1, { content: "Kept for thirty days. Then deleted.", images: [image], highlights: [[22, 35]] });
    tell({ type: "answer.started", ...asked, messages: [question("u1"), answer("a1")] });
    tell({ type: "answer.retrieval", sessionId: "s1", messageId: "a1", citations: [found], retrieval });
    expect(find(".passage-strip mark").textContent).toBe("Then deleted.");
    find(".passage-open").focus();
    const ended = answer("a1", { state: "done", text: "Thirty days [1].", citations: [{ ...found, highlights: [[0, 21]] }] });
    tell({ type: "answer.ended", sessionId: "s1", message: { ...ended, retrieval } });
    await vi.waitFor(() => expect(document.querySelectorAll(".answer-picture")).toHaveLength(1));
    expect(find(".passage-strip mark").textContent).toBe("Kept for thirty days.");
    expect(document.activeElement).toBe(find(".passage-open"));
    const order = [...find("[data-testid=message-assistant]").children].map((child) => child.className);
    const places = ["markdown", "pictures-place", "passages-place", "answer-end"].map((name) =>
      order.findIndex((classes) => classes.includes(name)),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("says that passages were left out, by counts alone, and offers to set the token", () => {
    const { tell, sent } = start();
    const live = { checked: 1, refreshed: 0, forbidden: 1, gone: 0, unverified: 0, no_token: 2 };
    const found = { ...retrieval, effective: { ...retrieval.effective, live } };
    const message = answer("a1", {
      state: "done",
      text: "Thirty days [1].",
      citations: [citation(1, { as_of: "2026-03-05" })],
      retrieval: found,
    });
    tell({ type: "answer.started", ...asked, messages: [question("u1"), answer("a1")] });
    tell({ type: "answer.ended", sessionId: "s1", message });
    const line = find("[data-testid=left-out]");
    expect(line.textContent).toContain(
      "3 passages from Confluence or Jira were left out: 2 need your token, 1 you may not read.",
    );
    line.querySelector("button")?.click();
    expect(sent).toContainEqual({ type: "problem.action", command: "ragAssistant.setSourceToken" });
    const list = find("details.passages") as HTMLDetailsElement;
    list.open = true;
    list.dispatchEvent(new Event("toggle"));
    expect(find(".passage-as-of").textContent).toBe("as of Mar 5, 2026");
  });

  it("shows stop instead of send while an answer comes, and stops on Escape", () => {
    const { tell, sent } = start();
    tell({ type: "answer.started", ...asked, messages: [question("u1"), answer("a1")] });
    expect(find("[data-testid=send]").hidden).toBe(true);
    press(find("[data-testid=composer]"), "Escape");
    find("[data-testid=stop]").click();
    expect(sent.filter((message) => message.type === "stop")).toHaveLength(2);
    tell({ type: "answer.ended", sessionId: "s1", message: answer("a1", { state: "stopped", text: "Thir" }) });
    expect(find("[data-testid=stop]").hidden).toBe(true);
    expect(find("[data-testid=message-assistant]").textContent).toContain("Stopped.");
  });

  it("marks a sentence that the passages do not bear out", async () => {
    const text = "😀 Thirty days [1]. Stored in **hardware**.";
    const support = [{ start: 19, end: 42, text: "Stored in **hardware**.", score: 0.1, supported: false, citations: [] }];
    start(
      init({
        session: session([question("u1"), answer("a1", { state: "done", text, citations: [citation(1)], support })]),
      }),
    );
    await vi.waitFor(() => expect(document.querySelectorAll(".unsupported")).not.toHaveLength(0));
    expect([...document.querySelectorAll(".unsupported")].map((part) => part.textContent).join("")).toBe("Stored in hardware.");
    expect(find(".unsupported-mark").getAttribute("aria-label")).toBe("Not supported by the passages");
  });

  it("keeps one mark a sentence however often it is judged", async () => {
    const text = "Thirty days [1]. Stored in **hardware**.";
    const support = [{ start: 17, end: 40, text: "Stored in **hardware**.", score: 0.1, supported: false, citations: [] }];
    const { tell } = start(
      init({
        session: session([question("u1"), answer("a1", { state: "done", text, citations: [citation(1)], support })]),
      }),
    );
    const marks = () => document.querySelectorAll(".unsupported-mark").length;
    await vi.waitFor(() => expect(marks()).toBe(1));
    for (const verdict of ["up", "down"] as const) {
      tell({ type: "feedback", sessionId: "s1", messageId: "a1", feedback: { id: "f1", verdict } });
      await vi.waitFor(() => expect(find(`[data-verdict=${verdict}]`).getAttribute("aria-pressed")).toBe("true"));
      await new Promise((drawn) => setTimeout(drawn, 20)); // marks are set after drawing
    }
    expect(marks()).toBe(1);
    expect([...document.querySelectorAll(".unsupported")].map((part) => part.textContent).join("")).toBe("Stored in hardware.");
  });

  it("gives the focus to the question when the editor gives it to the page", () => {
    start(init({ session: session([question("u1"), answer("a1", { state: "done", text: "Yes" })]) }));
    (document.activeElement as HTMLElement | null)?.blur();
    window.dispatchEvent(new Event("focus"));
    expect(document.activeElement).toBe(find("[data-testid=composer] textarea, textarea"));
  });

  it("tells why these passages were chosen", () => {
    const message = answer("a1", { state: "done", text: "Yes", citations: [citation(1)], retrieval });
    start(init({ session: session([question("u1"), message]) }));
    button("Why these passages").click();
    const text = find(".why").textContent;
    for (const part of ["how long", "86 %", "Worked without: sparse", "The question was cut.", "141 ms"])
      expect(text).toContain(part);
    expect(find(".ranks tbody").textContent).toBe("1 Title 121");
  });

  it("says a failure with advice, and tries again", () => {
    const error = { code: "DAEMON_UNREACHABLE", message: "The server did not answer.", advice: "Restart it." };
    const { sent } = start(init({ session: session([question("u1"), answer("a1", { state: "failed", error })]) }));
    expect(find(".problem").textContent).toContain("The server did not answer.Restart it.");
    button("Restart Server").click();
    button("Try Again").click();
    expect(sent).toContainEqual({ type: "problem.action", command: "ragAssistant.restartDaemon" });
    expect(sent).toContainEqual({ type: "retry", sessionId: "s1", messageId: "a1", options: {} });
  });

  it("retries with another strategy from the menu", () => {
    const { sent } = start(init({ session: session([question("u1"), answer("a1", { state: "done", text: "Yes" })]) }));
    button("Try again with other settings").click();
    button("Words only").click();
    expect(sent).toContainEqual({
      type: "retry",
      sessionId: "s1",
      messageId: "a1",
      options: { strategy: "sparse_only" },
    });
  });

  it("sends and withdraws a judgement", () => {
    const { sent, tell } = start(init({ session: session([question("u1"), answer("a1", { state: "done", text: "Yes" })]) }));
    button("Helpful").click();
    tell({ type: "feedback", sessionId: "s1", messageId: "a1", feedback: { verdict: "up", id: "f1" } });
    expect(button("Helpful").getAttribute("aria-pressed")).toBe("true");
    button("Helpful").click();
    const verdicts = sent.flatMap((message) => (message.type === "feedback" ? [message.verdict] : []));
    expect(verdicts).toEqual(["up", null]);
  });

  it("edits the last question with the arrow key and sends it in its place", () => {
    const { sent } = start(init({ session: session([question("u1"), answer("a1", { state: "done", text: "Yes" })]) }));
    press(find("[data-testid=composer]"), "ArrowUp");
    const input = find(".edit-input") as HTMLTextAreaElement;
    expect(document.activeElement).toBe(input);
    input.value = "How short?";
    press(input, "Enter");
    expect(sent).toContainEqual({ type: "ask", sessionId: "s1", text: "How short?", options: {}, replaces: "u1" });
  });

  it("shows the set-up with one button, and its failure with what to do", () => {
    const steps = [{ id: "python" as const, title: "Find Python", state: "failed" as const, note: "" }];
    const setup = { state: "idle" as const, steps: [], status: "", fraction: null };
    const { tell, sent } = start(init({ daemon: { kind: "setup", setup }, choices: null }));
    find("[data-testid=setup]").click();
    expect(sent).toContainEqual({ type: "setup.start" });
    const problem = { code: "NO_PYTHON", message: "No Python was found.", advice: "Install one.", actions: [] };
    tell({ type: "daemon", daemon: { kind: "setup", setup: { ...setup, state: "failed", steps, problem } } });
    expect(find("main.screen").textContent).toContain("No Python was found.Install one.");
    button("Show Log").click();
    expect(sent).toContainEqual({ type: "problem.action", command: "ragAssistant.showLog" });
    tell({ type: "daemon", daemon: { kind: "ready", documents: 1 } });
    expect(find("main.screen").hidden).toBe(true);
  });

  it("keeps a conversation in sight when the server goes away", () => {
    const { tell } = start(init({ session: session([question("u1"), answer("a1", { state: "done", text: "Yes" })]) }));
    tell({ type: "daemon", daemon: { kind: "starting", detail: "Starting again" } });
    expect(find("main.conversation").hidden).toBe(false);
    expect(find(".banner").textContent).toContain("Starting again");
  });

  it("lists sessions by date, finds and deletes them after asking", async () => {
    const { tell, sent } = start();
    button("Chats. Shown now: New chat").click();
    expect(sent).toContainEqual({ type: "session.search", text: "" });
    tell({
      type: "sessions",
      text: "",
      rows: [{ id: "s9", title: "Old", updatedAt: new Date().toISOString(), messageCount: 2 }],
    });
    expect(find(".history-group").textContent).toContain("TodayOld");
    button("Delete chat").click();
    expect(sent.some((message) => message.type === "session.delete")).toBe(false);
    button("Delete").click();
    expect(sent).toContainEqual({ type: "session.delete", sessionId: "s9" });
    const search = find(".history-panel input") as HTMLInputElement;
    search.value = "tokens";
    search.dispatchEvent(new Event("input"));
    await vi.waitFor(() => expect(sent).toContainEqual({ type: "session.search", text: "tokens" }));
  });

  it("closes the list of chats once a question is written or another chat is shown", () => {
    const { tell } = start();
    const panel = find(".history-panel");
    const toggle = button("Chats. Shown now: New chat");
    toggle.click();
    expect(panel.hidden).toBe(false);
    find("[data-testid=composer]").focus();
    expect(panel.hidden).toBe(true);
    expect(document.activeElement).toBe(find("[data-testid=composer]"));
    toggle.click();
    vi.spyOn(HTMLElement.prototype, "focus").mockImplementationOnce(() => undefined); // The editor has the focus.
    tell({ type: "session", session: session([], { id: "s2" }) });
    expect(panel.hidden).toBe(true);
  });

  it("shows what became of added files", () => {
    const ingest = { id: "i1", names: ["a.pdf"], collection: "default", state: "running" as const };
    const { tell, sent } = start(init({ ingests: [{ ...ingest, progress: { stage: "embed", done: 1, total: 4 } }] }));
    expect(find("[data-testid=ingest] [role=progressbar]").getAttribute("aria-valuenow")).toBe("25");
    button("Cancel", find("[data-testid=ingest]")).click();
    expect(sent).toContainEqual({ type: "ingest.cancel", id: "i1" });
    const counts = {
      added: 0,
      updated: 0,
      unchanged: 0,
      skipped: 0,
      chunks: 0,
      embedded: 0,
      reused: 0,
      moved: 0,
      gone: 0,
      gone_names: [],
      lacking_ocr: 0,
      left_out: [],
      left_out_count: 0,
      deleted: 0,
    };
    const failed = [{ source: "a.pdf", code: "ENCRYPTED", message: "The file has a password." }];
    tell({ type: "ingest", ingest: { ...ingest, state: "done", result: { ...counts, failed } } });
    expect(find("[data-testid=ingest]").textContent).toContain("1 faileda.pdf The file has a password.");
  });

  it("opens links by the editor alone", async () => {
    const text = "See [it](https://example.com/x).";
    const { sent } = start(init({ session: session([question("u1"), answer("a1", { state: "done", text })]) }));
    await vi.waitFor(() => expect(document.querySelector(".markdown a")).not.toBeNull());
    const outside = vi.fn();
    document.addEventListener("click", outside);
    find(".markdown a").click();
    document.removeEventListener("click", outside);
    expect(sent).toContainEqual({ type: "link.open", href: "https://example.com/x" });
    expect(outside).not.toHaveBeenCalled();
  });
});
