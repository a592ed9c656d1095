// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";

import { ChatApp } from "../../../../webview/chat/app";
import { answer, button, fakeHost, find, init, question, session, stubBrowser } from "./fixtures";

const NOBODY = { state: "done", found: true, by: { kind: "passages", noModel: true } } as const;

function start(...messages: Parameters<typeof session>[0] & object) {
  const { host, sent } = fakeHost();
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  new ChatApp(host, root, init({ session: session(messages) }));
  return { sent, root };
}

beforeEach(stubBrowser);

describe("a chat without any language model", { timeout: 60_000 }, () => {
  it("says so below its first answer, once, with the way to a model", () => {
    const { sent, root } = start(...[question("u1"), answer("a1", NOBODY), question("u2"), answer("a2", NOBODY)]);
    const said = root.querySelectorAll("[data-testid=no-model]");
    expect(said).toHaveLength(1);
    expect(said[0]?.closest("[data-message]")?.getAttribute("data-message")).toBe("a1");
    button("Add a Model…", root).click();
    expect(sent).toContainEqual({ type: "problem.action", command: "ragAssistant.addModel" });
  });

  it("says nothing of it where the passages were chosen", () => {
    const { root } = start(question("u1"), answer("a1", { ...NOBODY, by: { kind: "passages" } }));
    expect(root.querySelector("[data-testid=no-model]")).toBeNull();
  });

  it("offers to add a model where models are chosen", () => {
    const { sent } = start();
    find("[data-picker=model]").click();
    button("Add a Model…").click();
    expect(sent).toContainEqual({ type: "problem.action", command: "ragAssistant.addModel" });
  });
});
