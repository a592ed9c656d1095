import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { childEnvironment } from "../../../../src/core/common/childProcess";
import type { Machine } from "../../../../src/core/daemon/directories";
import { type ServerSettings, isUnprotected, resolveServer, sameServer } from "../../../../src/core/daemon/serverSpec";

const FOLDER = mkdtempSync(path.join(tmpdir(), "rag-spec-"));
const RAG = path.join(FOLDER, "rag");
writeFileSync(RAG, "");
const MACHINE: Machine = { platform: "linux", env: { RAG_DATA_DIR: "/srv/data" }, home: FOLDER, cwd: "/" };
const MANAGED = { executable: "/env/bin/rag", version: "0.1.0" };
const NOTHING: ServerSettings = {
  url: "",
  executable: "",
  pythonPath: "",
  indexUrl: "",
  modelSource: "",
  proxy: "",
  transport: "rest",
};

function resolve(settings: Partial<ServerSettings>, managed: typeof MANAGED | "new" | "updated" = MANAGED) {
  return resolveServer({ settings: { ...NOTHING, ...settings }, token: "secret", managed, machine: MACHINE });
}

describe("which server to use", () => {
  it("is the one at the address before all others, with the token", () => {
    const spec = resolve({ url: "https://rag.example.com/base/", executable: RAG });
    expect(spec).toEqual({ kind: "url", url: "https://rag.example.com/base", token: "secret", transport: "rest" });
  });

  it("is the given program before our own", () => {
    expect(resolve({ executable: "~/rag" })).toEqual({
      kind: "executable",
      command: RAG,
      env: {},
      dataDir: "/srv/data",
      transport: "rest",
    });
  });

  it("has MCP switched on where the extension is to talk by it, and is another one then", () => {
    const spec = resolve({ transport: "mcp" });
    expect(spec).toMatchObject({ transport: "mcp", env: { RAG_MCP__ENABLED: "true" } });
    expect(sameServer(spec, resolve({}))).toBe(false);
    expect(JSON.stringify(resolve({}))).not.toContain("RAG_MCP");
  });

  it("is our own once it is set up, in an environment without other Pythons' variables", () => {
    const spec = resolve({});
    expect(spec).toMatchObject({ kind: "managed", command: "/env/bin/rag", version: "0.1.0", dataDir: "/srv/data" });
    const env = childEnvironment({ PYTHONPATH: "/x", HOME: "/h" }, spec.kind === "managed" ? spec.env : {});
    expect(env).toEqual({ HOME: "/h" });
  });

  it.each(["new", "updated"] as const)("needs a set-up that is %s", (reason) => {
    expect(resolve({}, reason)).toEqual({ kind: "setupNeeded", reason });
  });

  it.each(["ftp://example.com", "example.com", "https://ann:pw@example.com", "https://example.com/?x=1", "file:///etc"])(
    "refuses the address %s",
    (url) => {
      expect(() => resolve({ url })).toThrow(/ragAssistant\.server\.url/);
    },
  );

  it("refuses a program that is not there, or that PATH would have to find", () => {
    expect(() => resolve({ executable: "/nowhere/rag" })).toThrow("There is no file /nowhere/rag.");
    expect(() => resolve({ executable: "rag" })).toThrow(/full path/);
  });

  it("gets models from a mirror, or from a folder", () => {
    expect(resolve({ modelSource: "https://hub.example.com/" })).toMatchObject({
      env: { HF_ENDPOINT: "https://hub.example.com" },
    });
    expect(resolve({ modelSource: FOLDER })).toMatchObject({
      env: { RAG_EMBEDDING__MODEL_FOLDERS: JSON.stringify([FOLDER]) },
    });
    expect(() => resolve({ modelSource: "/nowhere" })).toThrow(/ragAssistant\.model\.source/);
    expect(() => resolve({ modelSource: "hub" })).toThrow(/full path of a folder/);
  });

  it("goes through the editor's proxy, but not to this machine", () => {
    const spec = resolve({ proxy: "http://proxy:8080" });
    expect(spec).toMatchObject({ env: { HTTPS_PROXY: "http://proxy:8080", NO_PROXY: "localhost,127.0.0.1,::1" } });
  });

  it("is the same only when everything is", () => {
    expect(sameServer(resolve({}), resolve({}))).toBe(true);
    expect(sameServer(resolve({}), resolve({ indexUrl: "https://pypi.example.com" }))).toBe(true);
    expect(sameServer(resolve({}), resolve({ proxy: "http://proxy:8080" }))).toBe(false);
    expect(sameServer(resolve({}), resolve({ executable: RAG }))).toBe(false);
  });
});

describe("a token", () => {
  it.each([
    ["http://127.0.0.1:8765", false],
    ["http://localhost:8765", false],
    ["http://[::1]:8765", false],
    ["https://rag.example.com", false],
    ["http://rag.example.com", true],
    ["http://127.0.0.1.example.com", true],
  ])("sent to %s travels unprotected: %s", (url, expected) => {
    expect(isUnprotected(url)).toBe(expected);
  });
});
