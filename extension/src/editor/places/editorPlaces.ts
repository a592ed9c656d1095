/** Opens the exact place that a citation names: lines in the editor, a page in the browser, all else in our viewer. */

import { existsSync } from "node:fs";

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { FORMATS } from "../../core/api/formats.gen";
import type { Citation, DocumentDetail } from "../../core/api/types";
import { isOnThisMachine } from "../../core/client/connection";
import type { DaemonService } from "../../core/daemon/status";
import { citedPlace, readCitationArgument, wholeDocument, type CitedPlace } from "../../core/places/citationLink";
import { editorEncoding } from "../../core/places/encodings";
import { cellsInLines } from "../../core/places/notebookCells";
import { isFileUri, placeTarget, type FileLocation } from "../../core/places/placeTarget";
import { shortName } from "../../protocol/places";
import type { ScopeItem } from "../../protocol/session";
import { showFailure } from "../common/showFailure";
import { DocumentViewer } from "../viewer/documentViewer";
import { openOriginal } from "../viewer/originals";
import { openLink } from "../webview/links";
import { PassageHighlight } from "./passageHighlight";
import type { Places } from "./places";

/** Beyond the end of most lines. A larger one makes the editor count one line more. */
const LINE_END = 1000;

export class EditorPlaces implements Places {
  private readonly viewer: DocumentViewer;
  private readonly mark = new PassageHighlight();

  constructor(
    context: vscode.ExtensionContext,
    private readonly daemon: DaemonService,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.viewer = new DocumentViewer(context, daemon, log, (uri) => Promise.resolve(this.fileLocation(uri) === "here"));
    context.subscriptions.push(this.mark);
  }

  open(citation: Citation): Promise<void> {
    return this.showingFailures(() => this.openPlace(citedPlace(citation)));
  }

  /** The command `openCitation`: the link says which document and place, only the daemon which file. */
  openUntrusted(argument: unknown): Promise<void> {
    return this.showingFailures(() => this.openPlace(readCitationArgument(argument)));
  }

  location(citation: Citation): vscode.Uri | vscode.Location | undefined {
    const place = citedPlace(citation).place;
    const target = placeTarget(place, citation, (uri) => this.fileLocation(uri));
    if (target.kind === "viewer" || FORMATS[citation.doc_type].shape === "cells") return undefined;
    if (target.kind === "browser") return sameUri(target.url);
    const [first, last] = target.lines;
    return new vscode.Location(vscode.Uri.parse(target.uri, true), new vscode.Range(first - 1, 0, last - 1, LINE_END));
  }

  openImage(assetId: string, title: string): Promise<void> {
    this.viewer.show({ kind: "image", assetId, title });
    return Promise.resolve();
  }

  /** The document that the viewer shows, where its tab has the focus. */
  shown(): ScopeItem | undefined {
    const shown = this.viewer.shown();
    return shown && { kind: "document", id: shown.docId, label: shown.title };
  }

  /** What was read in a document, in the viewer. */
  showDocument(docId: string, title: string): void {
    this.show(wholeDocument(docId), title, "");
  }

  /** The file or the web page of a document, or, when it can't be had, what was read in it. */
  openDocument(docId: string): Promise<void> {
    return this.showingFailures(async () => {
      const document = await (await this.daemon.client()).document(docId);
      const fileLocation = isFileUri(document.source_uri) ? this.fileLocation(document.source_uri) : "here";
      // A PDF is shown as it looks by the viewer, too, and there it needs no other program.
      if (fileLocation === "here" && FORMATS[document.doc_type].shape !== "pages") await openOriginal(document);
      else this.show(wholeDocument(docId), nameOf(document), lossNote(fileLocation, document));
    });
  }

  private async openPlace(cited: CitedPlace): Promise<void> {
    const document = await (await this.daemon.client()).document(cited.docId);
    const target = placeTarget(cited.place, document, (uri) => this.fileLocation(uri));
    if (target.kind === "browser") await openLink(target.url);
    else if (target.kind === "viewer")
      this.show(cited, nameOf(document), target.file ? lossNote(target.file, document) : "");
    else await this.openLines(cited, document, vscode.Uri.parse(target.uri, true), target.lines);
  }

  private async openLines(
    cited: CitedPlace,
    document: DocumentDetail,
    uri: vscode.Uri,
    lines: [number, number],
  ): Promise<void> {
    if (FORMATS[document.doc_type].shape === "cells" && (await openCells(uri, lines))) return;
    // Where the content is the file, word for word, a passage is found again when its lines have moved.
    const content = FORMATS[document.doc_type].isOwnText ? cited.content : "";
    const encoding = editorEncoding(document.metadata["encoding"]);
    const { sentences } = cited;
    if ((await this.mark.open(uri, lines, { content, sentences }, encoding)) !== "lost") return;
    const show = l10n.t("Show What Was Read");
    const message = l10n.t("The file has changed since it was read; the passage is no longer in it.");
    void vscode.window.showInformationMessage(message, show).then((chosen) => {
      if (chosen === show) this.show(cited, nameOf(document), "");
    });
  }

  private show(cited: CitedPlace, title: string, note: string): void {
    this.viewer.show({ kind: "document", title, note, ...cited });
  }

  private fileLocation(uri: string): FileLocation {
    const { status } = this.daemon;
    if (status.kind === "ready" && !isOnThisMachine(status.client.connection.url)) return "elsewhere";
    return existsSync(vscode.Uri.parse(uri, true).fsPath) ? "here" : "gone";
  }

  private async showingFailures(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      showFailure(error, this.log);
    }
  }
}

/** False when the lines belong to no cell: then the file itself is shown. */
async function openCells(uri: vscode.Uri, lines: [number, number]): Promise<boolean> {
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const cells = cellsInLines(text, lines);
  if (!cells) return false;
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  await vscode.window.showNotebookDocument(notebook, {
    preview: true,
    selections: [new vscode.NotebookRange(...cells)],
  });
  return true;
}

/** Undefined where a `Uri` would write the address in another way, so that only the command opens it exactly. */
function sameUri(address: string): vscode.Uri | undefined {
  const uri = vscode.Uri.parse(address, true);
  return uri.toString() === address ? uri : undefined;
}

function nameOf(document: DocumentDetail): string {
  return document.title || shortName(document.source);
}

function lossNote(fileLocation: FileLocation, document: DocumentDetail): string {
  switch (fileLocation) {
    case "here":
      return "";
    case "gone":
      return l10n.t("The file {0} is gone. This is what was read in it.", document.source);
    case "elsewhere":
      return l10n.t("The file {0} is on the daemon's machine. This is what was read in it.", document.source);
  }
}
