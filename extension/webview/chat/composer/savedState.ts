/** Drafts and chosen options of each session, kept by the editor. */

import type { AskOptions, ChatHost, SavedState, Session } from "../types";

/** Sessions beyond this lose their draft, the oldest first. */
const MOST = 30;
/** A chat without a question has another id after each reload of the window. */
const NEW = "";

type Which = Pick<Session, "id" | "messages">;

export class SavedStateStore {
  private readonly state: SavedState;

  constructor(private readonly host: Pick<ChatHost, "savedState" | "saveState">) {
    this.state = host.savedState() ?? { drafts: {}, options: {} };
  }

  shown({ id, messages }: Which): void {
    const session = messages.length === 0 ? undefined : id;
    if (session === this.state.session) return;
    if (session === undefined) delete this.state.session;
    else this.state.session = session;
    this.host.saveState(this.state);
  }

  draft(session: Which): string {
    return this.state.drafts[keyOf(session)] ?? "";
  }

  setDraft(session: Which, text: string): void {
    put(this.state.drafts, keyOf(session), text === "" ? undefined : text);
    this.host.saveState(this.state);
  }

  options(session: Which): AskOptions {
    return this.state.options[keyOf(session)] ?? {};
  }

  setOptions(session: Which, options: AskOptions): void {
    put(this.state.options, keyOf(session), options);
    this.host.saveState(this.state);
  }

  /** The new chat has its first question: what was kept for it is kept for this session from now on. */
  began(sessionId: string): void {
    put(this.state.options, sessionId, this.state.options[NEW]);
    put(this.state.options, NEW, undefined);
    put(this.state.drafts, sessionId, this.state.drafts[NEW]);
    put(this.state.drafts, NEW, undefined);
    this.host.saveState(this.state);
  }
}

function keyOf({ id, messages }: Which): string {
  return messages.length === 0 ? NEW : id;
}

function put<T>(record: Record<string, T>, key: string, value: T | undefined): void {
  Reflect.deleteProperty(record, key);
  if (value !== undefined) record[key] = value;
  for (const old of Object.keys(record).slice(0, -MOST)) Reflect.deleteProperty(record, old);
}
