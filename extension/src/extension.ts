/** Puts the parts together. Nothing here waits: what takes time begins after the activation. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { createAnswering } from "./answering/answerer";
import { EditorModels } from "./answering/editorModels";
import { registerParticipant } from "./chat/participant";
import { commandTable } from "./commands";
import { createDaemonService } from "./daemon/service";
import { useRest } from "./daemon/settings";
import { createStatusBar } from "./daemon/statusBar";
import { ServerToken } from "./daemon/token";
import { Dashboard } from "./dashboard/dashboard";
import { EditorIngestion } from "./ingest/ingestion";
import { ChatView } from "./panel/chatView";
import { LedgerView } from "./ledger/ledger";
import { registerMcpServer } from "./mcp/provider";
import { EditorPlaces } from "./places/places";
import { createSetupService } from "./setup/service";
import { CloudSources } from "./sources/cloudSources";
import { SourceKeeping } from "./sources/keeping";
import { EditorSourceTokens } from "./sources/tokens";
import { registerTools } from "./tools/tools";
import { CollectionsTree } from "./trees/collectionsTree";
import { SourcesTree } from "./trees/sourcesTree";

let chat: ChatView | undefined;

export function activate(context: vscode.ExtensionContext): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  const log = vscode.window.createOutputChannel("RAG Assistant", { log: true });
  const token = new ServerToken(context.secrets);
  const sourceTokens = new EditorSourceTokens(context.secrets);
  const daemon = createDaemonService(context, log, token, sourceTokens);
  const setup = createSetupService(context, log, daemon);
  const answering = createAnswering(daemon);
  const models = new EditorModels(daemon);
  const places = new EditorPlaces(context, daemon, log);
  const collections = new CollectionsTree(daemon, places, log);
  const sources = new SourcesTree(daemon, sourceTokens, log);
  const cloud = new CloudSources(daemon, sourceTokens, log, () => sources.refresh());
  const ledger = new LedgerView(context, daemon, sourceTokens, log);
  const dashboard = new Dashboard(context, daemon, log);
  chat = new ChatView({ answering, context, daemon, log, models, places, setup });
  registerParticipant(context, { answering, daemon, log, places });
  const walkthrough = `${context.extension.id}#start`;
  const table = commandTable({
    chat,
    cloud,
    collections,
    daemon,
    dashboard,
    ingestion: new EditorIngestion(daemon, log),
    ledger,
    log,
    places,
    setup,
    sources,
    token,
    openWalkthrough: () => vscode.commands.executeCommand("workbench.action.openWalkthrough", walkthrough),
    useRest,
  });
  for (const [id, handler] of Object.entries(table)) {
    context.subscriptions.push(vscode.commands.registerCommand(id, handler));
  }
  context.subscriptions.push(
    ...[log, sourceTokens, daemon, setup, models, chat, collections, sources, dashboard, ledger],
    new SourceKeeping(daemon, sourceTokens, log),
    createStatusBar(daemon, setup),
    registerTools({ daemon }),
    registerMcpServer(context, { daemon, log, sourceTokens }),
  );
}

/** The editor gives some seconds for this. */
export async function deactivate(): Promise<void> {
  await chat?.close();
}
