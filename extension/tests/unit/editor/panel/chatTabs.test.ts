/** Chats as tabs, over reloads of the window: the editor is in memory, the chats are files. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { SessionStore } from "../../../../src/core/sessions/sessionStore";
import { ChatTabs } from "../../../../src/editor/panel/chatTabs";
import type { SurfaceServices } from "../../../../src/editor/panel/chatSurface";
import type { MessageToWebview } from "../../../../src/protocol/chat";
import { doneEvent, panel } from "../../core/panel/fakePanel";
import { type BuiltExtension, builtExtension } from "../../fixtures/builtExtension";
import { Panel, Uri, panels, serializers } from "../../fixtures/vscode";

let made: Awaited<ReturnType<typeof panel>>;
let built: BuiltExtension;
let tabs: ChatTabs;
/** What the editor keeps of the workspace. */
let kept: Map<string, unknown>;
/** Two chats, and what was asked in them. */
let chats: { id: string; question: string }[];

beforeEach(async () => {
  made = await panel();
  built = builtExtension();
  kept = new Map();
  chats = [];
  await made.window.say({ type: "ready" });
  for (const question of ["How long does a lease last?", "Who may open the valve?"]) {
    made.window.conversations.startNew();
    made.script.say(doneEvent("So."));
    await made.window.ask(question);
    chats.push({ id: made.window.session().id, question });
  }
  await made.window.store.flush();
  tabs = inNewWindow();
});

afterEach(async () => {
  await end(tabs);
  await made.window.conversations.close();
  made.window.store.dispose();
  await made.remove();
  built.remove();
});

/** The window's extension host begins: it knows what the workspace keeps and nothing else. */
function inNewWindow(): ChatTabs {
  panels.length = 0;
  const memento = {
    keys: () => [...kept.keys()],
    get: (key: string, otherwise: unknown) => kept.get(key) ?? otherwise,
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, structuredClone(value))),
  };
  const services = { ...made.window.services, answers: made.script, extensionUri: Uri.file(built.folder), folder: made.sessions };
  return new ChatTabs(services as unknown as SurfaceServices, memento as never);
}

async function end(ended: ChatTabs): Promise<void> {
  await ended.close();
  ended.dispose();
}

async function reload(): Promise<void> {
  await end(tabs);
  tabs = inNewWindow();
}

/** The editor brings a tab back, with what its page had kept, if that was in time. */
async function bringBack(state?: unknown): Promise<Panel> {
  const tab = new Panel("");
  await serializers.get("ragAssistant.chatTab")?.deserializeWebviewPanel(tab, state);
  return tab;
}

/** The first question of the chat that the page draws once it listens; none in a new chat. */
async function questionIn(tab: Panel | undefined): Promise<string | undefined> {
  if (!tab) throw new Error("There is no such tab.");
  tab.say({ type: "ready" });
  const init = await vi.waitFor(() => {
    const found = tab.sent.find(({ type }) => type === "init");
    if (!found) throw new Error("The page was not told what to draw.");
    return found as Extract<MessageToWebview, { type: "init" }>;
  });
  return init.session.messages[0]?.text;
}

function openBoth(): void {
  for (const { id } of chats) tabs.open(id);
}

const questions = () => chats.map(({ question }) => question);

describe("a chat in a tab", () => {
  it("is the one that was opened, under its name", async () => {
    openBoth();
    expect([await questionIn(panels[0]), await questionIn(panels[1])]).toEqual(questions());
    expect(panels.map(({ title }) => title)).toEqual(questions());
  });

  it("is read once, and sent while its page loads, before the page asks for it", async () => {
    const read = vi.spyOn(SessionStore.prototype, "loadLive");
    tabs.open(chats[0]?.id);
    const [tab] = panels;
    await vi.waitFor(() => expect(tab?.sent.map(({ type }) => type)).toEqual(["init"]));
    expect(tab?.title).toBe(chats[0]?.question);
    expect(await questionIn(tab)).toBe(chats[0]?.question);
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });

  it("has in its page what the view looks like, and no new chat's title", () => {
    openBoth();
    tabs.open(undefined);
    const titles = panels.map(({ webview }) => /<span class="history-title">([^<]*)</.exec(webview.html)?.[1]);
    expect(titles).toEqual(["", "", "New chat"]);
  });

  it("leaves the page empty where the daemon needs somebody and the chat is new", () => {
    made.daemon.status = { kind: "setupNeeded", reason: "new" };
    tabs.open(undefined);
    tabs.open(chats[0]?.id);
    expect(panels.map(({ webview }) => webview.html.includes('<div class="app"'))).toEqual([false, true]);
  });

  it("is opened once", () => {
    openBoth();
    tabs.open(chats[0]?.id);
    expect(panels).toHaveLength(2);
    expect(panels.map(({ revealed }) => revealed)).toEqual([1, 0]);
  });

  it("is what commands act on while it is looked at, else the one that is beside it", () => {
    openBoth();
    const [first, second] = panels;
    if (!first || !second) throw new Error("Two tabs were opened.");
    first.active = false;
    tabs.shown()?.reveal();
    expect(second.revealed).toBe(1);
    second.active = second.visible = false;
    tabs.shown()?.reveal();
    expect(first.revealed).toBe(1);
    first.visible = false;
    expect(tabs.shown()).toBeUndefined();
  });
});

describe("after a reload of the window, a tab", () => {
  it("shows the chat that its page had kept", async () => {
    openBoth();
    await reload();
    const [first, second] = chats;
    expect(await questionIn(await bringBack({ session: second?.id }))).toBe(second?.question);
    expect(await questionIn(await bringBack({ session: first?.id }))).toBe(first?.question);
  });

  it("shows its chat though its page had no time to keep anything, each tab its own", async () => {
    openBoth();
    await reload();
    const back = [await bringBack(), await bringBack({ drafts: {} })];
    expect([await questionIn(back[0]), await questionIn(back[1])].sort()).toEqual(questions().sort());
    expect(await questionIn(await bringBack())).toBeUndefined();
  });

  it("shows its chat again after the next reload, too", async () => {
    tabs.open(chats[1]?.id);
    for (let times = 0; times < 2; times += 1) {
      await reload();
      expect(await questionIn(await bringBack())).toBe(chats[1]?.question);
    }
  });

  it("shows the chat that was begun in it", async () => {
    tabs.open(undefined);
    const [tab] = panels;
    expect(await questionIn(tab)).toBeUndefined();
    const init = tab?.sent.find(({ type }) => type === "init") as Extract<MessageToWebview, { type: "init" }>;
    made.script.say(doneEvent("Here."));
    tab?.say({ type: "ask", sessionId: init.session.id, text: "Where?", options: {} } as never);
    await vi.waitFor(() => expect(tab?.sent.map(({ type }) => type)).toContain("answer.ended"));
    await reload();
    expect(await questionIn(await bringBack())).toBe("Where?");
  });

  it("that was closed before is forgotten, and one that stayed is not", async () => {
    openBoth();
    panels[0]?.close();
    await reload();
    expect(await questionIn(await bringBack())).toBe(chats[1]?.question);
    expect(await questionIn(await bringBack())).toBeUndefined();
  });

  it("is a new chat where its own is gone, or what was kept names none", async () => {
    const id = chats[0]?.id ?? "";
    tabs.open(id);
    await reload();
    await made.window.store.delete(id);
    expect(await questionIn(await bringBack({ session: id }))).toBeUndefined();
    kept.set("chatTabs", ["../../secret", 7]);
    await reload();
    expect(await questionIn(await bringBack({ session: "../../secret" }))).toBeUndefined();
  });
});
