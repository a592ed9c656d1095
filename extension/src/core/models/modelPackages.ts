/** The packages by which a daemon speaks to language models: not everybody needs them, so they are added with the first model. */

import * as l10n from "@vscode/l10n";

import { childEnvironment, runChild } from "../common/childProcess";
import { RagError } from "../common/errors";
import type { Log } from "../common/log";
import { masked, secretsOf } from "../common/masking";
import type { Machine } from "../daemon/directories";
import type { LocalServer, ServerSettings } from "../daemon/serverSpec";

const EXTRA = "llm";

export interface PackageContext {
  server: Pick<LocalServer, "command" | "env">;
  machine: Machine;
  settings: Pick<ServerSettings, "indexUrl" | "proxy">;
  log: Log;
}

/** Whether the daemon's environment has them. Throws the system's error when its program can't be run. */
export async function hasModelPackages(context: PackageContext, signal: AbortSignal): Promise<boolean> {
  const { code, output } = await run(context, ["extras", "list", "--json"], signal);
  if (code !== 0) return false;
  const rows = JSON.parse(output) as { name: string; state: string }[];
  return rows.some(({ name, state }) => name === EXTRA && state === "installed");
}

/** Installs them. Throws `RagError` SETUP_FAILED with what the installer said. */
export async function addModelPackages(context: PackageContext, signal: AbortSignal): Promise<void> {
  const { indexUrl } = context.settings;
  const index = indexUrl === "" ? [] : ["--index-url", indexUrl];
  const { code, errors } = await run(context, ["extras", "add", EXTRA, ...index], signal);
  if (code === 0) return;
  throw new RagError(
    "SETUP_FAILED",
    l10n.t("The packages for language models could not be installed. {0}", errors),
    l10n.t("Look into the log; then add the model again."),
  );
}

async function run(
  { server, machine, settings, log }: PackageContext,
  args: string[],
  signal: AbortSignal,
): Promise<{ code: number | null; output: string; errors: string }> {
  const secrets = secretsOf([settings.indexUrl, settings.proxy]);
  const output: string[] = [];
  const errors: string[] = [];
  const { code } = await runChild(server.command, args, {
    env: childEnvironment(machine.env, { ...server.env, PYTHONUNBUFFERED: "1" }),
    cwd: machine.home,
    signal,
    onStdout: (line) => output.push(line),
    onStderr: (line) => {
      const clean = masked(line, secrets);
      log.info(clean);
      if (clean.trim() !== "") errors.push(clean.trim());
    },
  });
  return { code, output: output.join("\n"), errors: errors.slice(-3).join(" ") };
}
