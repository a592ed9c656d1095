import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MOST_FILES = 20;
const MOST_LINES = 350;
const GENERATED = new Set(["src/core/api/api.gen.ts"]);
const NOT_OURS = /(^|\/)(node_modules|\.cache)(\/|$)|^tests\/editor(\/|$)/;
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+|\bvi\.mock\(\s*|@import\s+)["']([^"']+)["']/g;

const folders = new Map<string, string[]>();
collect("src");
collect("webview");
collect("tests");
collect("scripts");

function collect(folder: string): void {
  if (NOT_OURS.test(folder)) return;
  const entries = readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  folders.set(
    folder,
    entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`),
  );
  for (const entry of entries) if (entry.isDirectory()) collect(`${folder}/${entry.name}`);
}

const files = [...folders.values()].flat();
const known = new Set(files);
const text = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const sources = files.filter((file) => /^(src|webview)\/.*\.ts$/.test(file));

/** What a file imports: files of ours as paths, all else by the name that it is imported by. Types and lazy imports count, too. */
const imports = new Map(
  sources.map((file) => [file, [...text(file).matchAll(IMPORT)].map(([, name = ""]) => target(file, name))]),
);

function target(from: string, name: string): string {
  if (!name.startsWith(".")) return name;
  const file = path.posix.join(path.posix.dirname(from), name);
  return [file, `${file}.ts`].find((one) => known.has(one)) ?? `missing: ${file}`;
}

type Layer = "api" | "protocol" | "core" | "editor" | "webview" | "entry" | "package";

function layer(file: string): Layer {
  if (file.startsWith("src/core/api/")) return "api";
  if (file === "src/extension.ts") return "entry";
  return (/^(?:src\/)?(protocol|core|editor|webview)\//.exec(file)?.[1] ?? "package") as Layer;
}

const ALLOWED: Record<Layer, readonly Layer[]> = {
  api: ["api", "package"],
  protocol: ["api", "protocol", "package"],
  core: ["api", "protocol", "core", "package"],
  editor: ["api", "protocol", "core", "editor", "package"],
  webview: ["api", "protocol", "webview", "package"],
  entry: ["api", "protocol", "core", "editor", "package"],
  package: [],
};

/** The feature of a file: `core/daemon`, `editor/panel`, `webview/chat/composer`; a file beside such folders stands for itself. */
function feature(file: string): string {
  const depth = file.startsWith("webview/") ? 3 : 2;
  const parts = file.replace(/^src\//, "").split("/");
  return parts.length > depth ? parts.slice(0, depth).join("/") : file;
}

/** Circles in a graph, each as the names on its way. */
function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    const start = way.indexOf(name);
    if (start >= 0) found.push([...way.slice(start), name].join(" → "));
    if (start >= 0 || done.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...way, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return found;
}

function graphOf(name: (file: string) => string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const from = name(file);
    const edges = graph.get(from) ?? new Set();
    for (const to of targets.filter((one) => imports.has(one)).map(name)) if (to !== from) edges.add(to);
    graph.set(from, edges);
  }
  return graph;
}

describe("the tree of sources", () => {
  it(`has at most ${MOST_FILES} files in a folder`, () => {
    const full = [...folders].filter(([, inside]) => inside.length > MOST_FILES);
    expect(full.map(([folder, inside]) => `${folder}: ${inside.length}`)).toEqual([]);
  });

  it(`has at most ${MOST_LINES} lines in a file`, () => {
    const written = files.filter((file) => /\.(ts|mts|mjs|js|css)$/.test(file) && !GENERATED.has(file));
    const long = written
      .map((file) => [file, text(file).trimEnd().split("\n").length] as const)
      .filter(([, lines]) => lines > MOST_LINES);
    expect(long.map(([file, lines]) => `${file}: ${lines}`)).toEqual([]);
  });

  it("has no file outside of a feature but the entry point", () => {
    const loose = ["src", "src/core", "src/editor", "webview"].flatMap((folder) => folders.get(folder) ?? []);
    expect(loose.sort()).toEqual(["src/extension.ts", "webview/tsconfig.json"]);
  });
});

describe("the tree of unit tests", () => {
  it("mirrors the tree of sources", () => {
    const tested = [...folders.keys()].flatMap(
      (folder) => /^tests\/unit\/((?:core|editor|protocol|webview)(?:\/.*)?)$/.exec(folder)?.[1] ?? [],
    );
    const strange = tested.filter((folder) => !folders.has(folder) && !folders.has(`src/${folder}`));
    expect(tested.length).toBeGreaterThan(15);
    expect(strange).toEqual([]);
  });
});

describe("imports", () => {
  it("find what they name", () => {
    const all = [...imports].flatMap(([file, targets]) =>
      targets.filter((one) => one.startsWith("missing: ")).map((one) => `${file}: ${one}`),
    );
    expect(sources.length).toBeGreaterThan(150);
    expect(all).toEqual([]);
  });

  it("and entry points that scripts name are there", () => {
    const scripts = files.filter((file) => /^scripts\/.*\.mjs$/.test(file));
    const named = scripts.flatMap((file) =>
      [...text(file).matchAll(/\b(?:src|webview)\/[\w./-]+\.ts\b/g)].map(([found]) => found),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((file) => !known.has(file))).toEqual([]);
  });

  it("run one way: protocol ← core ← editor, and a webview knows only the protocol", () => {
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets.filter((one) => !ALLOWED[layer(file)].includes(layer(one))).map((one) => `${file} → ${one}`),
    );
    expect(wrong).toEqual([]);
  });

  it("name the editor's API only on the editor's side", () => {
    const wrong = sources.filter((file) => imports.get(file)?.includes("vscode") && !["editor", "entry"].includes(layer(file)));
    expect(wrong).toEqual([]);
  });

  it("are without circles between features", () => {
    expect(circles(graphOf(feature))).toEqual([]);
  });

  it("are without circles between files", () => {
    expect(circles(graphOf((file) => file))).toEqual([]);
  });
});
