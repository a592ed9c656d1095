import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { doneEvent, panel } from "./fakePanel";

let made: Awaited<ReturnType<typeof panel>>;

beforeEach(async () => {
  made = await panel();
});

afterEach(async () => {
  await made.window.conversations.close();
  made.window.store.dispose();
  await made.remove();
});

describe("why an answer did not help", () => {
  it("goes to the daemon in place of the bare judgement, and is kept", async () => {
    const { window: view } = made;
    await view.say({ type: "ready" });
    made.script.say(doneEvent("So."));
    await view.ask("Why?");
    const about = { type: "feedback" as const, sessionId: view.session().id, messageId: view.session().messages[1]?.id ?? "" };
    await view.say({ ...about, verdict: "down" });
    await view.say({ ...about, verdict: "down", comment: "Of another year" });
    expect(made.daemon.given.map(({ verdict, comment }) => [verdict, comment])).toEqual([
      ["down", undefined],
      ["down", "Of another year"],
    ]);
    expect(made.daemon.withdrawn).toEqual(["f1"]);
    const kept = { verdict: "down", id: "f2", comment: "Of another year" };
    expect(view.last("feedback").feedback).toEqual(kept);
    await view.store.flush();
    expect((await made.open().store.load(about.sessionId))?.messages[1]).toMatchObject({ feedback: kept });
    await view.say({ ...about, verdict: "down", comment: "Of another year" });
    expect(made.daemon.given).toHaveLength(2);
  });
});

describe("what was asked about and is not there", () => {
  it("is added by its path, and by the choice of people where it has none", async () => {
    const { window: view } = made;
    await view.say({ type: "ready" });
    const folder = { kind: "folder" as const, id: "/home/ann/notes/", label: "notes/" };
    await view.say({ type: "scope.add", scope: [folder, { ...folder, id: "of/a/tree/" }] });
    const chosen = { kind: "collection" as const, id: "team", label: "team" };
    await view.say({ type: "scope.add", scope: [chosen] });
    expect(made.daemon.ingested).toEqual([
      { paths: ["/home/ann/notes"], collection: "default" },
      { paths: ["/docs/a.md", "/docs/b"], collection: "team" },
    ]);
  });
});
