/** The conversations of this window: one is shown, any of them may be answered to. */

import { randomUUID } from "node:crypto";

import * as l10n from "@vscode/l10n";

import type { MessageToWebview } from "../../protocol/chat";
import type { AskOptions, AssistantMessage, Session } from "../../protocol/session";
import { RagError } from "../common/errors";
import type { Log } from "../common/log";
import {
  ask,
  isRunning,
  newSession,
  pinned,
  renamed,
  retry,
  withMessage,
  type Asked,
} from "../sessions/sessionChanges";
import { fold } from "../sessions/sessionSearch";
import { stepsBetween } from "../sessions/sessionSteps";
import { BEAT_MS, SILENT_MS, type SessionStore } from "../sessions/sessionStore";
import { historyOf } from "../sessions/sessionText";
import type { AnswerProvider } from "./answerProvider";
import { AnswerRun } from "./answerRun";

/** Which session was shown last, beyond a reload of the window. */
export interface Remembered {
  get(): string | undefined;
  set(id: string | undefined): void;
  /** Whether another window or tab may be answering in it. */
  isLive?: boolean;
}

const now = () => new Date().toISOString();

export class Conversations {
  private shown = randomUUID() as string;
  /** The one that is shown, and those that are being answered to: what is in memory counts more than the file. */
  private readonly open = new Map<string, Session>([[this.shown, newSession(this.shown, now())]]);
  private readonly runs = new Map<string, AnswerRun>();
  private restored: Promise<void> | undefined;
  private shows = 0;
  private searches = 0;
  private silence: { isOver: boolean; timer: NodeJS.Timeout } | undefined;

  constructor(
    private readonly store: SessionStore,
    private readonly answers: AnswerProvider,
    private readonly send: (message: MessageToWebview) => void,
    private readonly remembered: Remembered,
    private readonly log: Log,
  ) {}

  /** Shows the session that was shown last; once. */
  restore(): Promise<void> {
    this.restored ??= this.loadRemembered();
    return this.restored;
  }

  /** What is shown, for a webview that draws it whole. */
  whole(): Session {
    this.runs.get(this.shown)?.sentWhole();
    return this.current();
  }

  /** What is shown. */
  current(): Session {
    const session = this.open.get(this.shown);
    if (!session) throw new Error(`The session ${this.shown} is shown but not open.`);
    return session;
  }

  /** Resolves when the answer has ended. Throws `RagError` when it can't begin. */
  async ask(sessionId: string, text: string, options: AskOptions, replaces: string | undefined): Promise<void> {
    const ids = { questionId: randomUUID(), answerId: randomUUID(), at: now() };
    await this.begin(sessionId, (session) => ask(session, { ...ids, text, options, replaces }));
  }

  async retry(sessionId: string, messageId: string, options: AskOptions): Promise<void> {
    const ids = { answerId: randomUUID(), at: now() };
    await this.begin(sessionId, (session) => retry(session, { ...ids, messageId, options }));
  }

  /** What has come of the answer stays. */
  async stop(sessionId: string): Promise<void> {
    const run = this.runs.get(sessionId);
    if (!run && this.open.get(sessionId)?.messages.some(isRunning)) throw answeredElsewhere();
    await this.end(run);
  }

  private async end(run: AnswerRun | undefined): Promise<void> {
    run?.stop();
    await run?.ended;
  }

  startNew(): void {
    const session = this.current();
    this.display(session.messages.length > 0 ? newSession(randomUUID(), now()) : session);
  }

  async show(id: string): Promise<void> {
    this.shows += 1;
    const mine = this.shows;
    const session = this.runs.has(id) ? this.open.get(id) : await this.store.loadLive(id);
    // Somebody clicks faster than the disk reads: the last click counts.
    if (mine !== this.shows) return;
    if (!session) throw gone();
    this.display(session);
  }

  /** Shows what another window or tab has made of the session that is shown here. */
  async refresh(): Promise<void> {
    const id = this.shown;
    if (this.runs.has(id)) return;
    if (this.store.isGone(id)) {
      this.display(newSession(randomUUID(), now()));
      this.send({ type: "note", text: l10n.t("The chat was deleted in another window or tab.") });
    } else if (this.store.changedElsewhere(id) || this.silence?.isOver === true) await this.catchUp(id);
  }

  private async catchUp(id: string): Promise<void> {
    const session = await this.store.loadLive(id);
    const before = this.open.get(id);
    if (!session || !before || this.runs.has(id) || this.shown !== id) return;
    this.open.set(id, session);
    this.expectMore(session);
    for (const step of stepsBetween(before, session)) this.send(step);
  }

  /** An answer that is written elsewhere has ended, too, when its writer is silent for too long. */
  private expectMore(session: Session): void {
    clearTimeout(this.silence?.timer);
    this.silence = undefined;
    if (this.runs.has(session.id) || !session.messages.some(isRunning)) return;
    const over = () => {
      silence.isOver = true;
      this.refresh().catch((error: unknown) => this.log.error(`A chat could not be read again: ${String(error)}`));
    };
    const silence = { isOver: false, timer: setTimeout(over, SILENT_MS) };
    this.silence = silence;
  }

  async rename(id: string, title: string): Promise<void> {
    const session = renamed(await this.get(id), title);
    this.update(session);
    this.sendIfShown(id, { type: "session.title", sessionId: id, title: session.title });
    await this.store.flush(id);
  }

  async pin(id: string, isPinned: boolean): Promise<void> {
    this.update(pinned(await this.get(id), isPinned));
    await this.store.flush(id);
  }

  async delete(id: string): Promise<void> {
    await this.end(this.runs.get(id));
    await this.store.delete(id);
    if (this.shown === id) this.display(newSession(randomUUID(), now()));
  }

  /** First questions of chats that hold a text, the latest first. */
  async asked(text: string): Promise<string[]> {
    const sought = fold(text);
    const titles = (await this.store.rows()).map(({ title }) => title).filter((title) => fold(title).includes(sought));
    return [...new Set(titles)];
  }

  async search(text: string): Promise<void> {
    this.searches += 1;
    const mine = this.searches;
    const rows = await this.store.search(text);
    if (mine === this.searches) this.send({ type: "sessions", text, rows });
  }

  /** A session as this window knows it, else as it is on disk. Throws `RagError` SESSION_GONE. */
  async get(id: string): Promise<Session> {
    if (id === this.shown) await this.refresh();
    const session = this.open.get(id) ?? (await this.store.loadLive(id));
    if (!session) throw gone();
    return session;
  }

  /** Puts a changed session in the place of the one with its id, and keeps it. */
  update(session: Session): void {
    if (this.open.has(session.id)) this.open.set(session.id, session);
    this.store.save(session);
  }

  /** Ends all answers and writes everything. */
  async close(): Promise<void> {
    clearTimeout(this.silence?.timer);
    await Promise.all([...this.runs.values()].map((run) => this.end(run)));
    await this.store.flush();
  }

  private async loadRemembered(): Promise<void> {
    const id = this.remembered.get();
    const { isLive } = this.remembered;
    const session = id === undefined ? undefined : await (isLive ? this.store.loadLive(id) : this.store.load(id));
    // Somebody may have begun to ask, or opened another one, in the meantime.
    if (session && this.shows === 0 && this.current().messages.length === 0) this.take(session);
  }

  private display(session: Session): void {
    this.take(session);
    this.sendWhole();
  }

  private take(session: Session): void {
    this.shows += 1;
    if (!this.runs.has(this.shown)) this.open.delete(this.shown);
    this.shown = session.id;
    this.open.set(session.id, session);
    this.expectMore(session);
    this.remembered.set(session.messages.length > 0 ? session.id : undefined);
  }

  private sendWhole(): void {
    this.send({ type: "session", session: this.whole() });
  }

  /** The webview draws one session; of another it learns when it is shown. */
  private sendIfShown(sessionId: string, message: MessageToWebview): void {
    if (sessionId === this.shown) this.send(message);
  }

  private async begin(sessionId: string, change: (session: Session) => Asked): Promise<void> {
    // Nothing is waited for here unless another window has written the session: the question must be on its way at once.
    const session = await this.get(sessionId);
    if (this.runs.has(sessionId)) {
      throw new RagError(
        "STILL_ANSWERING",
        l10n.t("This chat is still being answered. Stop the answer first, or wait for its end."),
      );
    }
    if (session.messages.some(isRunning)) throw answeredElsewhere();
    const asked = this.changed(session, change);
    const { answer, keep, question } = asked;
    this.open.set(sessionId, asked.session);
    if (sessionId === this.shown) this.remembered.set(sessionId);
    const messages = asked.session.messages.slice(keep);
    this.sendIfShown(sessionId, { type: "answer.started", sessionId, keep, messages, title: asked.session.title });
    const history = historyOf(asked.session.messages.slice(0, asked.session.messages.indexOf(question)));
    const run = new AnswerRun(
      sessionId,
      answer,
      { text: question.text, history, attachments: answer.options.attachments ?? [], options: answer.options },
      this.answers,
      {
        changed: (message) => this.put(sessionId, message),
        ended: (message) => this.ended(sessionId, message),
        send: (message) => this.sendIfShown(sessionId, message),
      },
      this.log,
    );
    this.runs.set(sessionId, run);
    this.store.save(asked.session);
    // Other windows take an answer for one that has ended when its session is not written for long.
    const beat = setInterval(() => this.store.save(this.open.get(sessionId) ?? asked.session), BEAT_MS);
    await run.ended.finally(() => clearInterval(beat));
  }

  private changed(session: Session, change: (session: Session) => Asked): Asked {
    try {
      return change(session);
    } catch (error) {
      // The webview shows something that is no longer so.
      if (session.id === this.shown) this.sendWhole();
      throw error;
    }
  }

  private put(sessionId: string, message: AssistantMessage): void {
    const session = this.open.get(sessionId);
    if (session) this.update(withMessage(session, message));
  }

  private ended(sessionId: string, message: AssistantMessage): void {
    this.runs.delete(sessionId);
    const session = this.open.get(sessionId);
    if (session) this.update({ ...withMessage(session, message), updatedAt: now() });
    void this.store.flush(sessionId);
    this.sendIfShown(sessionId, { type: "answer.ended", sessionId, message });
    if (sessionId !== this.shown) this.open.delete(sessionId);
  }
}

function answeredElsewhere(): RagError {
  return new RagError(
    "STILL_ANSWERING",
    l10n.t("This chat is being answered in another window or tab. Stop the answer there, or wait for its end."),
  );
}

function gone(): RagError {
  return new RagError(
    "SESSION_GONE",
    l10n.t("This chat is no longer there: it was deleted, or its file can't be read."),
  );
}
