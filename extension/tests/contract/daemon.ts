/** A real daemon for the contract of the transports: fake embeddings, documents and roots of its own. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Connection } from "../../src/core/client/connection";
import { daemonReady } from "../e2e/harness/daemon.ts";
import { SAMPLES, ragExecutable } from "../e2e/harness/paths.ts";
import { Program } from "../e2e/harness/processes.ts";

/** Longer than one answer of a tool, with characters of every width. */
export const LONG_TEXT = Array.from(
  { length: 900 },
  (_, line) => `Zeile ${line}: 再起動は不要です 🚀 naïve café, ${"x".repeat(line % 40)}\n`,
).join("");

export class ContractDaemon {
  private constructor(
    readonly folder: string,
    readonly connection: Connection,
    private readonly program: Program,
  ) {}

  /** `more` are variables of its environment: secrets, and hosts that sources may ask. */
  static async start(more: Record<string, string> = {}): Promise<ContractDaemon> {
    const folder = mkdtempSync(join(tmpdir(), "rag-contract-"));
    const [data, documents] = [join(folder, "data"), join(folder, "documents")];
    for (const name of ["operations", "guides", "papers", "presentations"]) {
      cpSync(join(SAMPLES, name), join(documents, name), { recursive: true });
    }
    writeFileSync(join(documents, "long.md"), `# Long\n\n${LONG_TEXT}`);
    mkdirSync(data);
    // Without the tests' own variables: `rag` takes every RAG_… for a setting.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("RAG_"));
    const settings = {
      RAG_DATA_DIR: data,
      RAG_MCP__ENABLED: "true",
      RAG_SECURITY__ALLOWED_ROOTS: JSON.stringify([documents]),
      RAG_EMBEDDING__PROVIDER: "fake",
      RAG_DENSE__BACKEND: "exact",
      RAG_SPARSE__BACKEND: "fts5",
      RAG_SPARSE__ANALYZER: "bigram",
    };
    const env = { ...Object.fromEntries(inherited), ...settings, ...more };
    const program = new Program(ragExecutable(), ["serve", "--port", "0"], env, folder);
    try {
      return new ContractDaemon(folder, await daemonReady(data), program);
    } catch (error) {
      await program.stop();
      throw new Error(program.output, { cause: error });
    }
  }

  /** A path below the folder that the daemon may read. */
  path(...names: string[]): string {
    return join(this.folder, "documents", ...names);
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
