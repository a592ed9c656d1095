import { afterEach, beforeEach, expect, it } from "vitest";

import { panel } from "./fakePanel";

let made: Awaited<ReturnType<typeof panel>>;
let view: typeof made.window;

beforeEach(async () => {
  made = await panel();
  view = made.window;
});

afterEach(async () => {
  await view.conversations.close();
  view.store.dispose();
  await made.remove();
});

const types = () => view.sent.map(({ type }) => type);

it("a page that drew what was sent ahead is not sent it again, and gets what must not be lost once it listens", async () => {
  view.controller.sendAhead();
  view.controller.compose("How long?", false);
  view.controller.sendDaemonState();
  expect(types()).toEqual(["init", "daemon"]);
  await view.say({ type: "ready", drawn: true });
  expect(types().filter((type) => type === "init")).toHaveLength(1);
  expect(types()).toContain("compose");
});

it("a page that got nothing of it is sent all", async () => {
  view.controller.sendAhead();
  await view.say({ type: "ready" });
  expect(types().filter((type) => type === "init")).toHaveLength(2);
});

it("nothing is sent ahead to a page that listens already", async () => {
  await view.say({ type: "ready" });
  view.controller.sendAhead();
  expect(types().filter((type) => type === "init")).toHaveLength(1);
});
