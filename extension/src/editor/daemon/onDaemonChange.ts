/** When the trees are read again: at once when the daemon comes or goes, and soon after something has changed in it. */

import * as vscode from "vscode";

import type { DaemonService } from "../../core/daemon/status";

/** An ingestion changes things many times a second. */
const PAUSE_MS = 1000;

export function onDaemonChange(daemon: DaemonService, refresh: () => void): vscode.Disposable {
  let seen = daemon.live?.changes;
  let timer: NodeJS.Timeout | undefined;
  return vscode.Disposable.from(
    daemon.onDidChangeStatus(refresh),
    daemon.onDidChangeLive(({ changes }) => {
      if (changes === seen) return;
      seen = changes;
      timer ??= setTimeout(() => {
        timer = undefined;
        refresh();
      }, PAUSE_MS);
    }),
    { dispose: () => clearTimeout(timer) },
  );
}
