/** The person's own tokens for cloud sources, in the editor's secret storage: one secret a source, the same for all windows. */

import type * as vscode from "vscode";

import type { SourceTokens } from "../../core/client/sourceTokens";
import { Emitter } from "../../core/common/events";

const PREFIX = "ragAssistant.sourceToken.";

type Secrets = Pick<vscode.SecretStorage, "keys" | "get" | "store" | "delete" | "onDidChange">;

export class EditorSourceTokens implements SourceTokens {
  private readonly changes = new Emitter<string>();
  /** Told with the source's id, also when another window has changed it. */
  readonly onDidChange = this.changes.event;
  private readonly listener: { dispose(): unknown };
  private known: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(private readonly secrets: Secrets) {
    this.listener = secrets.onDidChange(({ key }) => {
      if (key.startsWith(PREFIX)) this.forgetKnown(key.slice(PREFIX.length));
    });
  }

  async all(): Promise<ReadonlyMap<string, string>> {
    const reading = (this.known ??= this.read());
    try {
      return await reading;
    } catch (error) {
      // The next one tries again.
      if (this.known === reading) this.known = undefined;
      throw error;
    }
  }

  async store(sourceId: string, token: string): Promise<void> {
    await this.secrets.store(PREFIX + sourceId, token);
    this.forgetKnown(sourceId);
  }

  async forget(sourceId: string): Promise<void> {
    await this.secrets.delete(PREFIX + sourceId);
    this.forgetKnown(sourceId);
  }

  dispose(): void {
    this.listener.dispose();
    this.changes.dispose();
  }

  private forgetKnown(sourceId: string): void {
    this.known = undefined;
    this.changes.fire(sourceId);
  }

  private async read(): Promise<ReadonlyMap<string, string>> {
    const tokens = new Map<string, string>();
    for (const key of await this.secrets.keys()) {
      if (!key.startsWith(PREFIX)) continue;
      const token = await this.secrets.get(key);
      if (token) tokens.set(key.slice(PREFIX.length), token);
    }
    return tokens;
  }
}
