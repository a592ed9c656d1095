/** Dropped files, of which the webview has only bytes: they come one by one, and are sent to the daemon together. */

import * as l10n from "@vscode/l10n";

import type { ToExtension } from "../../protocol/chat";
import type { UploadFile } from "../client/daemonClient";
import { RagError } from "../common/errors";

export const MOST_BYTES = 200 * 1024 * 1024;

interface Batch {
  count: number;
  files: Map<number, UploadFile>;
}

export class UploadBatches {
  private readonly batches = new Map<string, Batch>();
  private bytes = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {}

  /**
   * All files of the batch with its last one, else undefined. Throws `RagError` PAYLOAD_TOO_LARGE when more has come than is
   * held in memory; the batch is then dropped.
   */
  add({ batch: id, index, count, name, bytes }: ToExtension["ingest.file"]): UploadFile[] | undefined {
    const batch = this.batches.get(id) ?? { count, files: new Map<number, UploadFile>() };
    this.batches.set(id, batch);
    if (count !== batch.count || index >= count || batch.files.has(index)) {
      this.drop(id);
      throw new RagError("VALIDATION_ERROR", l10n.t("The files came in a wrong order. Drop them again."));
    }
    if (this.bytes + bytes.byteLength > this.mostBytes) {
      this.drop(id);
      const limit = Math.round(this.mostBytes / 1024 / 1024);
      throw new RagError(
        "PAYLOAD_TOO_LARGE",
        l10n.t("These files are larger than {0} MB together.", limit),
        l10n.t("Choose them with the buttons for files and folders instead: then the daemon reads them itself."),
      );
    }
    batch.files.set(index, { name, bytes });
    this.bytes += bytes.byteLength;
    if (batch.files.size < count) return undefined;
    const files = [...batch.files].sort(([a], [b]) => a - b).map(([, file]) => file);
    this.drop(id);
    return files;
  }

  names(id: string): string[] {
    return [...(this.batches.get(id)?.files.values() ?? [])].map(({ name }) => name);
  }

  drop(id: string): void {
    for (const { bytes } of this.batches.get(id)?.files.values() ?? []) this.bytes -= bytes.byteLength;
    this.batches.delete(id);
  }

  /** A webview that was loaded anew does not send the rest. Returns the ids of what is dropped. */
  dropAll(): string[] {
    const ids = [...this.batches.keys()];
    for (const id of ids) this.drop(id);
    return ids;
  }
}
