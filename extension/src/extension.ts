/** Puts the parts together. Nothing here waits: what takes time begins after the activation. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { createAnswerService } from "./core/answer/answerer";
import { EditorModels } from "./editor/answer/editorModels";
import { registerOwnModels } from "./editor/answer/ownModels";
import { CollectionsTree } from "./editor/collections/collectionsTree";
import { commandTable } from "./editor/commands/commandTable";
import { createDaemonService } from "./editor/daemon/editorDaemon";
import { ServerToken } from "./editor/daemon/serverToken";
import { useRest } from "./editor/daemon/settings";
import { createStatusBar } from "./editor/daemon/statusBar";
import { Dashboard } from "./editor/dashboard/dashboard";
import { EditorIngestion } from "./editor/ingest/editorIngestion";
import { registerMcpServer } from "./editor/mcp/mcpServerProvider";
import { AddModel } from "./editor/models/addModel";
import { ModelStore } from "./editor/daemon/modelStore";
import { ChatPanel } from "./editor/panel/chatPanel";
import { registerParticipant } from "./editor/participant/participant";
import { AgreementStore } from "./editor/daemon/agreementStore";
import { DescribePictures } from "./editor/pictures/describePictures";
import { EditorPlaces } from "./editor/places/editorPlaces";
import { createSetupService } from "./editor/setup/editorSetup";
import { CloudSources } from "./editor/sources/cloudSources";
import { EditorSourceTokens } from "./editor/sources/editorSourceTokens";
import { SourceSync } from "./editor/sources/sourceSync";
import { SourcesTree } from "./editor/sources/sourcesTree";
import { registerTools } from "./editor/tools/tools";

let chat: ChatPanel | undefined;

export function activate(context: vscode.ExtensionContext): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  const log = vscode.window.createOutputChannel("RAG Assistant", { log: true });
  const token = new ServerToken(context.secrets);
  const sourceTokens = new EditorSourceTokens(context.secrets);
  const modelStore = new ModelStore(context.secrets);
  const agreements = new AgreementStore(context.secrets);
  const daemon = createDaemonService(context, log, token, sourceTokens, modelStore, agreements);
  const pictures = new DescribePictures(daemon, agreements, log);
  const setup = createSetupService(context, log, daemon);
  const answerService = createAnswerService(daemon);
  const models = new EditorModels(daemon);
  const places = new EditorPlaces(context, daemon, log);
  const collections = new CollectionsTree(daemon, places, log);
  const sources = new SourcesTree(daemon, sourceTokens, log);
  const cloud = new CloudSources(daemon, sourceTokens, log, () => sources.refresh());
  const dashboard = new Dashboard(context, daemon, sourceTokens, log);
  chat = new ChatPanel({ answerService, context, daemon, log, models, places, setup });
  registerParticipant(context, { answerService, daemon, log, models, places });
  const walkthrough = `${context.extension.id}#start`;
  const table = commandTable({
    addModel: new AddModel(daemon, modelStore, log),
    chat,
    cloud,
    collections,
    daemon,
    dashboard,
    ingestion: new EditorIngestion(daemon, log),
    log,
    pictures,
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
    ...[log, sourceTokens, daemon, setup, models, chat, collections, sources, dashboard, pictures],
    registerOwnModels(daemon, answerService),
    new SourceSync(daemon, sourceTokens, log),
    createStatusBar(daemon, setup, pictures.lending),
    registerTools({ daemon }),
    registerMcpServer(context, { daemon, log, sourceTokens }),
  );
}

/** The editor gives some seconds for this. */
export async function deactivate(): Promise<void> {
  await chat?.close();
}
