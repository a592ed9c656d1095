/** Two windows, or a view and a tab, on the same chats: each hears of the other by its files. */

import { utimes } from "node:fs/promises";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { SILENT_MS } from "../../../../src/core/sessions/sessionStore";
import { retrieval } from "../../fixtures/answers";
import { doneEvent, panel } from "./fakePanel";

type Window = (typeof made)["window"];

let made: Awaited<ReturnType<typeof panel>>;
let here: Window;
let there: Window;

beforeEach(async () => {
  made = await panel();
  here = made.window;
  await here.say({ type: "ready" });
  made.script.say(doneEvent("first"));
  await here.ask("one");
  await here.store.flush();
  there = made.open();
  await there.say({ type: "ready" });
  for (const { store, conversations, controller } of [here, there]) {
    store.onDidChangeElsewhere((id) => {
      if (id === conversations.current().id) void controller.refresh();
    });
    await store.watch();
  }
});

afterEach(async () => {
  vi.useRealTimers();
  for (const { conversations, store } of [here, there]) {
    await conversations.close();
    store.dispose();
  }
  await made.remove();
});

const texts = (window: Window) => window.session().messages.map(({ text }) => text);

describe("a chat that another window goes on with", () => {
  it("is shown as it grows, and with its end", async () => {
    const ended = here.ask("two");
    await vi.waitFor(() => expect(texts(there)).toEqual(["one", "first", "two", ""]));
    expect(there.session().messages[3]).toMatchObject({ state: "searching" });
    made.script.say({ type: "retrieval", retrieval: retrieval([]) }, { type: "delta", text: "sec" });
    await vi.waitFor(() => expect(there.last("answer.delta").text).toBe("sec"));
    made.script.say(doneEvent("second"));
    await ended;
    await vi.waitFor(() => expect(there.last("answer.ended").message).toMatchObject({ text: "second", state: "done" }));
    expect(there.all("session")).toEqual([]);
  });

  it("can't be asked or stopped in two at once", async () => {
    const ended = here.ask("two");
    await vi.waitFor(() => expect(texts(there)).toHaveLength(4));
    const sessionId = there.session().id;
    await there.say({ type: "stop", sessionId });
    expect(there.last("note").text).toContain("answered in another window");
    await there.say({ type: "ask", sessionId, text: "three", options: {} });
    expect(there.all("note")).toHaveLength(2);
    expect(made.script.questions).toHaveLength(2);
    made.script.say(doneEvent("second"));
    await ended;
    await vi.waitFor(() => expect(texts(there)).toEqual(["one", "first", "two", "second"]));
    made.script.say(doneEvent("third"));
    await there.ask("three");
    await vi.waitFor(() => expect(texts(here)).toEqual(["one", "first", "two", "second", "three", "third"]));
  });

  it("has its new name, and gives way to a new one when it is deleted", async () => {
    const { id } = here.session();
    await here.say({ type: "session.rename", sessionId: id, title: "Named" });
    await vi.waitFor(() => expect(there.last("session.title")).toMatchObject({ title: "Named" }));
    await here.say({ type: "session.delete", sessionId: id });
    await vi.waitFor(() => expect(there.last("note").text).toContain("deleted in another window"));
    expect(there.last("session").session.messages).toEqual([]);
  });

  it("has ended when its writer says nothing more", async () => {
    const ended = here.ask("two");
    await vi.waitFor(() => expect(texts(there)).toHaveLength(4));
    const third = made.open();
    const { id } = there.session();
    expect((await third.store.loadLive(id))?.messages[3]).toMatchObject({ state: "searching" });
    const long = new Date(Date.now() - SILENT_MS - 1000);
    await utimes(join(made.sessions, `${id}.json`), long, long);
    expect((await third.store.loadLive(id))?.messages[3]).toMatchObject({ state: "stopped" });
    await vi.waitFor(() => expect(there.last("answer.ended").message.state).toBe("stopped"));
    made.script.say(doneEvent("second"));
    await ended;
  });
});

it("a pinned chat is first in the list of each window, and keeps its answers", async () => {
  const { id } = here.session();
  await here.say({ type: "session.new" });
  made.script.say(doneEvent("second"));
  await here.ask("two");
  const titles = async (window: Window) => {
    await window.say({ type: "session.search", text: "" });
    return window.last("sessions").rows.map(({ title, pinned = false }) => [title, pinned]);
  };
  expect(await titles(here)).toEqual([
    ["two", false],
    ["one", false],
  ]);
  await here.say({ type: "session.pin", sessionId: id, pinned: true });
  const kept = [
    ["one", true],
    ["two", false],
  ];
  expect(here.last("sessions").rows[0]).toMatchObject({ title: "one", pinned: true });
  expect(await titles(there)).toEqual(kept);
  await there.say({ type: "session.pin", sessionId: id, pinned: false });
  expect(await titles(here)).toEqual([
    ["two", false],
    ["one", false],
  ]);
  expect((await made.open().store.load(id))?.messages).toHaveLength(2);
});
