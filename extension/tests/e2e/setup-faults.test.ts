import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { Editor } from "./harness/editor.ts";
import { Panel } from "./harness/panel.ts";
import { PATIENCE_MS } from "./harness/wait.ts";

// Nothing of this machine's settings may help: no wheels in a folder, no mirror, no proxy.
const NO_INDEX = {
  PIP_CONFIG_FILE: "/dev/null",
  PIP_FIND_LINKS: undefined,
  PIP_INDEX_URL: undefined,
  PIP_EXTRA_INDEX_URL: undefined,
  UV_INDEX_URL: undefined,
  UV_DEFAULT_INDEX: undefined,
  UV_FIND_LINKS: undefined,
  // Without one, pip does not say that it could not connect.
  PIP_RETRIES: "1",
  UV_HTTP_RETRIES: "0",
};

let editor: Editor;
let panel: Panel;

beforeAll(async () => {
  editor = await Editor.launch({ env: NO_INDEX });
  await editor.window.bridge.ready();
  panel = await Panel.open(editor.window);
});

afterAll(async () => {
  await editor.close();
});

describe("the set-up", () => {
  test("waits for the user, who begins it with one button", async () => {
    await panel.frame.getByTestId("setup").waitFor();
    expect(await panel.frame.getByTestId("setup").count()).toBe(1);
    await panel.screenshot("setup-welcome");
  });

  test("names a Python of the setting that is too old, and what to do", async () => {
    const python = join(editor.server.folder, "python2");
    writeFileSync(python, "#!/bin/sh\necho 'Python 2.7.18' >&2\nexit 1\n");
    chmodSync(python, 0o755);
    await editor.window.bridge.setting("ragAssistant.python.path", python);
    await panel.frame.getByTestId("setup").click();
    const problem = panel.frame.locator(".problem");
    await problem.waitFor();
    const text = await problem.innerText();
    expect(text).toContain(python);
    expect(text).toContain("ragAssistant.python.path");
    expect(text).toContain("Show Log");
    await panel.screenshot("setup-wrong-python");
    await editor.window.bridge.setting("ragAssistant.python.path", "");
  });

  test("says that the package index does not answer, and which setting names another", async () => {
    await editor.window.bridge.setting("ragAssistant.index.url", "http://127.0.0.1:9/simple");
    await panel.frame.getByTestId("setup").click();
    const problem = panel.frame.locator(".problem").filter({ hasText: "ragAssistant.index.url" });
    await problem.waitFor({ timeout: PATIENCE_MS });
    expect(await panel.frame.locator(".step.failed").count()).toBe(1);
    expect(await problem.innerText()).toContain("Package index: http://127.0.0.1:9/simple");
    expect(await problem.locator(".problem-message").innerText()).toMatch(/connection|connect|fetch/i);
    expect(await problem.locator("button.button:not(.secondary)").allInnerTexts()).toEqual(["Try Again"]);
    expect(await problem.getByRole("button", { name: "Set Up" }).count()).toBe(0);
    await panel.screenshot("setup-offline-index");
  });

  test("shows its log at a click", async () => {
    await panel.frame.getByRole("button", { name: "Show Log" }).first().click();
    await editor.window.page.locator(".panel .output-view-container, .panel [id*=output]").first().waitFor();
  });
});
