import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import type { Metafile } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { isAllowed, packageFolder, writeNotices } from "../../../scripts/notices.mjs";

describe("the package of a bundled file", () => {
  it.each([
    ["node_modules/mermaid/dist/a.js", "node_modules/mermaid"],
    ["node_modules/@braintree/sanitize-url/dist/index.js", "node_modules/@braintree/sanitize-url"],
    ["node_modules/a/node_modules/b/index.js", "node_modules/a/node_modules/b"],
    ["src/extension.ts", undefined],
  ])("of %s is %s", (file, folder) => {
    expect(packageFolder(file)).toBe(folder);
  });
});

describe("a licence", () => {
  it.each(["MIT", "(MPL-2.0 OR Apache-2.0)", "MIT AND ISC", "GPL-3.0-only OR MIT"])("%s may be shipped", (expression) => {
    expect(isAllowed(expression)).toBe(true);
  });

  it.each(["GPL-3.0-only", "MIT AND GPL-3.0-only", "UNLICENSED", "none", ""])("%s may not", (expression) => {
    expect(isAllowed(expression)).toBe(false);
  });
});

describe("the notices", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "notices-"));
    await mkdir(path.join(root, "dist"));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function install(name: string, manifest: object, files: Record<string, string> = {}) {
    const folder = path.join(root, "node_modules", name);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
    for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
  }

  async function written(...inputs: string[]): Promise<string> {
    const metafile = { outputs: { "dist/a.js": { inputs: Object.fromEntries(inputs.map((file) => [file, {}])) } } };
    await writeNotices(root, [metafile as unknown as Metafile]);
    return readFile(path.join(root, "dist", "THIRD-PARTY-NOTICES.txt"), "utf8");
  }

  it("hold each bundled package once, with its licence and where its source is", async () => {
    await install(
      "kestrel",
      { license: "MIT", repository: { url: "https://code.example/kestrel" } },
      { LICENSE: "Be kind.\r\n" },
    );
    await install("unused", { license: "MIT" });
    const text = await written("node_modules/kestrel/a.js", "node_modules/kestrel/b.js", "src/extension.ts");
    expect(text.match(/kestrel 1\.0\.0 \(MIT\)/g)).toHaveLength(1);
    expect(text).toContain("Source, unchanged: https://code.example/kestrel\n\nBe kind.\n");
    expect(text).not.toContain("unused");
  });

  it("name what the MCP client carries inside its own files", async () => {
    await install("@modelcontextprotocol/client", { license: "MIT" }, { LICENSE: "Be kind." });
    const text = await written("node_modules/@modelcontextprotocol/client/dist/index.mjs");
    expect(text).toContain("content-type 1.0.5 (MIT)");
    expect(text).toContain("Douglas Christopher Wilson");
  });

  it("name the author where a package has no licence file", async () => {
    await install("kestrel", { license: "ISC", author: { name: "Marit Todo" } });
    expect(await written("node_modules/kestrel/a.js")).toContain("no licence file. Author: Marit Todo.");
  });

  it("know the MIT licence by its words where the manifest is silent", async () => {
    await install("kestrel", {}, { license: "Permission is hereby granted, free of charge, to any person" });
    expect(await written("node_modules/kestrel/a.js")).toContain("kestrel 1.0.0 (MIT)");
  });

  it("are refused for a licence that does not go with ours", async () => {
    await install("kestrel", { license: "GPL-3.0-only" });
    await expect(written("node_modules/kestrel/a.js")).rejects.toThrow("kestrel 1.0.0 has the licence GPL-3.0-only");
  });
});
