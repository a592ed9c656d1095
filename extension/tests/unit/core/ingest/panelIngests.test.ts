import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { JobResult } from "../../../../src/core/api/types";
import { RagError } from "../../../../src/core/common/errors";
import { readLocalFiles } from "../../../../src/core/ingest/localFiles";
import { UploadBatches } from "../../../../src/core/ingest/uploadBatches";
import { jobOf, panel } from "../panel/fakePanel";

type Panel = Awaited<ReturnType<typeof panel>>;
let made: Panel;
let view: Panel["window"];

beforeEach(async () => {
  made = await panel();
  view = made.window;
  await view.say({ type: "ready" });
});

afterEach(async () => {
  view.ingests.dispose();
  await view.conversations.close();
  await made.remove();
});

const states = () => view.all("ingest").map(({ ingest }) => ingest.state);
const file = (batch: string, index: number, count: number, bytes = 1) =>
  ({ type: "ingest.file", batch, index, count, name: `file${index}.md`, bytes: new Uint8Array(bytes) }) as const;

describe("adding documents from the panel", () => {
  it("sends chosen paths to a daemon of this machine and shows progress to the end", async () => {
    const running = jobOf("running", { progress: { stage: "parse", done: 1, total: 2 } });
    made.daemon.progress = [[jobOf("queued"), running, jobOf("completed")]];
    await view.say({ type: "ingest.pick", folders: false });
    expect(made.daemon.ingested).toEqual([{ paths: ["/docs/a.md", "/docs/b"], collection: "default" }]);
    expect(states()).toEqual(["sending", "queued", "running", "done"]);
    expect(view.last("ingest").ingest).toMatchObject({ names: ["a.md", "b"], collection: "default" });
  });

  it("uploads to a daemon of another machine", async () => {
    made.daemon.url = "https://rag.example";
    await view.say({ type: "ingest.uris", uris: ["file:///docs/a.md"], collection: "handbook" });
    expect(made.daemon.uploaded).toEqual([{ names: ["/docs/a.md"], collection: "handbook" }]);
  });

  it("adds what is of this machine and says so when something is not", async () => {
    await view.say({ type: "ingest.uris", uris: ["file:///docs/a.md", "https://example.com/b.md"] });
    expect(made.daemon.ingested[0]?.paths).toEqual(["/docs/a.md"]);
    expect(view.last("note").text).toContain("this machine");
  });

  it("does nothing when the dialog was closed", async () => {
    made.host.pick.mockResolvedValueOnce([]);
    await view.say({ type: "ingest.pick", folders: true });
    expect(view.all("ingest")).toEqual([]);
  });

  it("goes where the chat was asked last, when nothing else is chosen", async () => {
    made.script.say(null);
    await view.say({ type: "ask", sessionId: view.session().id, text: "q", options: { collection: "handbook" } });
    await view.say({ type: "ingest.pick", folders: false });
    expect(made.daemon.ingested[0]?.collection).toBe("handbook");
  });

  it("tells in plain words why files were not taken in", async () => {
    const failed = [
      { source: "a.pdf", code: "ENCRYPTED", message: "PDFium: 4" },
      { source: "b.md", code: "NEW_CODE", message: "What the daemon says." },
    ];
    const result = {
      added: 1,
      updated: 0,
      unchanged: 0,
      skipped: 0,
      failed,
      chunks: 1,
      embedded: 1,
      reused: 0,
    } as unknown as JobResult;
    made.daemon.progress = [[jobOf("completed", { result })]];
    await view.say({ type: "ingest.pick", folders: false });
    const reasons = view.last("ingest").ingest.result?.failed.map(({ message }) => message);
    expect(reasons).toEqual([expect.stringContaining("password"), "What the daemon says."]);
  });

  it("fails with advice when the daemon refuses, and with the daemon's reason when the job fails", async () => {
    made.daemon.fails = new RagError("KNOWLEDGE_BASE_NOT_FOUND", "There is no collection 'x'.");
    await view.say({ type: "ingest.pick", folders: false });
    expect(view.last("ingest").ingest).toMatchObject({ state: "failed", error: { code: "KNOWLEDGE_BASE_NOT_FOUND" } });
    made.daemon.fails = undefined;
    made.daemon.progress = [[jobOf("failed", { error: { code: "INTERNAL_ERROR", message: "The disk is full." } })]];
    await view.say({ type: "ingest.pick", folders: false });
    expect(view.last("ingest").ingest).toMatchObject({ state: "failed", error: { message: "The disk is full." } });
  });

  it("follows a job on when the connection breaks off", async () => {
    made.daemon.progress = [[jobOf("running"), new TypeError("terminated")], [jobOf("running")], [jobOf("completed")]];
    await view.say({ type: "ingest.pick", folders: false });
    expect(states()).toEqual(["sending", "running", "running", "done"]);
  });

  it("runs several at once, each cancelled by itself", async () => {
    let finish: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (finish = resolve));
    made.daemon.progress = [];
    made.daemon.meanwhile = async function* () {
      yield jobOf("running");
      await waiting;
      yield jobOf(made.daemon.cancelled.length > 0 ? "cancelled" : "completed");
    };
    const both = [view.say({ type: "ingest.pick", folders: false }), view.say({ type: "ingest.pick", folders: true })];
    await vi.waitFor(() => expect(view.ingests.statuses().map(({ state }) => state)).toEqual(["running", "running"]));
    await view.say({ type: "ingest.cancel", id: view.ingests.statuses()[0]?.id ?? "" });
    expect(made.daemon.cancelled).toEqual(["job"]);
    finish();
    await Promise.all(both);
    expect(view.ingests.statuses().map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
  });

  it("shows a view that is drawn anew what goes on", async () => {
    await view.say({ type: "ingest.pick", folders: false });
    await view.say({ type: "ready" });
    expect(view.last("init").ingests).toMatchObject([{ state: "done" }]);
  });
});

describe("dropped bytes", () => {
  it("are sent together when the last one has come, in their order", async () => {
    const batch = randomUUID();
    await view.say(file(batch, 1, 2));
    expect(view.last("ingest").ingest).toMatchObject({ id: batch, state: "sending", names: ["file1.md"] });
    await view.say({ ...file(batch, 0, 2), collection: "handbook" });
    expect(made.daemon.uploaded).toEqual([{ names: ["file0.md", "file1.md"], collection: "default" }]);
    expect(view.last("ingest").ingest).toMatchObject({ id: batch, state: "done" });
  });

  it("are not sent when they were cancelled on their way", async () => {
    const batch = randomUUID();
    await view.say(file(batch, 0, 2));
    await view.say({ type: "ingest.cancel", id: batch });
    await view.say(file(batch, 1, 2));
    expect(made.daemon.uploaded).toEqual([]);
    expect(view.last("ingest").ingest.state).toBe("cancelled");
  });

  it("end with a message when the view was closed in between", async () => {
    await view.say(file(randomUUID(), 0, 2));
    await view.say({ type: "ready" });
    expect(view.last("init").ingests).toMatchObject([
      { state: "failed", error: { message: expect.stringContaining("Drop them again") as string } },
    ]);
  });

  it("have a limit for all that is held at once, and say what to do instead", () => {
    const uploadBatches_ = new UploadBatches(1024 * 1024);
    const half = 512 * 1024;
    expect(uploadBatches_.add(file("a", 0, 3, half))).toBeUndefined();
    expect(uploadBatches_.add(file("b", 0, 2, half))).toBeUndefined();
    expect(() => uploadBatches_.add(file("a", 1, 3, 1))).toThrow(/larger than 1 MB/);
    // What was refused makes room.
    expect(uploadBatches_.add(file("b", 1, 2, half))).toHaveLength(2);
    expect(uploadBatches_.dropAll()).toEqual([]);
  });

  it("that come twice or too many are refused", () => {
    const uploadBatches_ = new UploadBatches();
    uploadBatches_.add(file("a", 0, 2));
    expect(() => uploadBatches_.add(file("a", 0, 2))).toThrow(RagError);
    expect(() => uploadBatches_.add(file("c", 3, 2))).toThrow(RagError);
  });
});

describe("files read for a daemon elsewhere", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "files-"));
    await mkdir(join(folder, "sub", ".git"), { recursive: true });
    await writeFile(join(folder, "a.md"), "aa");
    await writeFile(join(folder, "sub", "b.md"), "b");
    await writeFile(join(folder, "sub", ".git", "config"), "hidden");
    await symlink(folder, join(folder, "sub", "loop"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("are those in the folder and below, without hidden ones and without following links", async () => {
    const files = await readLocalFiles([folder]);
    expect(files.map(({ name, bytes }) => [name, bytes.length])).toEqual([
      ["a.md", 2],
      ["b.md", 1],
    ]);
  });

  it("are refused when there are none, or when they are too large together", async () => {
    await expect(readLocalFiles([folder], 2)).rejects.toThrow(/larger than/);
    await expect(readLocalFiles([join(folder, "sub", ".git")], 2)).rejects.toThrow(/larger than/);
    await mkdir(join(folder, "empty"));
    await expect(readLocalFiles([join(folder, "empty")])).rejects.toThrow(/no files/);
  });
});
