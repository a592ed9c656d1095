/** The recipe "A webview" of docs/where-to-add.md, followed to the letter in a copy of the sources: it must be typed and bundled. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";

const EXTENSION = fileURLToPath(new URL("../..", import.meta.url));
const BLOCK = /^```(\w+)\n(?:\/\/|\/\*|#) (\S+)(?: \*\/)?\n([^]*?)^```$/gm;

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), "rag-assistant-recipe-"));
  const target = path.join(copy, "extension");
  for (const name of ["src", "webview", "scripts", "package.json", "tsconfig.base.json", "tsconfig.json"]) {
    cpSync(path.join(EXTENSION, name), path.join(target, name), { recursive: true });
  }
  symlinkSync(path.join(EXTENSION, "node_modules"), path.join(target, "node_modules"), "junction");
  const page = readFileSync(path.join(EXTENSION, "..", "docs", "where-to-add.md"), "utf8");
  const recipe = page.slice(page.indexOf("\n## A webview"));
  for (const [, kind = "", file = "", text = ""] of recipe.matchAll(BLOCK)) follow(path.join(copy, file), kind, text);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function follow(file: string, kind: string, text: string): void {
  if (kind !== "diff") {
    expect(existsSync(file)).toBe(false);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return;
  }
  const lines = text.split(/(?<=\n)/);
  const side = (marks: string) => lines.filter((line) => marks.includes(line.charAt(0))).map((line) => line.slice(1));
  const parts = readFileSync(file, "utf8").split(side(" -").join(""));
  expect(parts.length, `what ${file} should hold once`).toBe(2);
  writeFileSync(file, parts.join(side(" +").join("")));
}

/** What the compiler says of a project of the copy. */
function problems(project: string): string[] {
  const file = path.join(copy, "extension", project);
  const { config } = ts.readConfigFile(file, (name) => ts.sys.readFile(name)) as { config: unknown };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(file));
  const files = fileNames.filter((name) => name.includes("hello") || name.endsWith("page.ts") || name.endsWith(".d.ts"));
  expect(files.some((name) => name.includes("hello"))).toBe(true);
  return ts
    .getPreEmitDiagnostics(ts.createProgram(files, { ...options, noEmit: true }))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

it("gives a page and a tab whose types agree", { timeout: 60_000 }, () => {
  expect(problems("tsconfig.json")).toEqual([]);
  expect(problems("webview/tsconfig.json")).toEqual([]);
});

it("is bundled like the others", { timeout: 60_000 }, async () => {
  const { build } = await import("esbuild");
  expect(readFileSync(path.join(copy, "extension", "scripts", "build.mjs"), "utf8")).toContain('"hello"');
  const { outputFiles } = await build({
    entryPoints: [path.join(copy, "extension", "webview", "hello", "main.ts")],
    bundle: true,
    write: false,
  });
  expect(outputFiles[0]?.text).toContain("Hello, ");
});
