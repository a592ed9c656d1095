// Bundles the extension and its webviews into dist/. --production minifies; --watch builds again on each change.
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import esbuild from "esbuild";

import { writeNotices } from "./notices.mjs";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");
const root = fileURLToPath(new URL("..", import.meta.url));

/** @type {esbuild.BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "none",
  metafile: true,
  logLevel: "info",
};
const views = ["chat", "viewer", "dashboard"];

/** What is imported by `import()` from one of these stays a file of its own, read when it is needed. */
const apart = { "src/core/client/mcpSdk.ts": "./mcp.cjs", "src/core/sessions/htmlMarkdown.ts": "./html.cjs" };

/** @type {esbuild.Plugin} */
const keepApart = {
  name: "keep-apart",
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, path: given, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const file = path.relative(root, path.resolve(resolveDir, `${given}.ts`)).replaceAll("\\", "/");
      return file in apart ? { path: apart[file], external: true } : undefined;
    });
  },
};

/** The SDK's validator of JSON schemas is a third of its size, and not needed. */
const withoutValidator = {
  name: "without-validator",
  setup(build) {
    const path = fileURLToPath(new URL("../src/core/client/mcpSdkShims.ts", import.meta.url));
    build.onResolve({ filter: /^@modelcontextprotocol\/client\/_shims$/ }, () => ({ path }));
  },
};

/**
 * Writes imports.json: for each page the files that its script imports as it starts, and those that these import. The page asks
 * for them at once, where a browser would learn of them only from the script that it has read.
 */
const listImports = {
  name: "list-imports",
  setup(build) {
    build.onEnd(async ({ metafile }) => {
      if (metafile === undefined) return; // the build failed
      const imported = (output, found = new Set()) => {
        for (const { path: file, kind } of metafile.outputs[output].imports) {
          if (kind !== "import-statement" || found.has(file)) continue;
          found.add(file);
          imported(file, found);
        }
        return [...found];
      };
      const within = (file) => path.posix.relative("dist/webview", file);
      const pages = views.map((name) => [name, imported(`dist/webview/${name}.js`).map(within)]);
      const text = `${JSON.stringify(Object.fromEntries(pages), null, 1)}\n`;
      await writeFile(path.join(root, "dist/webview/imports.json"), text);
    });
  },
};

/** @type {esbuild.BuildOptions} */
const host = {
  ...common,
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  // The editor loads an extension's files by `require`.
  supported: { "dynamic-import": false },
};

const builds = [
  { ...host, entryPoints: { extension: "src/extension.ts" }, plugins: [keepApart] },
  { ...host, entryPoints: { html: "src/core/sessions/htmlMarkdown.ts" } },
  { ...host, entryPoints: { mcp: "src/core/client/mcpSdk.ts" }, plugins: [withoutValidator] },
  {
    ...common,
    entryPoints: views.flatMap((name) => [
      { in: `webview/${name}/main.ts`, out: name },
      { in: `webview/${name}/main.css`, out: name },
    ]),
    outdir: "dist/webview",
    platform: "browser",
    target: "es2022",
    format: "esm",
    // What is large and seldom needed (diagrams) is loaded when it is.
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    plugins: [listImports],
  },
];

await rm(new URL("../dist/webview", import.meta.url), { recursive: true, force: true });
if (watch) {
  for (const options of builds) await (await esbuild.context(options)).watch();
} else {
  const results = await Promise.all(builds.map((options) => esbuild.build(options)));
  await writeNotices(
    root,
    results.map((result) => result.metafile),
  );
}
