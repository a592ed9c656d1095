/** Drafts and chosen options of each session, kept by the editor. */

import type { AskOptions, ChatHost, SavedState } from "../types";

/** Sessions beyond this lose their draft, the oldest first. */
const MOST = 30;

export class SavedStateStore {
  private readonly state: SavedState;

  constructor(private readonly host: Pick<ChatHost, "savedState" | "saveState">) {
    this.state = host.savedState() ?? { drafts: {}, options: {} };
  }

  draft(sessionId: string): string {
    return this.state.drafts[sessionId] ?? "";
  }

  setDraft(sessionId: string, text: string): void {
    put(this.state.drafts, sessionId, text === "" ? undefined : text);
    this.host.saveState(this.state);
  }

  options(sessionId: string): AskOptions {
    return this.state.options[sessionId] ?? {};
  }

  setOptions(sessionId: string, options: AskOptions): void {
    put(this.state.options, sessionId, options);
    this.host.saveState(this.state);
  }
}

function put<T>(record: Record<string, T>, key: string, value: T | undefined): void {
  Reflect.deleteProperty(record, key);
  if (value !== undefined) record[key] = value;
  for (const old of Object.keys(record).slice(0, -MOST)) Reflect.deleteProperty(record, old);
}
