/** The editor's cancellation tokens and the platform's abort signals, each as the other. */

import * as vscode from "vscode";

interface Ending {
  dispose: () => void;
}

export function signalOf(token: vscode.CancellationToken): AbortSignal & Ending {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const listener = token.onCancellationRequested(() => controller.abort());
  return Object.assign(controller.signal, { dispose: () => void listener.dispose() });
}

export function tokenOf(signal: AbortSignal): Ending & { token: vscode.CancellationToken } {
  const source = new vscode.CancellationTokenSource();
  const stop = () => source.cancel();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return {
    token: source.token,
    dispose: () => {
      signal.removeEventListener("abort", stop);
      source.dispose();
    },
  };
}
