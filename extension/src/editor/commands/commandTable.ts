/** Every command of the extension. A test holds this table against package.json. */

import type * as vscode from "vscode";

import type { DaemonService } from "../../core/daemon/status";
import type { SetupService } from "../../core/setup/setupService";
import type { CollectionsTree } from "../collections/collectionsTree";
import type { ServerToken } from "../daemon/serverToken";
import type { Dashboard } from "../dashboard/dashboard";
import type { EditorIngestion } from "../ingest/editorIngestion";
import type { ChatPanel } from "../panel/chatPanel";
import type { AddModel } from "../models/addModel";
import type { DescribePictures } from "../pictures/describePictures";
import type { EditorPlaces } from "../places/editorPlaces";
import type { CloudSources } from "../sources/cloudSources";
import type { SourcesTree } from "../sources/sourcesTree";

export interface Parts {
  addModel: AddModel;
  chat: ChatPanel;
  cloud: CloudSources;
  collections: CollectionsTree;
  daemon: DaemonService;
  dashboard: Dashboard;
  ingestion: EditorIngestion;
  log: vscode.LogOutputChannel;
  pictures: DescribePictures;
  places: EditorPlaces;
  setup: SetupService;
  sources: SourcesTree;
  token: ServerToken;
  openWalkthrough: () => Thenable<unknown>;
  useRest: () => Thenable<unknown>;
}

// Arguments come from menus, links and other extensions; each handler checks its own.
type Handler = (...given: never[]) => unknown;

export function commandTable(parts: Parts): Record<string, Handler> {
  const { chat, cloud, collections, daemon, dashboard, ingestion, places, setup, sources } = parts;
  return {
    "ragAssistant.setup": () => Promise.all([chat.show(), setup.run()]),
    "ragAssistant.cancelSetup": () => setup.cancel(),
    "ragAssistant.openWalkthrough": () => parts.openWalkthrough(),
    "ragAssistant.openChat": () => chat.show(),
    "ragAssistant.openChatInEditor": () => chat.openInEditor(),
    "ragAssistant.ask": (question?: unknown) => chat.ask(question),
    "ragAssistant.addModel": () => parts.addModel.run(),
    "ragAssistant.describePictures": () => parts.pictures.run(),
    "ragAssistant.stopDescribingPictures": () => parts.pictures.stop(),
    "ragAssistant.askAbout": (target?: unknown, all?: unknown) => chat.askAbout(target, all, places.shown()),
    "ragAssistant.showGuide": (target?: unknown, all?: unknown) => chat.showGuide(target, all, places.shown()),
    "ragAssistant.newChat": (tab?: unknown) => chat.newChat(tab),
    "ragAssistant.showHistory": (tab?: unknown) => chat.showHistory(tab),
    "ragAssistant.exportChat": (given?: unknown) => chat.export(given),
    "ragAssistant.restartDaemon": () => daemon.restart(),
    "ragAssistant.stopDaemon": () => daemon.stop(),
    "ragAssistant.setServerToken": () => parts.token.ask(),
    "ragAssistant.useRest": () => parts.useRest(),
    "ragAssistant.showLog": () => parts.log.show(),
    "ragAssistant.openDashboard": () => dashboard.show(),
    "ragAssistant.openCitation": (citation: unknown) => places.openUntrusted(citation),
    "ragAssistant.addToKnowledgeBase": (target?: unknown, all?: unknown) => ingestion.addCommand(target, all),
    "ragAssistant.watchFolder": (target?: unknown) => ingestion.watchCommand(target),
    "ragAssistant.refresh": () => {
      collections.refresh();
      sources.refresh();
    },
    "ragAssistant.createCollection": () => collections.create(),
    "ragAssistant.renameCollection": (row?: unknown) => collections.rename(row),
    "ragAssistant.deleteCollection": (row?: unknown) => collections.delete(row),
    "ragAssistant.enableCollection": (row?: unknown) => collections.enable(row),
    "ragAssistant.disableCollection": (row?: unknown) => collections.disable(row),
    "ragAssistant.reindexCollection": (row?: unknown) => collections.reindex(row),
    "ragAssistant.findDocument": () => collections.find(),
    "ragAssistant.openDocument": (row?: unknown) => collections.openDocument(row),
    "ragAssistant.showDocument": (row?: unknown) => collections.showDocument(row),
    "ragAssistant.reindexDocument": (row?: unknown, all?: unknown) => collections.reindexDocuments(row, all),
    "ragAssistant.deleteDocument": (row?: unknown, all?: unknown) => collections.deleteDocuments(row, all),
    "ragAssistant.addFolderSource": () => ingestion.watchCommand(),
    "ragAssistant.addConfluence": () => cloud.add("confluence"),
    "ragAssistant.addJira": () => cloud.add("jira"),
    "ragAssistant.syncSource": (row?: unknown) => sources.sync(row),
    "ragAssistant.syncSourceFully": (row?: unknown) => sources.sync(row, { full: true }),
    "ragAssistant.retrySource": (row?: unknown) => sources.retry(row),
    "ragAssistant.deleteHeld": (row?: unknown) => sources.deleteHeld(row),
    "ragAssistant.showLedger": (row?: unknown) => dashboard.showLedger(sources.sourceOf(row)),
    "ragAssistant.editSource": (row?: unknown) => cloud.edit(sources.sourceOf(row)),
    "ragAssistant.setSourceToken": (row?: unknown) => cloud.setToken(sources.given(row)),
    "ragAssistant.forgetSourceToken": (row?: unknown) => cloud.forgetToken(sources.given(row)),
    "ragAssistant.pauseSource": (row?: unknown) => sources.pause(row),
    "ragAssistant.resumeSource": (row?: unknown) => sources.resume(row),
    "ragAssistant.removeSource": (row?: unknown) => sources.remove(row),
  };
}
