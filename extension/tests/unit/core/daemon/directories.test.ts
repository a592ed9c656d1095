import { describe, expect, it } from "vitest";

import { type Machine, dataDirectory } from "../../../../src/core/daemon/directories";

function machine(platform: NodeJS.Platform, env: Machine["env"], home: string): Machine {
  return { platform, env, home, cwd: platform === "win32" ? "C:\\work" : "/srv/docs" };
}

describe("the data directory", () => {
  it.each([
    ["linux", {}, "/home/ann", "/home/ann/.local/share/rag-assistant"],
    ["linux", { XDG_DATA_HOME: "/data/ann" }, "/home/ann", "/data/ann/rag-assistant"],
    ["linux", { XDG_DATA_HOME: "relative" }, "/home/ann", "/home/ann/.local/share/rag-assistant"],
    ["darwin", {}, "/Users/ann", "/Users/ann/Library/Application Support/rag-assistant"],
    ["darwin", { XDG_DATA_HOME: "/data/ann" }, "/Users/ann", "/data/ann/rag-assistant"],
    ["win32", { LOCALAPPDATA: "D:\\Local" }, "C:\\Users\\Ann", "D:\\Local\\rag-assistant"],
    ["win32", { XDG_DATA_HOME: "/data" }, "C:\\Users\\Ann", "C:\\Users\\Ann\\AppData\\Local\\rag-assistant"],
    ["win32", { WIN_PD_OVERRIDE_LOCAL_APPDATA: "E:\\Data" }, "C:\\Users\\Ann", "E:\\Data\\rag-assistant"],
  ] as const)("is on %s with %o below %s: %s", (platform, env, home, expected) => {
    expect(dataDirectory(machine(platform, env, home))).toBe(expected);
  });

  it.each([
    ["linux", "/srv/rag", "/srv/rag"],
    ["linux", "~/rag", "/home/ann/rag"],
    ["linux", "~", "/home/ann"],
    ["linux", "rag", "/srv/docs/rag"],
    ["win32", "D:\\rag", "D:\\rag"],
    ["win32", "~\\rag", "/home/ann\\rag".replaceAll("/", "\\")],
  ] as const)("is on %s, with RAG_DATA_DIR %s, the folder %s", (platform, given, expected) => {
    const env = { RAG_DATA_DIR: given, XDG_DATA_HOME: "/data", LOCALAPPDATA: "D:\\Local" };
    const found = dataDirectory(machine(platform, env, "/home/ann"));
    expect(platform === "win32" ? found.replace(/^C:/, "") : found).toBe(expected);
  });
});
