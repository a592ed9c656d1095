/** Puts the parts together. Nothing here waits: what takes time begins after the activation. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { createAnswering } from "./answering/answerer";
import { EditorModels } from "./answering/editorModels";
import { registerParticipant } from "./chat/participant";
import { commandTable } from "./commands";
import { createDaemonService } from "./daemon/service";
import { createStatusBar } from "./daemon/statusBar";
import { ServerToken } from "./daemon/token";
import { Dashboard } from "./dashboard/dashboard";
import { EditorIngestion } from "./ingest/ingestion";
import { ChatView } from "./panel/chatView";
import { EditorPlaces } from "./places/places";
import { createSetupService } from "./setup/service";
import { registerTools } from "./tools/tools";
import { CollectionsTree } from "./trees/collectionsTree";
import { SourcesTree } from "./trees/sourcesTree";

let chat: ChatView | undefined;

export function activate(context: vscode.ExtensionContext): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  const log = vscode.window.createOutputChannel("RAG Assistant", { log: true });
  const token = new ServerToken(context.secrets);
  const daemon = createDaemonService(context, log, token);
  const setup = createSetupService(context, log, daemon);
  const answering = createAnswering(daemon);
  const models = new EditorModels(daemon);
  const places = new EditorPlaces(context, daemon, log);
  const collections = new CollectionsTree(daemon, places, log);
  const sources = new SourcesTree(daemon, log);
  const dashboard = new Dashboard(context, daemon, log);
  chat = new ChatView({ answering, context, daemon, log, models, places, setup });
  registerParticipant(context, { answering, daemon, log, places });
  const walkthrough = `${context.extension.id}#start`;
  const table = commandTable({
    chat,
    collections,
    daemon,
    dashboard,
    ingestion: new EditorIngestion(daemon, log),
    log,
    places,
    setup,
    sources,
    token,
    openWalkthrough: () => vscode.commands.executeCommand("workbench.action.openWalkthrough", walkthrough),
  });
  for (const [id, handler] of Object.entries(table)) {
    context.subscriptions.push(vscode.commands.registerCommand(id, handler));
  }
  context.subscriptions.push(
    ...[log, daemon, setup, models, chat, collections, sources, dashboard],
    createStatusBar(daemon, setup),
    registerTools({ daemon }),
  );
}

/** The editor gives some seconds for this. */
export async function deactivate(): Promise<void> {
  await chat?.close();
}
