/** The panel without an editor: a view in memory, answers that a test writes, and the real store on a folder of its own. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { vi } from "vitest";

import type { AnswerEvent, Question } from "../../../../src/core/answer/types";
import type { Citation, DaemonState, FeedbackRequest, Job } from "../../../../src/core/api/types";
import type { DaemonClient, UploadFile } from "../../../../src/core/client/daemonClient";
import { Emitter } from "../../../../src/core/common/events";
import type { DaemonStatus } from "../../../../src/core/daemon/status";
import { PanelIngests } from "../../../../src/core/ingest/panelIngests";
import { ChoiceLoader } from "../../../../src/core/panel/choices";
import { ChatController, type PanelHost } from "../../../../src/core/panel/controller";
import { Conversations } from "../../../../src/core/panel/conversations";
import { Images } from "../../../../src/core/panel/images";
import { Outbox } from "../../../../src/core/panel/outbox";
import { SessionStore } from "../../../../src/core/sessions/sessionStore";
import type { MessageToExtension, MessageToWebview } from "../../../../src/protocol/chat";
import type { Session } from "../../../../src/protocol/session";
import type { SetupProgress } from "../../../../src/protocol/setup";

/** An answer that comes when the test says so. */
export class Script {
  readonly questions: Question[] = [];
  signal: AbortSignal | undefined;
  private readonly events: (AnswerEvent | Error | null)[] = [];
  private wake: () => void = () => undefined;

  say(...events: (AnswerEvent | Error | null)[]): void {
    this.events.push(...events);
    this.wake();
  }

  async *answer(question: Question, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
    this.questions.push(question);
    this.signal = signal;
    for (;;) {
      const event = this.events.shift();
      if (event === null) return;
      if (event instanceof Error) throw event;
      if (event) {
        yield event;
        if (event.type === "done") return;
      } else {
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    }
  }
}

export function doneEvent(text: string, citations: Citation[] = []): AnswerEvent {
  return {
    type: "done",
    answer: { text, by: { kind: "passages" }, found: true, finish: "complete", citations, support: [], notices: [] },
  };
}

export function jobOf(status: Job["status"], more: Partial<Job> = {}): Job {
  return {
    job_id: "job",
    kind: "ingest",
    collection: "default",
    status,
    attempts: 1,
    created_at: "",
    started_at: null,
    finished_at: null,
    error: null,
    result: null,
    progress: { stage: "", done: 0, total: 1 },
    ...more,
  };
}

/** A daemon in memory: what it was asked to do, and what it answers. */
export class FakeDaemon {
  readonly given: FeedbackRequest[] = [];
  readonly withdrawn: string[] = [];
  readonly ingested: { paths: string[]; collection: string | undefined }[] = [];
  readonly uploaded: { names: string[]; collection: string | undefined }[] = [];
  readonly cancelled: string[] = [];
  readonly assets: string[] = [];
  url = "http://127.0.0.1:1";
  /** What each connection to a job's events brings; an error breaks it off. */
  progress: (Job | Error)[][] = [[jobOf("completed")]];
  /** Instead of that: a job that goes on until the test ends it. */
  meanwhile: (() => AsyncGenerator<Job>) | undefined;
  documents = 1;
  fails: Error | undefined;
  live: DaemonState | undefined;
  readonly statuses = new Emitter<DaemonStatus>();
  readonly onDidChangeStatus = this.statuses.event;
  status: DaemonStatus = { kind: "ready", version: "1", client: this.asClient() };

  client(): Promise<DaemonClient> {
    return this.fails ? Promise.reject(this.fails) : Promise.resolve(this.asClient());
  }

  private asClient(): DaemonClient {
    // eslint-disable-next-line @typescript-eslint/no-this-alias -- the generator below has its own `this`
    const daemon = this;
    const jobs = { job_id: "job" };
    return {
      get connection() {
        return { url: daemon.url, token: "" };
      },
      status: () => Promise.resolve({ counts: { collections: 1, documents: daemon.documents, chunks: 1 } }),
      collections: () =>
        Promise.resolve([
          { name: "default", status: "enabled", document_count: daemon.documents },
          { name: "off", status: "disabled", document_count: 7 },
        ]),
      giveFeedback: (feedback: FeedbackRequest) => Promise.resolve({ id: `f${daemon.given.push(feedback)}` }),
      withdrawFeedback: (id: string) => Promise.resolve(daemon.withdrawn.push(id)),
      ingest: (paths: string[], collection: string | undefined) => {
        daemon.ingested.push({ paths, collection });
        return Promise.resolve(jobs);
      },
      upload: (files: UploadFile[], collection: string | undefined) => {
        daemon.uploaded.push({ names: files.map(({ name }) => name), collection });
        return Promise.resolve(jobs);
      },
      cancelJob: (id: string) => Promise.resolve(daemon.cancelled.push(id)),
      async *jobProgress() {
        if (daemon.meanwhile) yield* daemon.meanwhile();
        for (const next of daemon.progress.shift() ?? []) {
          await Promise.resolve();
          if (next instanceof Error) throw next;
          yield next;
        }
      },
      asset: (id: string) => Promise.resolve(new Uint8Array([daemon.assets.push(id)])),
    } as unknown as DaemonClient;
  }
}

export async function panel({ collection = "" } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "panel-"));
  const lines: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (line: string) => void lines.push(line),
  };
  const script = new Script();
  const daemon = new FakeDaemon();
  const setup = { state: "idle", steps: [], status: "", fraction: null } as SetupProgress;
  let shown: string | undefined;
  const remembered = { get: () => shown, set: (id: string | undefined) => void (shown = id) };
  const host = {
    language: "en",
    translations: {},
    copy: vi.fn(() => Promise.resolve()),
    insert: vi.fn(() => Promise.resolve()),
    openLink: vi.fn(() => Promise.resolve()),
    chooseScope: vi.fn(() => Promise.resolve(undefined)),
    openSettings: vi.fn(() => Promise.resolve()),
    run: vi.fn(() => Promise.resolve()),
    pick: vi.fn(() => Promise.resolve(["/docs/a.md", "/docs/b"])),
    pathOf: (uri: string) => (uri.startsWith("file://") ? uri.slice(7) : undefined),
  } satisfies PanelHost;
  const places = { open: vi.fn(() => Promise.resolve()), openImage: vi.fn(() => Promise.resolve()) };

  /** A window: its own memory, the same disk. */
  function open() {
    const sent: MessageToWebview[] = [];
    const outbox = new Outbox();
    outbox.attach((message) => sent.push(structuredClone(message)));
    const store = new SessionStore(join(folder, "sessions"), log, 500, 0);
    const conversations = new Conversations(store, script, (message) => outbox.send(message), remembered, log);
    const read = (paths: string[]) => Promise.resolve(paths.map((name) => ({ name, bytes: new Uint8Array(1) })));
    const ingests = new PanelIngests(daemon, read, (ingest) => outbox.send({ type: "ingest", ingest }), log);
    const models = () => Promise.resolve([{ id: "auto", label: "Automatic" }]);
    const settings = () => ({ collection, model: "auto", passages: 5 });
    const choices = new ChoiceLoader(
      daemon,
      models,
      settings,
      (loaded) => outbox.send({ type: "choices", choices: loaded }),
      log,
    );
    const setupService = {
      progress: setup,
      run: () => Promise.resolve(true),
      cancel: () => undefined,
      choosePython: () => Promise.resolve(),
    };
    const services = { choices, daemon, host, images: new Images(daemon), ingests, log, places, setup: setupService };
    const controller = new ChatController({ ...services, conversations }, outbox);
    const say = (message: MessageToExtension) => controller.handle(message);
    const all = <Type extends MessageToWebview["type"]>(type: Type) =>
      sent.filter((message): message is Extract<MessageToWebview, { type: Type }> => message.type === type);
    const last = <Type extends MessageToWebview["type"]>(type: Type) => {
      const message = all(type).at(-1);
      if (!message) throw new Error(`No ${type} was sent, only ${sent.map((one) => one.type).join(", ")}.`);
      return message;
    };
    const session = (): Session => conversations.current();
    /** Asks, and gives back the promise of the answer's end. */
    const ask = async (text: string, more: object = {}) => {
      const started = all("answer.started").length;
      const ended = say({ type: "ask", sessionId: session().id, text, options: {}, ...more });
      await vi.waitFor(() => {
        if (all("answer.started").length === started) throw new Error("The question was not accepted.");
      });
      return ended;
    };
    return { all, ask, controller, conversations, ingests, last, outbox, say, sent, services, session, store };
  }

  const remove = () => rm(folder, { recursive: true });
  return { daemon, host, lines, open, places, remove, script, sessions: join(folder, "sessions"), window: open() };
}
