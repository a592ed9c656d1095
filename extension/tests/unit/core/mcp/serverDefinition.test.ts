import { describe, expect, it } from "vitest";

import type { Machine } from "../../../../src/core/daemon/directories";
import type { LocalServer, ServerSpec } from "../../../../src/core/daemon/serverSpec";
import { httpLaunch, mcpOffer, stdioLaunch } from "../../../../src/core/mcp/serverDefinition";

const LOCAL: LocalServer = {
  kind: "managed",
  command: "/env/bin/rag",
  env: { HTTPS_PROXY: "http://proxy:3128", PYTHONPATH: undefined },
  dataDir: "/data",
  transport: "mcp",
};
const remote = (url: string): ServerSpec => ({ kind: "url", url, token: "secret-token", transport: "mcp" });
const machine = (env: Machine["env"] = {}): Machine => ({ platform: "linux", env, home: "/home/me", cwd: "/work" });
const none = new Map<string, string>();

describe("the MCP server that agents are offered", () => {
  it("is the daemon's address without its port, or the command, as the setting says", () => {
    expect(mcpOffer({ serverTransport: "http", server: LOCAL, isServed: true })).toEqual({
      kind: "http",
      label: "RAG Assistant",
      url: "http://127.0.0.1/mcp",
    });
    expect(mcpOffer({ serverTransport: "stdio", server: LOCAL, isServed: true })).toEqual({
      kind: "stdio",
      label: "RAG Assistant (stdio)",
      server: LOCAL,
    });
  });

  it("is offered before the daemon was asked: it starts when an agent needs it", () => {
    expect(mcpOffer({ serverTransport: "http", server: LOCAL, isServed: undefined })).toBeDefined();
  });

  it.each([
    ["the transport is rest", { ...LOCAL, transport: "rest" as const }, true],
    ["the daemon serves none", LOCAL, false],
    ["nothing is set up", { kind: "setupNeeded", reason: "new" } as const, undefined],
  ])("is none where %s", (_why, server, isServed) => {
    for (const serverTransport of ["http", "stdio"] as const)
      expect(mcpOffer({ serverTransport, server, isServed })).toBeUndefined();
  });

  it("is at a server's address by http only, whatever the setting says", () => {
    for (const serverTransport of ["http", "stdio"] as const) {
      expect(mcpOffer({ serverTransport, server: remote("https://rag.example.com/base"), isServed: true })).toEqual({
        kind: "http",
        label: "RAG Assistant",
        url: "https://rag.example.com/base/mcp",
      });
    }
    expect(mcpOffer({ serverTransport: "http", server: remote("http://[::1]:8765"), isServed: true })).toBeDefined();
  });

  it("is none where the token would travel unencrypted", () => {
    expect(mcpOffer({ serverTransport: "http", server: remote("http://rag.example.com"), isServed: true })).toBeUndefined();
  });

  it("has no token in what the editor keeps", () => {
    const offer = mcpOffer({ serverTransport: "http", server: remote("https://rag.example.com"), isServed: true });
    expect(JSON.stringify(offer)).not.toContain("secret-token");
  });
});

describe("how the editor reaches it by http", () => {
  const connection = { url: "http://127.0.0.1:40123", token: "secret-token" };

  it("is the daemon's port and token", () => {
    expect(httpLaunch(connection, undefined)).toEqual({
      url: "http://127.0.0.1:40123/mcp",
      headers: { Authorization: "Bearer secret-token" },
    });
  });

  it("brings the person's tokens for sources", () => {
    const { headers } = httpLaunch(connection, "wiki-1=mine");
    expect(headers).toEqual({ Authorization: "Bearer secret-token", "X-RAG-Source-Token": "wiki-1=mine" });
  });
});

describe("how the editor starts it by stdio", () => {
  it("is `rag mcp` on the daemon's data, away from the workspace", () => {
    expect(stdioLaunch(LOCAL, machine(), none)).toEqual({
      command: "/env/bin/rag",
      args: ["mcp"],
      env: {
        HTTPS_PROXY: "http://proxy:3128",
        PYTHONPATH: null,
        ELECTRON_RUN_AS_NODE: null,
        RAG_DATA_DIR: "/data",
        RAG_MCP__ENABLED: "true",
      },
      cwd: "/home/me",
    });
  });

  it("refers to the person's tokens, after references of the person's own", () => {
    const tokens = new Map([
      ["wiki-1", "first"],
      ["jira-2", "me@example.com:second"],
    ]);
    const { env } = stdioLaunch(LOCAL, machine({ RAG_SOURCE_TOKENS: "team=file:/token" }), tokens);
    expect(env["RAG_SOURCE_TOKENS"]).toBe(
      "team=file:/token wiki-1=env:RAGASSISTANT_SOURCE_TOKEN_1 jira-2=env:RAGASSISTANT_SOURCE_TOKEN_2",
    );
    expect(env["RAGASSISTANT_SOURCE_TOKEN_1"]).toBe("first");
    expect(env["RAGASSISTANT_SOURCE_TOKEN_2"]).toBe("me@example.com:second");
  });

  it("leaves out what is no token, and leaves the person's references alone without any", () => {
    const { env } = stdioLaunch(LOCAL, machine({ RAG_SOURCE_TOKENS: "team=file:/token" }), new Map([["wiki-1", "a, b"]]));
    expect(env).not.toHaveProperty("RAG_SOURCE_TOKENS");
    expect(JSON.stringify(env)).not.toContain("a, b");
  });
});
