// Bundles the extension and its webviews into dist/. --production minifies; --watch builds again on each change.
import { rm } from "node:fs/promises";
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
const views = ["chat", "viewer", "dashboard", "ledger"];

const builds = [
  {
    ...common,
    entryPoints: { extension: "src/extension.ts" },
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
  },
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
  },
];

await rm(new URL("../dist/webview", import.meta.url), { recursive: true, force: true });
if (watch) {
  for (const options of builds) await (await esbuild.context(options)).watch();
} else {
  const results = await Promise.all(builds.map((options) => esbuild.build(options)));
  await writeNotices(root, results.map((result) => result.metafile));
}
