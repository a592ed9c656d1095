import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

import type { HostResult } from "../../host/index.ts";
import { Editor, type EditorOptions } from "./editor.ts";
import { EXTENSION, MOCHA } from "./paths.ts";
import type { CodeServer } from "./server.ts";
import { until } from "./wait.ts";

const TESTS = join(EXTENSION, "tests", "host");
const PATIENCE_MS = 540_000;

/** Run the tests of tests/host inside a real extension host; one result for each. */
export async function runHostTests(options: EditorOptions): Promise<HostResult[]> {
  const bundle = await bundleTests();
  const results = join(bundle, "results.jsonl");
  let exit: number | undefined;
  let printed = "";
  const editor = await Editor.launch({
    ...options,
    testDriver: true,
    env: { ...options.env, TEST_HOST_RESULTS: results, TEST_HOST_MOCHA: MOCHA },
    payload: (server) => [
      ["extensionDevelopmentPath", remote(server, installed(server))],
      ["extensionTestsPath", remote(server, join(bundle, "index.cjs"))],
    ],
    expose: {
      codeAutomationLog: (_kind, args) => (printed += `${JSON.stringify(args)}\n`),
      codeAutomationExit: (code) => (exit = Number(code)),
    },
  });
  try {
    await until("the tests in the extension host end", () => exit !== undefined, PATIENCE_MS);
  } catch (error) {
    throw new Error(`${printed}\n${editor.server.logs()}`, { cause: error });
  } finally {
    await editor.close();
  }
  const lines = existsSync(results) ? readFileSync(results, "utf8").trim().split("\n") : [];
  rmSync(bundle, { recursive: true });
  if (lines.length === 0) throw new Error(`The extension host ran no test:\n${printed}`);
  return lines.map((line) => JSON.parse(line) as HostResult);
}

/** The tests start from the extension as it was installed from its VSIX, not from the sources. */
function installed(server: CodeServer): string {
  const folder = join(server.folder, "extensions");
  const name = readdirSync(folder).find((entry) => entry.startsWith("rag-assistant.rag-assistant-"));
  if (name === undefined) throw new Error("The extension under test is not installed.");
  return join(folder, name);
}

function remote(server: CodeServer, path: string): string {
  return `vscode-remote://${new URL(server.url).host}${path}`;
}

async function bundleTests(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), "rag-host-tests-"));
  const tests = readdirSync(TESTS).filter((name) => name === "index.ts" || name.endsWith(".test.ts"));
  await build({
    entryPoints: tests.map((name) => join(TESTS, name)),
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node22",
    external: ["vscode"],
    sourcemap: "inline",
    logLevel: "warning",
  });
  return outdir;
}
