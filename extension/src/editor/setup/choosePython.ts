/** Lets the user choose the Python that the daemon's environment is made from. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import { type EditorPythons, listPythons } from "../../core/setup/findPython";
import { thisMachine } from "../daemon/settings";

interface PythonItem extends vscode.QuickPickItem {
  /** What to write into the setting; undefined clears it. */
  path?: string | undefined;
  does: "use" | "browse" | "clear";
}

export async function choosePython(fromEditor: EditorPythons): Promise<void> {
  const picked = await pick(fromEditor);
  if (picked === undefined) return;
  const path = picked.does === "browse" ? await browse() : picked.path;
  if (path === undefined && picked.does !== "clear") return;
  await vscode.workspace
    .getConfiguration("ragAssistant")
    .update("python.path", path, vscode.ConfigurationTarget.Global);
}

/** The list opens at once and fills when all have answered. */
async function pick(fromEditor: EditorPythons): Promise<PythonItem | undefined> {
  const list = vscode.window.createQuickPick<PythonItem>();
  const closed = new AbortController();
  list.title = l10n.t("Python for the RAG Assistant daemon");
  list.placeholder = l10n.t("Looking for Python");
  list.matchOnDescription = true;
  list.busy = true;
  const others: PythonItem[] = [
    { label: `$(folder-opened) ${l10n.t("Browse…")}`, does: "browse", alwaysShow: true },
    { label: `$(search) ${l10n.t("Look for one automatically")}`, does: "clear", alwaysShow: true },
  ];
  list.items = others;
  const chosen = new Promise<PythonItem | undefined>((resolve) => {
    list.onDidAccept(() => resolve(list.selectedItems[0]));
    list.onDidHide(() => resolve(undefined));
  });
  list.show();
  listPythons(fromEditor, thisMachine(), closed.signal)
    .then((pythons) => {
      const items = pythons.map((python): PythonItem => {
        const icon = python.problem === undefined ? "$(check)" : "$(circle-slash)";
        const item: PythonItem = {
          label: `${icon} Python ${python.version}`,
          description: python.executable,
          path: python.executable,
          does: "use",
        };
        return python.problem === undefined ? item : { ...item, detail: python.problem };
      });
      list.items = [...items, ...others];
      list.placeholder = items.length > 0 ? l10n.t("Choose a Python") : l10n.t("No Python was found");
    })
    .catch((error: unknown) => {
      if (!closed.signal.aborted) list.placeholder = String(error);
    })
    .finally(() => (list.busy = false));
  try {
    return await chosen;
  } finally {
    closed.abort();
    list.dispose();
  }
}

async function browse(): Promise<string | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({ canSelectMany: false, openLabel: l10n.t("Use this Python") })) ?? [];
  return file?.fsPath;
}
