import { describe, expect, it, vi } from "vitest";

import type { Job } from "../../../../src/core/api/types";
import type { DaemonClient } from "../../../../src/core/client/daemonClient";
import { RagError } from "../../../../src/core/common/errors";
import { followJob } from "../../../../src/core/ingest/followJob";

const { signal } = new AbortController();

function job(status: Job["status"], done = 0): Job {
  return {
    ...{ attempts: 1, collection: "docs", created_at: "", error: null, finished_at: null, job_id: "j", kind: "ingest" },
    ...{ progress: { stage: "reading", done, total: 2 }, result: null, started_at: null, status },
  };
}

/** A daemon whose streams of progress are these, one after the other; an error breaks its stream off. */
function daemon(...streams: (Job | Error)[][]) {
  async function* jobProgress(): AsyncGenerator<Job> {
    for (const step of streams.shift() ?? []) {
      await Promise.resolve();
      if (step instanceof Error) throw step;
      yield step;
    }
  }
  const client = { jobProgress, status: vi.fn(() => Promise.resolve({})) };
  return { client: () => Promise.resolve(client as unknown as DaemonClient) };
}

describe("followJob", () => {
  it("tells each step and gives the finished job", async () => {
    const seen: string[] = [];
    const ended = await followJob(
      daemon([job("queued"), job("running", 1), job("completed", 2)]),
      "j",
      (one) => seen.push(one.status),
      signal,
    );
    expect(seen).toEqual(["queued", "running", "completed"]);
    expect(ended.progress.done).toBe(2);
  });

  it("goes on with a daemon that was restarted", async () => {
    const broken = [job("running"), new TypeError("terminated")];
    const away = [new RagError("DAEMON_UNREACHABLE", "It does not answer.")];
    const ended = await followJob(daemon(broken, [job("running", 1)], away, [job("completed")]), "j", vi.fn(), signal);
    expect(ended.status).toBe("completed");
  });

  it("gives up when the daemon breaks off again and again", async () => {
    await expect(followJob(daemon(), "j", vi.fn(), signal)).rejects.toMatchObject({ code: "DAEMON_UNREACHABLE" });
  });

  it("tells what the daemon says of the job at once", async () => {
    const missing = new RagError("JOB_NOT_FOUND", "There is no such job.");
    await expect(followJob(daemon([missing], [job("completed")]), "j", vi.fn(), signal)).rejects.toBe(missing);
  });
});
