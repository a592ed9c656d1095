/** Drafts and chosen options of each session, kept by the editor. */

import type { AskOptions, ChatHost, Kept } from "../types";

/** Sessions beyond this lose their draft, the oldest first. */
const MOST = 30;

export class KeptState {
  private readonly state: Kept;

  constructor(private readonly host: Pick<ChatHost, "kept" | "keep">) {
    this.state = host.kept() ?? { drafts: {}, options: {} };
  }

  draft(sessionId: string): string {
    return this.state.drafts[sessionId] ?? "";
  }

  setDraft(sessionId: string, text: string): void {
    put(this.state.drafts, sessionId, text === "" ? undefined : text);
    this.host.keep(this.state);
  }

  options(sessionId: string): AskOptions {
    return this.state.options[sessionId] ?? {};
  }

  setOptions(sessionId: string, options: AskOptions): void {
    put(this.state.options, sessionId, options);
    this.host.keep(this.state);
  }
}

function put<T>(record: Record<string, T>, key: string, value: T | undefined): void {
  Reflect.deleteProperty(record, key);
  if (value !== undefined) record[key] = value;
  for (const old of Object.keys(record).slice(0, -MOST)) Reflect.deleteProperty(record, old);
}
