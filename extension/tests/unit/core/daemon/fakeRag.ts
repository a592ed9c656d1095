/** A stand-in for `rag`: a program that owns a data directory and answers like the daemon, as the test tells it. */

import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

import type { Log } from "../../../../src/core/common/log";
import type { ConnectContext } from "../../../../src/core/daemon/connectContext";
import { isAlive } from "../../../../src/core/daemon/daemonInfo";
import type { LocalServer, ServerSpec } from "../../../../src/core/daemon/serverSpec";
import type { DaemonStatus } from "../../../../src/core/daemon/status";
import { StopMark } from "../../../../src/core/daemon/stopMark";
import { Supervisor } from "../../../../src/core/daemon/supervisor";

/** What the next started daemon does. */
export interface Behaviour {
  version?: string;
  /** It ends at once like this. */
  fails?: { code: number; says: string };
  /** Until then `daemon.json` tells no address. */
  opensAfterMs?: number;
  /** It has no `/api/stop`, as an older one. */
  hasStop?: boolean;
  /** It has no `/api/events`. */
  hasEvents?: boolean;
  /** The policy that keeps MCP off, in its words. */
  forbidden?: string;
}

const SCRIPT = `#!${process.execPath}
const fs = require("node:fs"), http = require("node:http"), path = require("node:path");
const behaviour = JSON.parse(fs.readFileSync(path.join(__dirname, "behaviour.json"), "utf8"));
const { version = "0.1.0", fails, opensAfterMs = 0, hasStop = true, hasEvents = true, forbidden = null } = behaviour;
if (process.argv[2] === "--version") { console.log("rag " + version); process.exit(0); }
const data = process.env.RAG_DATA_DIR, file = path.join(data, "daemon.json");
fs.mkdirSync(data, { recursive: true });
fs.appendFileSync(path.join(data, "starts"), process.argv.slice(2).join(" ") + "\\n");
if (fails) { console.error(fails.says); process.exit(fails.code); }
try { fs.writeFileSync(path.join(data, "lock"), String(process.pid), { flag: "wx" }); } catch {
  let owner = Number(fs.readFileSync(path.join(data, "lock"), "utf8"));
  let lives = true;
  try { process.kill(owner, 0); } catch { lives = false; }
  if (lives) { console.error("in use"); process.exit(4); }
  fs.writeFileSync(path.join(data, "lock"), String(process.pid));
}
const publish = (more) => { fs.writeFileSync(file + ".new", JSON.stringify({ pid: process.pid, version, ...more })); fs.renameSync(file + ".new", file); };
const stop = () => { fs.rmSync(file); fs.rmSync(path.join(data, "lock")); process.exit(0); };
process.on("SIGTERM", stop);
publish({});
// None outlives its test for long, whatever becomes of the test.
setTimeout(() => process.exit(1), 120_000);
const token = "token-" + process.pid;
const server = http.createServer((request, response) => {
  const answer = (status, value) => { response.writeHead(status, { "Content-Type": "application/json" }); response.end(JSON.stringify(value)); };
  const fail = (status, code) => answer(status, { error: { code, message: code, request_id: "r" } });
  if (request.headers.authorization !== "Bearer " + token) return fail(401, "UNAUTHORIZED");
  if (request.url === "/api/status") return answer(200, { version, mcp: process.env.RAG_MCP__ENABLED === "true" && forbidden === null, mcp_forbidden: forbidden });
  if (request.url === "/api/health") return answer(200, {});
  if (request.url === "/api/stop" && hasStop) { answer(202, { stopping: true }); return setTimeout(stop, 20); }
  if (request.url !== "/api/events" || !hasEvents) return fail(404, "NOT_FOUND");
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write('event: state\\ndata: ' + JSON.stringify({ version, counts: {}, failed_documents: 0, jobs: [], changes: "1" }) + "\\n\\n");
});
setTimeout(() => server.listen(0, "127.0.0.1", () => publish({ url: "http://127.0.0.1:" + server.address().port, token })), opensAfterMs);
`;

export class FakeRag {
  readonly folder = mkdtempSync(path.join(tmpdir(), "rag-daemon-"));
  readonly dataDir = path.join(this.folder, "data");
  readonly lines: string[] = [];
  private readonly windows: Supervisor[] = [];

  constructor(behaviour: Behaviour = {}) {
    this.behave(behaviour);
    writeFileSync(this.server.command, SCRIPT);
    chmodSync(this.server.command, 0o755);
  }

  get server(): LocalServer {
    return {
      kind: "managed",
      command: path.join(this.folder, "rag"),
      env: {},
      dataDir: this.dataDir,
      version: "0.1.0",
      transport: "rest",
    };
  }

  behave(behaviour: Behaviour): void {
    writeFileSync(path.join(this.folder, "behaviour.json"), JSON.stringify(behaviour));
  }

  /** The arguments of each start so far. */
  get starts(): string[] {
    const file = path.join(this.dataDir, "starts");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  get info(): { pid: number; url?: string; token?: string } {
    return JSON.parse(readFileSync(path.join(this.dataDir, "daemon.json"), "utf8")) as { pid: number };
  }

  /** A window of an editor that uses this daemon, or what `resolve` says. */
  window(resolve: () => ServerSpec = () => this.server): Supervisor {
    const keep = (line: string): void => void this.lines.push(line);
    const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
    const context: ConnectContext = {
      machine: {
        platform: process.platform,
        env: { ...process.env, RAG_DATA_DIR: this.dataDir },
        home: homedir(),
        cwd: this.folder,
      },
      logFile: path.join(this.folder, "logs", "daemon.log"),
      log,
      claimFile: path.join(this.folder, "starting"),
      bundledVersion: "0.1.0",
      patience: 1_000,
    };
    const stopMark = new StopMark(path.join(this.folder, "stopped"));
    const window = new Supervisor({
      ...context,
      resolve: () => Promise.resolve().then(resolve),
      stopMark,
      delayAfter: (failures) => 20 * failures,
    });
    this.windows.push(window);
    return window;
  }

  /** Closes all windows and ends what runs. */
  async close(): Promise<void> {
    await Promise.all(this.windows.map((window) => window.dispose()));
    const file = path.join(this.dataDir, "daemon.json");
    if (existsSync(file) && isAlive(this.info.pid)) process.kill(this.info.pid, "SIGKILL");
  }
}

/** Waits for a window to come to a status, with a bound. */
export async function comesTo<Kind extends DaemonStatus["kind"]>(
  window: Supervisor,
  kind: Kind,
): Promise<DaemonStatus & { kind: Kind }> {
  const end = performance.now() + 20_000;
  while (window.status.kind !== kind) {
    if (performance.now() > end) throw new Error(`It never came to ${kind}, but is ${JSON.stringify(window.status)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return window.status as DaemonStatus & { kind: Kind };
}
