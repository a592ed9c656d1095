/** Files dropped onto the webview are added to the index. */

import * as l10n from "@vscode/l10n";

import type { ToExtension } from "../../../src/protocol/chat";
import { h } from "../../shared/dom";
import { icon } from "../../shared/icons";

/** Of all files of one drop: they pass through the memory of the editor. */
export const MOST_BYTES = 200 * 1024 * 1024;

const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];

export interface DropActions {
  enabled(): boolean;
  uris(uris: string[]): void;
  file(file: Pick<ToExtension["ingest.file"], "batch" | "index" | "count" | "name" | "bytes">): void;
  /** Something could not be taken; said to the user. */
  refuse(reason: string): void;
}

export class DropZone {
  readonly element = h(
    "section",
    { class: "drop-zone", "data-testid": "drop-zone", "aria-label": l10n.t("Drop files here"), hidden: true },
    h("div", { class: "drop-box" }, icon("upload"), h("p", {}, l10n.t("Drop files to add them to the index")), hint()),
  );

  constructor(private readonly actions: DropActions) {
    document.addEventListener("dragenter", (event) => this.over(event));
    document.addEventListener("dragover", (event) => this.over(event));
    document.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) this.element.hidden = true;
    });
    document.addEventListener("drop", (event) => {
      this.element.hidden = true;
      if (event.dataTransfer === null || !this.actions.enabled()) return;
      event.preventDefault();
      void this.take(event.dataTransfer).catch((error: unknown) => {
        this.actions.refuse(
          l10n.t("The files could not be read: {0}", error instanceof Error ? error.message : String(error)),
        );
      });
    });
  }

  private over(event: DragEvent): void {
    const types = event.dataTransfer?.types ?? [];
    if (!this.actions.enabled() || !types.some((type) => type === "Files" || URI_LISTS.includes(type))) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    this.element.hidden = false;
  }

  /** What the editor names by its place is better read there; only bytes from elsewhere are read here. */
  private async take(data: DataTransfer): Promise<void> {
    const uris = uriList(data);
    if (uris.length > 0) {
      this.actions.uris(uris);
      return;
    }
    const folders = [...data.items].filter(
      (item) => item.kind === "file" && item.webkitGetAsEntry()?.isDirectory === true,
    );
    const files = [...data.files];
    if (folders.length > 0) {
      this.actions.refuse(l10n.t("A folder can't be dropped from outside the editor. Use Add a Folder… instead."));
      return;
    }
    if (files.length === 0) return;
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    if (bytes > MOST_BYTES) {
      this.actions.refuse(
        l10n.t("These files are larger than 200 MB together. Use Add Files… instead, which has no such limit."),
      );
      return;
    }
    const batch = crypto.randomUUID();
    for (const [index, file] of files.entries()) {
      const content = new Uint8Array(await file.arrayBuffer());
      this.actions.file({ batch, index, count: files.length, name: file.name, bytes: content });
    }
  }
}

export function uriList(data: Pick<DataTransfer, "getData">): string[] {
  for (const type of URI_LISTS) {
    const lines = data.getData(type).split(/\r?\n/);
    const uris = lines.map((line) => line.trim()).filter((line) => /^(?:file|vscode-remote):/.test(line));
    if (uris.length > 0) return uris;
  }
  return [];
}

function hint(): HTMLElement {
  return h("p", { class: "quiet" }, l10n.t("Hold Shift to drop from the editor's explorer."));
}
