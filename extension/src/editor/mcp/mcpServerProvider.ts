/** Offers our MCP server to the agents of this editor, such as Copilot's agent mode. */

import { isDeepStrictEqual } from "node:util";

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonClient } from "../../core/client/daemonClient";
import { tokenHeader, type SourceTokens } from "../../core/client/sourceTokens";
import { RagError, asRagError } from "../../core/common/errors";
import type { ServerSpec } from "../../core/daemon/serverSpec";
import type { DaemonService } from "../../core/daemon/status";
import { httpLaunch, mcpOffer, stdioLaunch, type McpOffer } from "../../core/mcp/serverDefinition";
import { affectsMcp, mcpServerTransport, serverSettings, thisMachine } from "../daemon/settings";

/** As in package.json. */
const ID = "ragAssistant.mcp";
/** The editor waits for what is offered before it sends a message to its agent. */
const ANSWER_LIMIT_MS = 5_000;

interface Parts {
  daemon: DaemonService & { server(): Promise<ServerSpec> };
  log: vscode.LogOutputChannel;
  sourceTokens: SourceTokens;
}

export function registerMcpServer(context: vscode.ExtensionContext, parts: Parts): vscode.Disposable {
  const { version } = context.extension.packageJSON as { version: string };
  const provider = new McpProvider(parts, version);
  return vscode.Disposable.from(provider, vscode.lm.registerMcpServerDefinitionProvider(ID, provider));
}

class McpProvider implements vscode.McpServerDefinitionProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.changes.event;

  private readonly disposables: { dispose(): unknown }[];
  private offer: McpOffer | undefined;
  /** What the daemon said last; it may have been started with other settings since. */
  private isServed: boolean | undefined;
  /** The daemon whose address and token the editor was given. */
  private reached: DaemonClient | undefined;
  private why: string | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: Parts,
    private readonly version: string,
  ) {
    const { daemon } = parts;
    this.disposables = [
      vscode.workspace.onDidChangeConfiguration((event) => affectsMcp(event) && this.look()),
      daemon.onDidChangeStatus(() => this.look()),
    ];
  }

  async provideMcpServerDefinitions(): Promise<vscode.McpServerDefinition[]> {
    await this.look();
    return this.offer === undefined ? [] : [this.definition(this.offer)];
  }

  /** The editor shows the message of what is thrown. */
  async resolveMcpServerDefinition(asked: vscode.McpServerDefinition): Promise<vscode.McpServerDefinition> {
    try {
      await this.look();
      const { offer } = this;
      if (offer?.label !== asked.label) throw switchedOff();
      return await this.resolved(offer);
    } catch (error) {
      const { code, message, advice } = asRagError(error);
      this.parts.log.warn(`The MCP server can't be started: ${code}: ${message}`);
      throw new Error([message, advice].filter((part) => part !== "").join(" "));
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables, this.changes).dispose();
  }

  /** The first without port and token: the editor keeps it in its storage. */
  private definition(offer: McpOffer): vscode.McpServerDefinition {
    const { version } = this;
    return offer.kind === "http"
      ? new vscode.McpHttpServerDefinition(offer.label, vscode.Uri.parse(offer.url, true), {}, version)
      : new vscode.McpStdioServerDefinition(offer.label, offer.server.command, ["mcp"], {}, version);
  }

  private async resolved(offer: McpOffer): Promise<vscode.McpServerDefinition> {
    const { version } = this;
    const { daemon, sourceTokens } = this.parts;
    // By stdio, too: a daemon that `rag mcp` had to start would not be this window's.
    const client = await daemon.client();
    if (!(await client.status(AbortSignal.timeout(ANSWER_LIMIT_MS))).mcp) throw switchedOff();
    if (offer.kind === "stdio") {
      const { command, args, env, cwd } = stdioLaunch(offer.server, thisMachine(), await sourceTokens.all());
      const definition = new vscode.McpStdioServerDefinition(offer.label, command, args, env, version);
      definition.cwd = vscode.Uri.file(cwd);
      return definition;
    }
    this.reached = client;
    const { connection } = client;
    const { url, headers } = httpLaunch(connection, await tokenHeader(sourceTokens, "all", connection.url));
    return new vscode.McpHttpServerDefinition(offer.label, vscode.Uri.parse(url, true), headers, version);
  }

  /** Looks what there is to offer now, and tells the editor when that is something else than before. */
  private look(): Promise<void> {
    this.turn = this.turn.then(async () => {
      const { offer, why } = await this.find();
      if (why !== undefined && why !== this.why) this.parts.log.info(`No MCP server is offered to agents: ${why}.`);
      this.why = why;
      if (isDeepStrictEqual(offer, this.offer)) return;
      this.offer = offer;
      this.changes.fire();
    });
    return this.turn;
  }

  private async find(): Promise<{ offer?: McpOffer; why?: string }> {
    if (serverSettings().transport !== "mcp") return {};
    try {
      const server = await this.parts.daemon.server();
      this.isServed = (await this.served()) ?? this.isServed;
      const offer = mcpOffer({ serverTransport: mcpServerTransport(), server, isServed: this.isServed });
      if (offer === undefined) return { why: reason(server, this.isServed) };
      return offer.kind === "http" && this.hasEnded() ? { why: "the daemon has ended" } : { offer };
    } catch (error) {
      // The status bar says it, too: a setting is wrong.
      return { why: asRagError(error).message };
    }
  }

  /**
   * The editor would go on with the address and token of a daemon that is gone, and the next call would fail. It forgets a server
   * that is not offered any more, and asks anew when it is offered again.
   */
  private hasEnded(): boolean {
    const { status } = this.parts.daemon;
    if (status.kind === "ready" && status.client !== this.reached) this.reached = undefined;
    return status.kind !== "ready" && this.reached !== undefined;
  }

  /** Whether the daemon serves agents; undefined while it can't be asked. */
  private async served(): Promise<boolean | undefined> {
    const { status } = this.parts.daemon;
    if (status.kind !== "ready") return undefined;
    try {
      return (await status.client.status(AbortSignal.timeout(ANSWER_LIMIT_MS))).mcp;
    } catch {
      // It ends, or starts anew: its next state is looked at again.
      return undefined;
    }
  }
}

function switchedOff(): RagError {
  return new RagError(
    "MCP_OFF",
    l10n.t("The MCP server of RAG Assistant is switched off."),
    l10n.t(
      "Set ragAssistant.transport to “mcp”. If it is, the daemon's settings or a policy of this machine switch it off.",
    ),
  );
}

function reason(server: ServerSpec, isServed: boolean | undefined): string {
  if (isServed === false) return "the daemon serves none (mcp.enabled, or a policy of this machine)";
  return server.kind === "url" ? "its address is not encrypted" : "RAG Assistant is not set up";
}
