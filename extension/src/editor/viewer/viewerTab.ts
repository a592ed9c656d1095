/** One tab of the viewer: what it shows, and what its webview asks for. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { asRagError, isCancelled } from "../../core/common/errors";
import type { DaemonService } from "../../core/daemon/status";
import { isFileUri, isWebAddress } from "../../core/places/placeTarget";
import { OpenDocument } from "../../core/viewer/openDocument";
import type {
  DocumentTarget,
  Shown,
  ViewerMessageToExtension,
  ViewerMessageToWebview,
  ViewerTarget,
} from "../../protocol/viewer";
import { showFailure } from "../common/showFailure";
import { openLink } from "../webview/links";
import { webviewPage } from "../webview/page";
import { openOriginal } from "./originals";
import { answerAboutPicture, placeOfPicture } from "./pictureFacts";

/** Codes for a file that is no longer what was read; its indexed content is. */
const FILE_LOST = new Set(["DOCUMENT_VANISHED", "DOCUMENT_CHANGED", "FORBIDDEN_PATH"]);

export interface TabServices {
  daemon: DaemonService;
  log: vscode.LogOutputChannel;
  extensionUri: vscode.Uri;
  /** A picture in a tab of its own. */
  openImage(assetId: string, title: string): void;
  /** A document that shows a picture, in a tab of its own. */
  openPlace(target: DocumentTarget): void;
  /** Whether the file of a document is on this machine. */
  isHere(uri: string): Promise<boolean>;
}

export class ViewerTab implements vscode.Disposable {
  private target: ViewerTarget | undefined;
  private open: OpenDocument | undefined;
  /** What the webview shows now; said again when it was loaded anew. */
  private lastSent: ViewerMessageToWebview | undefined;
  private isReady = false;
  private isClosed = false;
  private loading = new AbortController();
  private readonly disposables: vscode.Disposable[] = [];

  constructor(
    readonly panel: vscode.WebviewPanel,
    private readonly services: TabServices,
  ) {
    panel.onDidDispose(() => this.dispose(), undefined, this.disposables);
    panel.webview.onDidReceiveMessage(
      (message: ViewerMessageToExtension) => this.receive(message),
      undefined,
      this.disposables,
    );
    panel.webview.html = webviewPage(panel.webview, services.extensionUri, "viewer", "RAG Assistant");
  }

  get shows(): ViewerTarget | undefined {
    return this.target;
  }

  async show(target: ViewerTarget): Promise<void> {
    this.loading.abort();
    const loading = (this.loading = new AbortController());
    this.target = target;
    this.open = undefined;
    this.panel.title = target.title;
    this.send({ type: "loading", target });
    try {
      const shown = target.kind === "image" ? imageShown(target) : (await this.load(target, loading.signal)).shown;
      if (loading.signal.aborted) return;
      this.panel.title = shown.title;
      this.send({ type: "shown", shown });
    } catch (error) {
      if (!loading.signal.aborted) this.fail(error);
    }
  }

  dispose(): void {
    this.isClosed = true;
    this.loading.abort();
    for (const disposable of this.disposables.splice(0)) disposable.dispose();
  }

  private async load(target: DocumentTarget, signal: AbortSignal): Promise<OpenDocument> {
    const client = await this.services.daemon.client();
    this.open = await OpenDocument.load(client, target, ({ source_uri }) => this.openLabel(source_uri), signal);
    return this.open;
  }

  private async openLabel(uri: string): Promise<string> {
    if (isWebAddress(uri)) return l10n.t("Open in Browser");
    return isFileUri(uri) && (await this.services.isHere(uri)) ? l10n.t("Open File") : "";
  }

  private receive(message: ViewerMessageToExtension): void {
    void this.handle(message).catch((error: unknown) => {
      if (!isCancelled(error) && !this.isClosed) showFailure(error, this.services.log);
    });
  }

  private async handle(message: ViewerMessageToExtension): Promise<void> {
    switch (message.type) {
      case "ready":
        this.isReady = true;
        this.post({ type: "init", text: vscode.l10n.bundle ?? {}, language: vscode.env.language });
        if (this.lastSent) this.post(this.lastSent);
        return;
      case "reload":
        if (this.target) await this.show(this.target);
        return;
      case "page.load":
        return this.sendPage(message.docId, message.page, message.width);
      case "page.text.load":
        return this.sendPageText(message.docId, message.page);
      case "thumbnail.load":
        return this.sendThumbnail(message.docId, message.page, message.width);
      case "outline.load":
        return this.sendOutline(message.docId);
      case "text.load":
        return this.sendText(message.docId);
      case "content.load": {
        const { docId, from, isInside } = message;
        const content = await this.opened(docId)?.part(from, isInside, this.loading.signal);
        if (content) this.post({ type: "content", docId, content });
        return;
      }
      case "image.load":
        return this.sendImage(message.assetId, message.variant);
      case "image.text.load":
        return this.sendImageText(message.assetId);
      case "image.open":
        this.services.openImage(message.assetId, message.title);
        return;
      case "picture.details":
      case "picture.again":
        return answerAboutPicture(
          () => this.services.daemon.client(),
          message,
          this.loading.signal,
          (answer) => this.post(answer),
        );
      case "picture.place":
        this.services.openPlace(placeOfPicture(message.docId, message.chunkId, message.title));
        return;
      case "picture.copy":
        await vscode.env.clipboard.writeText(message.text);
        return;
      case "original.open":
        if (this.open) await openOriginal(this.open.document);
        return;
      case "link.open":
        return openLink(message.href);
      case "passage.copy":
        if (this.open) await vscode.env.clipboard.writeText(await this.open.passage());
        return;
      case "webview.error":
        this.services.log.error(`Viewer: ${message.message}\n${message.stack}`);
        return;
    }
  }

  private async sendPage(docId: string, page: number, width: number): Promise<void> {
    const open = this.opened(docId);
    if (!open) return;
    const { loading } = this;
    const isStale = () => this.loading !== loading;
    try {
      const bytes = await open.page(page, width, loading.signal);
      if (isStale()) return;
      this.post({ type: "page", docId, page, width, bytes, problem: "" });
    } catch (error) {
      if (isStale()) return;
      const { code, message } = asRagError(error);
      if (FILE_LOST.has(code)) {
        this.open = await open.withoutPages(message, loading.signal);
        this.send({ type: "shown", shown: this.open.shown });
      } else this.post({ type: "page", docId, page, width, bytes: null, problem: message });
    }
  }

  private async sendPageText(docId: string, page: number): Promise<void> {
    const open = this.opened(docId);
    if (!open) return;
    const { loading } = this;
    try {
      const text = await open.pageText(page, loading.signal);
      if (this.loading === loading) this.post({ type: "page.text", docId, page, ...text });
    } catch (error) {
      // Why a page can't be shown is said in the place of its picture.
      this.logUnlessStale(loading, error, "The text of a page");
    }
  }

  private async sendThumbnail(docId: string, page: number, width: number): Promise<void> {
    const open = this.opened(docId);
    if (!open) return;
    const { loading } = this;
    let bytes: Uint8Array | null = null;
    try {
      bytes = await open.thumbnail(page, width, loading.signal);
    } catch (error) {
      this.logUnlessStale(loading, error, "A thumbnail");
    }
    if (this.loading === loading) this.post({ type: "thumbnail", docId, page, bytes });
  }

  private async sendOutline(docId: string): Promise<void> {
    const open = this.opened(docId);
    if (!open) return;
    try {
      this.post({ type: "outline", docId, entries: await open.outline(this.loading.signal) });
    } catch (error) {
      this.post({ type: "outline", docId, entries: null });
      throw error;
    }
  }

  private async sendText(docId: string): Promise<void> {
    const open = this.opened(docId);
    if (!open) return;
    try {
      this.post({ type: "text", docId, text: await open.text(this.loading.signal) });
    } catch (error) {
      this.post({ type: "text", docId, text: null });
      throw error;
    }
  }

  private logUnlessStale(loading: AbortController, error: unknown, what: string): void {
    if (this.loading === loading)
      this.services.log.warn(`Viewer: ${what} could not be had: ${asRagError(error).message}`);
  }

  private async sendImage(assetId: string, variant: "raw" | "thumb"): Promise<void> {
    try {
      const client = await this.services.daemon.client();
      const bytes = await client.asset(assetId, variant, this.loading.signal);
      this.post({ type: "image", assetId, variant, bytes, problem: "" });
    } catch (error) {
      if (isCancelled(error)) return;
      this.post({ type: "image", assetId, variant, bytes: null, problem: asRagError(error).message });
    }
  }

  private async sendImageText(assetId: string): Promise<void> {
    const { loading } = this;
    try {
      const client = await this.services.daemon.client();
      const { lines } = await client.assetDetails(assetId, loading.signal);
      const read = lines.map(({ text, bbox }) => ({ words: [{ text, box: bbox }] }));
      if (this.loading === loading) this.post({ type: "image.text", assetId, lines: read });
    } catch (error) {
      this.logUnlessStale(loading, error, "The text in a picture");
    }
  }

  /** The open document; undefined for a message about the one that was open before. */
  private opened(docId: string): OpenDocument | undefined {
    return this.open?.document.id === docId ? this.open : undefined;
  }

  private fail(error: unknown): void {
    const { code, message, advice } = asRagError(error);
    this.services.log.error(`Viewer: ${code}: ${message}`);
    this.send({ type: "failed", message, advice });
  }

  private send(message: ViewerMessageToWebview): void {
    this.lastSent = message;
    this.post(message);
  }

  private post(message: ViewerMessageToWebview): void {
    // Before the webview listens a message would be lost; once the tab is closed, there is no webview.
    if (this.isReady && !this.isClosed) void this.panel.webview.postMessage(message);
  }
}

function imageShown(target: Extract<ViewerTarget, { kind: "image" }>): Shown {
  const { assetId, title } = target;
  return {
    ...{ target, title, source: "", place: "", note: "", openLabel: "" },
    body: { kind: "picture", assetId, box: null, content: null },
  };
}
