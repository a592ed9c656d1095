/** Settings that decide what is run and where secrets go: this machine's user has the only say, never a workspace. */

import { homedir } from "node:os";

import * as vscode from "vscode";

import type { Machine } from "../../core/daemon/directories";
import type { ServerSettings } from "../../core/daemon/serverSpec";
import type { McpServerTransport } from "../../core/mcp/serverDefinition";

const NAMES = ["server.url", "server.executable", "python.path", "index.url", "model.source", "transport"].map(
  (name) => `ragAssistant.${name}`,
);
const MCP_WAY = "ragAssistant.mcp.server";

export function serverSettings(): ServerSettings {
  const isProxyUsed = machineValue("http.proxySupport") !== "off";
  return {
    url: machineValue("ragAssistant.server.url"),
    executable: machineValue("ragAssistant.server.executable"),
    pythonPath: machineValue("ragAssistant.python.path"),
    indexUrl: machineValue("ragAssistant.index.url"),
    modelSource: machineValue("ragAssistant.model.source"),
    proxy: isProxyUsed ? machineValue("http.proxy") : "",
    transport: machineValue("ragAssistant.transport") === "mcp" ? "mcp" : "rest",
  };
}

export function affectsServer(event: vscode.ConfigurationChangeEvent): boolean {
  return [...NAMES, "http.proxy", "http.proxySupport"].some((name) => event.affectsConfiguration(name));
}

/** By which transport agents of this editor reach the MCP server. */
export function mcpServerTransport(): McpServerTransport {
  return machineValue(MCP_WAY) === "stdio" ? "stdio" : "http";
}

export function affectsMcp(event: vscode.ConfigurationChangeEvent): boolean {
  return affectsServer(event) || event.affectsConfiguration(MCP_WAY);
}

/** The setting that decides is the user's; the window reconnects when it sees the change. */
export async function useRest(): Promise<void> {
  await vscode.workspace.getConfiguration().update("ragAssistant.transport", "rest", vscode.ConfigurationTarget.Global);
}

export function thisMachine(): Machine {
  return { platform: process.platform, env: process.env, home: homedir(), cwd: process.cwd() };
}

/** Of the user's or the machine's settings, else the default; what a workspace says is not even looked at. */
function machineValue(name: string): string {
  const found = vscode.workspace.getConfiguration().inspect<unknown>(name);
  const value = found?.globalValue ?? found?.defaultValue;
  return typeof value === "string" ? value.trim() : "";
}
