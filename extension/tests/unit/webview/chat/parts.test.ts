// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";

import { filterCount, openFilters } from "../../../../webview/chat/composer/filters";
import { choiceItems, retrySections, withOption } from "../../../../webview/chat/composer/options";
import { SavedStateStore } from "../../../../webview/chat/composer/savedState";
import { dateGroup } from "../../../../webview/chat/history/dates";
import { DropZone, MOST_BYTES, uriList } from "../../../../webview/chat/ingest/dropZone";
import { applyUpdate, running } from "../../../../webview/chat/messages/sessionState";
import { insertChips } from "../../../../webview/chat/passages/citationChips";
import { excerpt } from "../../../../webview/chat/passages/excerpt";
import { Images } from "../../../../webview/chat/passages/images";
import { answer, button, citation, fakeHost, find, init, question, session } from "./fixtures";

describe("insertChips", () => {
  function chipped(html: string): string {
    const box = document.createElement("div");
    box.innerHTML = html;
    insertChips(box, [citation(1), citation(2)]);
    for (const chip of box.querySelectorAll("button")) chip.replaceWith(`<${chip.textContent}>`);
    return box.textContent;
  }

  it("makes chips of numbers that exist, and of no others", () => {
    expect(chipped("<p>One [1], both [1][2]. None [3] [x].</p>")).toBe("One <1>, both <1><2>. None [3] [x].");
  });

  it("leaves code and links alone", () => {
    expect(chipped("<p><code>a[1]</code> <a href='#'>[2]</a> [2]</p>")).toBe("a[1] [2] <2>");
  });
});

describe("applyUpdate", () => {
  it("takes no message of another session", () => {
    const shown = session([question("u1"), answer("a1")]);
    expect(applyUpdate(shown, { type: "answer.delta", sessionId: "other", messageId: "a1", text: "x" })).toBe(false);
    expect(applyUpdate(shown, { type: "answer.delta", sessionId: "s1", messageId: "gone", text: "x" })).toBe(false);
  });

  it("cuts the session where a question is asked anew", () => {
    const shown = session([question("u1"), answer("a1", { state: "done" }), question("u2"), answer("a2", { state: "done" })]);
    const messages = [question("u3"), answer("a3")];
    applyUpdate(shown, { type: "answer.started", sessionId: "s1", keep: 2, messages, title: "T" });
    expect(shown.messages.map(({ id }) => id)).toEqual(["u1", "a1", "u3", "a3"]);
    expect(running(shown)?.id).toBe("a3");
  });

  it("begins the text anew after a restart", () => {
    const shown = session([question("u1"), answer("a1")]);
    applyUpdate(shown, { type: "answer.delta", sessionId: "s1", messageId: "a1", text: "void" });
    applyUpdate(shown, { type: "answer.restart", sessionId: "s1", messageId: "a1" });
    applyUpdate(shown, { type: "answer.delta", sessionId: "s1", messageId: "a1", text: "new" });
    expect(running(shown)?.text).toBe("new");
  });
});

describe("options", () => {
  it("takes an option away instead of setting it to nothing", () => {
    expect(withOption({ strategy: "hybrid", topK: 3 }, "strategy", undefined)).toEqual({ topK: 3 });
  });

  it("offers to retry with the filters of the composer and without those of the question", () => {
    const { choices } = init();
    if (choices === null) throw new Error("The fixture has choices.");
    const retry = vi.fn();
    const message = answer("a1", { options: { filters: { language: ["en"] } } });
    const items = retrySections(message, choices, { filters: { language: ["ja"] } }, retry)[0]?.items ?? [];
    expect(items.map(({ label }) => label)).toEqual(["Without reranking", "Without filters", "With the filters chosen below"]);
    for (const item of items) item.run();
    expect(retry.mock.calls.map(([options]) => options as object)).toEqual([
      { filters: { language: ["en"] }, rerank: false },
      {},
      { filters: { language: ["ja"] } },
    ]);
  });

  it("offers all collections also where a setting names one", () => {
    const { choices } = init();
    if (choices === null) throw new Error("The fixture has choices.");
    const items = choiceItems("collection", "", { ...choices, defaults: { collection: "handbook" } }, vi.fn());
    expect(items.map(({ label, checked }) => [label, checked])).toEqual([
      ["handbook", false],
      ["All collections", true],
    ]);
  });

  it("narrows by kinds of documents and a path", () => {
    const anchor = document.createElement("button");
    document.body.replaceChildren(anchor);
    const changed = vi.fn();
    openFilters(anchor, {}, "en", changed);
    button("PDF").click();
    const path = find("#filter-path") as HTMLInputElement;
    path.value = "guides/";
    button("Done").click();
    expect(changed).toHaveBeenLastCalledWith({ doc_type: ["pdf"], path_prefix: "guides/" });
    expect(filterCount({ doc_type: ["pdf"], path_prefix: "guides/" })).toBe(2);
    expect(document.activeElement).toBe(anchor);
  });

  it("narrows by pictures: any, of some types, or none, but never in contradiction", () => {
    const anchor = document.createElement("button");
    document.body.replaceChildren(anchor);
    const changed = vi.fn();
    openFilters(anchor, { image_type: "chart" }, "en", changed);
    expect(button("Chart").getAttribute("aria-pressed")).toBe("true");
    button("Flow chart").click();
    expect(changed).toHaveBeenLastCalledWith({ image_type: ["chart", "flowchart"] });
    button("Without pictures").click();
    expect(changed).toHaveBeenLastCalledWith({ has_image: false });
    expect(button("Chart").getAttribute("aria-pressed")).toBe("false");
    button("With a picture").click();
    expect(changed).toHaveBeenLastCalledWith({ has_image: true });
    button("With a picture").click();
    expect(changed).toHaveBeenLastCalledWith({});
  });

  it("clears every filter, those of fields too", () => {
    const anchor = document.createElement("button");
    document.body.replaceChildren(anchor);
    const changed = vi.fn();
    const filters = { doc_type: ["pdf" as const], language: ["ja"], path_prefix: "guides/", updated_after: "2026-01-01" };
    openFilters(anchor, filters, "en", changed);
    button("Clear Filters").click();
    expect(changed).toHaveBeenLastCalledWith({});
  });
});

describe("dropping", () => {
  const data = (types: Record<string, string>) => ({ getData: (type: string) => types[type] ?? "" });

  it("takes places from the editor's explorer, and no addresses of the web", () => {
    expect(uriList(data({ "text/uri-list": "file:///a.md\r\nfile:///b.md" }))).toEqual(["file:///a.md", "file:///b.md"]);
    expect(uriList(data({ "text/uri-list": "https://example.com" }))).toEqual([]);
  });

  function drop(files: { name: string; size: number; arrayBuffer(): Promise<ArrayBuffer> }[]) {
    const actions = { enabled: () => true, uris: vi.fn(), file: vi.fn(), refuse: vi.fn() };
    document.body.replaceChildren(new DropZone(actions).element);
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.assign(event, { dataTransfer: { ...data({}), items: [], files } });
    find("[data-testid=drop-zone]").dispatchEvent(event);
    return actions;
  }

  it("sends the bytes of each file by itself", async () => {
    const bytes = new TextEncoder().encode("hello");
    const file = { name: "a.md", size: 5, arrayBuffer: () => Promise.resolve(bytes.buffer) };
    const actions = drop([file, { ...file, name: "b.md" }]);
    await vi.waitFor(() => expect(actions.file).toHaveBeenCalledTimes(2));
    const [sent] = actions.file.mock.calls[1] as [{ index: number; count: number; name: string; bytes: Uint8Array }];
    expect([sent.index, sent.count, sent.name, new TextDecoder().decode(sent.bytes)]).toEqual([1, 2, "b.md", "hello"]);
  });

  it("refuses too much before reading it", async () => {
    const read = vi.fn();
    const actions = drop([{ name: "big.pdf", size: MOST_BYTES + 1, arrayBuffer: read }]);
    await vi.waitFor(() => expect(actions.refuse).toHaveBeenCalledOnce());
    expect(read).not.toHaveBeenCalled();
  });

  it("says when a file can't be read", async () => {
    const actions = drop([{ name: "gone.md", size: 1, arrayBuffer: () => Promise.reject(new Error("gone")) }]);
    await vi.waitFor(() => expect(actions.refuse).toHaveBeenCalledWith("The files could not be read: gone"));
  });
});

describe("Images", () => {
  it("asks for a picture once, and shows its description when it can't be had", () => {
    const { host, sent } = fakeHost();
    const images = new Images((type, payload) => host.send(type, payload));
    const picture = { asset_id: "p1", mime: "image/png", url: "", caption: "The plan" };
    const places = [images.thumbnail(picture), images.thumbnail(picture)];
    expect(sent).toEqual([{ type: "image.load", assetId: "p1", variant: "thumb" }]);
    images.loaded({ assetId: "p1", variant: "thumb", bytes: null, problem: "It is gone." });
    expect(places.map((place) => [place.textContent, place.title])).toEqual(Array(2).fill(["The plan", "It is gone."]));
  });
});

describe("small parts", () => {
  it("keeps the drafts of the newest sessions only", () => {
    const { host, keep } = fakeHost();
    const state = new SavedStateStore(host);
    const chat = (index: number) => session([question("u1")], { id: `s${index}` });
    for (let index = 0; index < 40; index += 1) state.setDraft(chat(index), "text");
    expect(state.draft(chat(0))).toBe("");
    expect(state.draft(chat(39))).toBe("text");
    state.setDraft(chat(39), "");
    expect(keep.mock.lastCall?.[0]).not.toHaveProperty("drafts.s39");
  });

  it("groups sessions by the day", () => {
    const now = new Date(2026, 2, 20, 9);
    const ago = (days: number) => new Date(2026, 2, 20 - days, 23).toISOString();
    expect([0, 1, 3, 12, 60].map((days) => dateGroup(ago(days), now))).toEqual([
      ...["Today", "Yesterday", "Last 7 days", "Last 30 days", "Older"],
    ]);
  });

  it("shortens a passage to running text", () => {
    expect(excerpt("# Head\n\n- **one** [two](https://x)\n| a | b |\n|---|---|", 100)).toBe("Head one two a b");
    expect(excerpt("a".repeat(20), 10)).toBe(`${"a".repeat(10)}…`);
  });
});
