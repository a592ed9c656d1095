/** Interpreters that other extensions of this editor know of. */

import * as vscode from "vscode";

import type { Candidate } from "../../core/setup/pythons";

const ANSWER_LIMIT_MS = 10_000;

/** What we use of the API of `ms-python.vscode-python-envs`. */
interface EnvironmentsApi {
  getEnvironments(
    scope: "all" | "global",
  ): Promise<{ execInfo?: { run?: { executable?: string; args?: string[] } } }[]>;
}

/** What we use of the API of `ms-python.python`. */
interface PythonApi {
  environments?: { known: readonly { executable: { uri?: vscode.Uri } }[] };
}

export async function editorPythons(log: vscode.LogOutputChannel, signal: AbortSignal): Promise<Candidate[]> {
  const found = [
    ...(await asked("ms-python.vscode-python-envs", log, signal, async (api) => {
      const environments = await (api as EnvironmentsApi).getEnvironments("global");
      return environments.flatMap(({ execInfo }): Candidate[] => {
        const { executable, args = [] } = execInfo?.run ?? {};
        return executable ? [{ command: [executable, ...args], source: "environments" }] : [];
      });
    })),
    ...(await asked("ms-python.python", log, signal, (api) => {
      const known = (api as PythonApi).environments?.known ?? [];
      const paths = known.flatMap(({ executable }) =>
        executable.uri?.scheme === "file" ? [executable.uri.fsPath] : [],
      );
      return Promise.resolve(paths.map((path): Candidate => ({ command: [path], source: "extension" })));
    })),
  ];
  return found.filter(({ command: [program] }) => !isInWorkspace(program));
}

/** A folder of the workspace could hold any program under this name, and is no lasting place to stand on. */
function isInWorkspace(program: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(program)) !== undefined;
}

/** What one extension says; nothing where it is not installed, or fails: that is no reason to fail too. */
async function asked(
  id: string,
  log: vscode.LogOutputChannel,
  signal: AbortSignal,
  ask: (api: unknown) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  const extension = vscode.extensions.getExtension<unknown>(id);
  if (extension === undefined) return [];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
  const outOfTime = new Promise<never>((_, reject) =>
    limit.addEventListener("abort", () => reject(limit.reason as Error), { once: true }),
  );
  try {
    const api = await Promise.race([extension.activate(), outOfTime]);
    return api === undefined ? [] : await Promise.race([ask(api), outOfTime]);
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`${id} gave no list of Pythons: ${String(error)}`);
    return [];
  }
}
