/**
 * Takes pictures of the extension in the test editor, for people to look at and for docs/images.
 *
 *     npm run shoot -- [--out FOLDER] [--theme dark|light|high-contrast|high-contrast-light] [--locale ja] [SCENARIO…]
 *
 * Without scenarios all are taken. RAG_TEST_DATA names a data directory with the sample documents; else they are read first.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { makeSampleData } from "./harness/daemon.ts";
import { Editor, type Theme } from "./harness/editor.ts";
import { SAMPLES, ragExecutable } from "./harness/paths.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";

const THEMES: readonly Theme[] = ["dark", "light", "high-contrast", "high-contrast-light"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" }, theme: { type: "string", default: "dark" }, locale: { type: "string" } },
});
const theme = THEMES.find((name) => name === values.theme);
const names = positionals.length > 0 ? positionals : Object.keys(SCENARIOS);
const unknown = names.find((name) => !(name in SCENARIOS));
if (theme === undefined || unknown !== undefined) {
  const wrong =
    theme === undefined
      ? `theme ${values.theme}: ${THEMES.join(", ")}`
      : `scenario ${unknown}: ${Object.keys(SCENARIOS).join(", ")}`;
  console.error(`There is no ${wrong}.`);
  process.exit(2);
}

const out = resolve(values.out ?? mkdtempSync(join(tmpdir(), "rag-shots-")));
process.env["RAG_SCREENSHOTS"] = out;
const made = process.env["RAG_TEST_DATA"] === undefined ? mkdtempSync(join(tmpdir(), "rag-shoot-data-")) : undefined;
const data = process.env["RAG_TEST_DATA"] ?? made;
if (made !== undefined) await makeSampleData(made);

for (const name of names) {
  const scenario = SCENARIOS[name] as Scenario;
  const executable = { "ragAssistant.server.executable": ragExecutable() };
  const editor = await Editor.launch({
    theme,
    size: [1280, 800],
    workspace: SAMPLES,
    kits: values.locale === "ja" ? ["japanese", "models"] : ["models"],
    settings: scenario.bare ? {} : executable,
    ...(values.locale === undefined ? {} : { locale: values.locale }),
    ...(scenario.bare || data === undefined ? {} : { data }),
    ...scenario.options?.(),
  });
  try {
    await editor.window.bridge.ready();
    await scenario.show(editor.window, values.locale === "ja");
    console.log(await editor.window.screenshot([name, theme, values.locale].filter(Boolean).join("-")));
  } finally {
    await editor.close();
  }
}
if (made !== undefined) rmSync(made, { recursive: true, force: true });
