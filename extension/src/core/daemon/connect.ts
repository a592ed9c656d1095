/** From a server as a value to one that answers: found, or replaced because it is too old, or started. */

import * as l10n from "@vscode/l10n";

import type { Status } from "../api/types";
import { DaemonClient } from "../client/daemonClient";
import { pause } from "../common/delay";
import { type RagError, asRagError } from "../common/errors";
import { masked } from "../common/masking";
import { compareVersions } from "../common/versions";
import { ProblemError } from "../problems/problem";
import type { ConnectContext, Connected, ConnectReports, UsableServer } from "./connectContext";
import { readDaemonInfo } from "./daemonInfo";
import { type DaemonProgram, type Exit, startDaemon, versionOf } from "./daemonProcess";
import { cannotRun, mcpMissing, startProblem, tokenRefused, unanswering, unreachable } from "./problems";
import { type LocalServer, isLocal, isUnprotected } from "./serverSpec";
import { StartClaim } from "./startClaim";
import { stopDaemon } from "./stopDaemon";

const ANSWER_LIMIT_MS = 6_000;
const LOOK_EVERY_MS = 100;
/** A daemon that lives but does not answer for so long hangs; under load, answers may take seconds. */
const PATIENCE_MS = 11_000;

/** Throws `ProblemError`, or the signal's reason. */
export function connect(
  spec: UsableServer,
  context: ConnectContext,
  reports: ConnectReports,
  signal: AbortSignal,
): Promise<Connected> {
  return spec.kind === "url"
    ? connectToUrl(spec, context, reports, signal)
    : new LocalConnection(spec, context, reports, signal).run();
}

async function connectToUrl(
  spec: UsableServer & { kind: "url" },
  { sourceTokens }: Pick<ConnectContext, "sourceTokens">,
  reports: ConnectReports,
  signal: AbortSignal,
): Promise<Connected> {
  reports.starting(l10n.t("Connecting to {0}", spec.url));
  const client = new DaemonClient({ url: spec.url, token: spec.token }, sourceTokens, spec.transport);
  const status = await ask(client, signal);
  if ("version" in status) {
    checkTransport(spec, status);
    return { client, version: status.version };
  }
  if (status.code === "UNAUTHORIZED") {
    throw new ProblemError(tokenRefused(spec.url, spec.token !== "", isUnprotected(spec.url)));
  }
  throw new ProblemError(unreachable(spec.url, status.message), true);
}

class LocalConnection {
  private readonly patience: number;
  private readonly claim: StartClaim;
  private program: DaemonProgram | undefined;
  private replaced = false;
  /** When a live daemon was first seen not to answer. */
  private silentSince: number | undefined;

  constructor(
    private readonly server: LocalServer,
    private readonly context: ConnectContext,
    private readonly reports: ConnectReports,
    private readonly signal: AbortSignal,
  ) {
    this.claim = new StartClaim(context.claimFile);
    this.patience = context.patience ?? PATIENCE_MS;
  }

  async run(): Promise<Connected> {
    try {
      for (;;) {
        this.signal.throwIfAborted();
        const connected = await this.attach();
        if (connected !== undefined) return connected;
        await this.goOn();
        await pause(LOOK_EVERY_MS, this.signal);
      }
    } finally {
      this.claim.release();
    }
  }

  /** The daemon that runs, if there is one that answers and is new enough. */
  private async attach(): Promise<Connected | undefined> {
    const info = await readDaemonInfo(this.server.dataDir);
    if (info?.connection === undefined) {
      // One that was silent because it stopped is gone: another is to be started.
      this.silentSince = undefined;
      return undefined;
    }
    const client = new DaemonClient(info.connection, this.context.sourceTokens, this.server.transport);
    const status = await ask(client, this.signal);
    if (!("version" in status)) {
      this.silentSince ??= performance.now();
      const seconds = Math.round((performance.now() - this.silentSince) / 1000);
      if (performance.now() - this.silentSince > this.patience) throw new ProblemError(unanswering(info.pid), true);
      this.reports.silent(l10n.t("Waiting for the daemon to answer ({0} s)", seconds));
      return undefined;
    }
    this.silentSince = undefined;
    if (!this.replaced && (await this.isTooOld(status.version))) {
      this.context.log.info(`The daemon ${info.pid} is of version ${status.version}: replacing it.`);
      this.reports.starting(l10n.t("Replacing the daemon of version {0}", status.version));
      await stopDaemon(info, this.server.dataDir, this.signal);
      this.replaced = true;
      this.reports.replaced(status.version);
      return undefined;
    }
    checkTransport(this.server, status);
    return { client, version: status.version, pid: info.pid };
  }

  /** No daemon answers yet: start one, or look how the one that was started does. */
  private async goOn(): Promise<void> {
    if (this.silentSince !== undefined) return;
    if (this.program !== undefined) {
      if (this.program.exit !== undefined) {
        this.ended(this.program, this.program.exit);
        return;
      }
      const output = masked(this.program.tail()).split("\n").at(-1);
      this.reports.starting(output || l10n.t("Opening the model and the indexes"));
      return;
    }
    const owner = await readDaemonInfo(this.server.dataDir);
    if (owner === undefined && this.claim.take()) await this.start();
    else if (owner === undefined) this.reports.starting(l10n.t("Waiting for another window, which starts the daemon"));
    else this.reports.starting(l10n.t("Waiting for process {0}, which has the data directory open", owner.pid));
  }

  private async start(): Promise<void> {
    this.reports.starting(l10n.t("Starting the daemon"));
    try {
      this.program = await startDaemon(this.server, this.context.machine, this.context.logFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      throw new ProblemError(cannotRun(this.server.command, error as NodeJS.ErrnoException));
    }
    this.reports.started(this.program.pid);
    this.context.log.info(
      `Started ${this.server.command} serve as process ${this.program.pid}; it prints to ${this.context.logFile}.`,
    );
  }

  private ended(program: DaemonProgram, exit: Exit): void {
    this.program = undefined;
    const output = masked(program.tail());
    this.context.log.info(
      `Process ${program.pid} ended with ${exit.signal ?? exit.code ?? "nothing"}.${output ? ` It printed:\n${output}` : ""}`,
    );
    // Another window, or a command, came first (wait for its daemon, or its end), or it was told to stop while it opened.
    if (exit.code === ALREADY_RUNNING || exit.code === 0) return;
    throw new ProblemError(
      startProblem(exit.code, exit.signal, lastParagraph(output)),
      !WITHOUT_RETRY.has(exit.code ?? 0),
    );
  }

  private async isTooOld(version: string): Promise<boolean> {
    if (compareVersions(version, this.context.bundledVersion) >= 0) return false;
    // A given program may be older than ours by intent: only its own version counts.
    const { command, env, version: known } = this.server;
    const wanted = known ?? (await versionOf(command, env, this.context.machine, this.signal));
    return wanted !== undefined && compareVersions(version, wanted) < 0;
  }
}

const ALREADY_RUNNING = 4;
/** Wrong settings, no model: another start would end the same. */
const WITHOUT_RETRY = new Set([2, 3]);

/** What a server says of itself, or why it says nothing. */
async function ask(client: DaemonClient, signal: AbortSignal): Promise<Status | RagError> {
  try {
    return await client.status(AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]));
  } catch (error) {
    signal.throwIfAborted();
    return asRagError(error, "DAEMON_UNREACHABLE");
  }
}

/** Never falls back to REST by itself: who chose MCP would not know by which transport the answers come. */
function checkTransport(server: UsableServer, { mcp, mcp_forbidden }: Pick<Status, "mcp" | "mcp_forbidden">): void {
  if (server.transport === "rest" || mcp) return;
  throw new ProblemError(mcpMissing(isLocal(server), mcp_forbidden ?? undefined));
}

/** What a program said in the end, without the lines of progress before it. */
function lastParagraph(text: string): string {
  return text.split("\n").slice(-3).join("\n").slice(-600);
}
