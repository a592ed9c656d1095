/**
 * The MCP server that the agents of this editor are offered, as values: first what it is, without any secret, for the editor keeps that
 * in its storage; then, when the editor starts it, how to reach it.
 */

import path from "node:path";

import type { Connection } from "../client/connection";
import { SOURCE_TOKEN_HEADER, tokenProblem } from "../client/sourceTokens";
import type { Machine } from "../daemon/directories";
import { type LocalServer, type ServerSpec, isUnprotected } from "../daemon/serverSpec";

const LABEL = "RAG Assistant";

/** `ragAssistant.mcp.server`. */
export type McpServerTransport = "http" | "stdio";

/** The label tells the two apart: the editor ends a server whose label is gone, and would go on with one that only changed. */
export type McpOffer =
  { kind: "http"; label: string; url: string } | { kind: "stdio"; label: string; server: LocalServer };

export interface OfferInputs {
  serverTransport: McpServerTransport;
  server: ServerSpec;
  /** What the daemon said last of itself; undefined: it was not asked yet. */
  isServed: boolean | undefined;
}

/** What there is to offer; undefined: nothing. */
export function mcpOffer({ serverTransport, server, isServed }: OfferInputs): McpOffer | undefined {
  if (server.kind === "setupNeeded" || server.transport !== "mcp" || isServed === false) return undefined;
  // There is no program to run for a server somewhere else, whatever the setting says.
  if (server.kind === "url") {
    return isUnprotected(server.url) ? undefined : { kind: "http", label: LABEL, url: endpoint(server.url) };
  }
  if (serverTransport === "stdio") return { kind: "stdio", label: `${LABEL} (stdio)`, server };
  // The port is another one at each start of the daemon, and known when the editor asks for it.
  return { kind: "http", label: LABEL, url: endpoint("http://127.0.0.1") };
}

export interface HttpLaunch {
  url: string;
  headers: Record<string, string>;
}

/** `sourceTokens`: the header's value. */
export function httpLaunch(connection: Connection, sourceTokens: string | undefined): HttpLaunch {
  const headers: Record<string, string> = { Authorization: `Bearer ${connection.token}` };
  if (sourceTokens !== undefined) headers[SOURCE_TOKEN_HEADER] = sourceTokens;
  return { url: endpoint(connection.url), headers };
}

export interface StdioLaunch {
  command: string;
  args: string[];
  /** Over the extension host's environment; null takes a variable out. */
  env: Record<string, string | null>;
  cwd: string;
}

/**
 * `rag mcp`. It finds the daemon by its data directory, or starts it. The person's tokens go along as variables of that process,
 * which `RAG_SOURCE_TOKENS` refers to: `rag` takes references only.
 */
export function stdioLaunch(
  server: LocalServer,
  machine: Machine,
  sourceTokens: ReadonlyMap<string, string>,
): StdioLaunch {
  const env: Record<string, string | null> = { ELECTRON_RUN_AS_NODE: null };
  for (const [name, value] of Object.entries(server.env)) env[name] = value ?? null;
  env["RAG_DATA_DIR"] = server.dataDir;
  env["RAG_MCP__ENABLED"] = "true";
  const given = machine.env["RAG_SOURCE_TOKENS"];
  const references = given ? [given] : [];
  const sent = [...sourceTokens].filter(([, token]) => tokenProblem(token) === undefined);
  for (const [index, [source, token]] of sent.entries()) {
    // Not RAG_…: `rag` would take it for a setting.
    const name = `RAGASSISTANT_SOURCE_TOKEN_${index + 1}`;
    env[name] = token;
    references.push(`${source}=env:${name}`);
  }
  if (sent.length > 0) env["RAG_SOURCE_TOKENS"] = references.join(" ");
  // Not the workspace, as for the daemon: nothing that lies there is to be read as settings.
  return { command: server.command, args: ["mcp"], env, cwd: path.resolve(machine.home) };
}

function endpoint(url: string): string {
  return `${url}/mcp`;
}
