import { describe, expect, it } from "vitest";

import type { AnswerEvent } from "../../../../src/core/answer/types";
import { RagError } from "../../../../src/core/common/errors";
import * as sessions from "../../../../src/core/sessions/sessionChanges";
import { answerMarkdown, chunkIds, citedPassages, clip, historyOf } from "../../../../src/core/sessions/sessionText";
import type { AssistantMessage, Message, Session } from "../../../../src/protocol/session";
import { citation, retrieval } from "../../fixtures/answers";

const AT = "2026-01-01T00:00:00.000Z";
let made = 0;

function asked(session: Session, text: string, replaces?: string): sessions.Asked {
  made += 1;
  return sessions.ask(session, { questionId: `q${made}`, answerId: `a${made}`, text, options: {}, at: AT, replaces });
}

/** A session in which these questions were asked and answered by "Answer to …". */
function conversation(...questions: string[]): Session {
  let session = sessions.newSession("s", AT);
  for (const text of questions) {
    const { session: next, answer } = asked(session, text);
    session = sessions.withMessage(next, { ...answer, state: "done", text: `Answer to ${text} [1]` });
  }
  return session;
}

const texts = (session: Session) => session.messages.map(({ text }) => text);
const at = (session: Session, index: number) => session.messages[index] as Message;

describe("asking", () => {
  it("adds the question and an answer that is being searched for, and names the session after its first question", () => {
    const { session, keep, answer } = asked(sessions.newSession("s", AT), "What is\n a lease?");
    expect(session).toMatchObject({
      title: "What is a lease?",
      messages: [{ role: "user" }, { state: "searching", text: "" }],
    });
    expect([keep, answer]).toEqual([0, session.messages[1]]);
    expect(asked(session, "Another question").session.title).toBe("What is a lease?");
  });

  it("replaces an edited question and all after it", () => {
    const before = conversation("one", "two", "three");
    const { session, keep } = asked(before, "two, better", at(before, 2).id);
    expect(keep).toBe(2);
    expect(texts(session)).toEqual(["one", "Answer to one [1]", "two, better", ""]);
  });

  it("gives a new title when the first question is edited, but not when somebody named the session", () => {
    const before = conversation("one");
    expect(asked(before, "better", at(before, 0).id).session.title).toBe("better");
    const named = sessions.renamed(before, "  My \n chat ");
    expect(asked(named, "better", at(before, 0).id).session.title).toBe("My chat");
  });

  it("answers again with other options in the place of the answer and all after it", () => {
    const before = conversation("one", "two");
    const again = sessions.retry(before, {
      messageId: at(before, 1).id,
      answerId: "new",
      options: { strategy: "dense_only" },
      at: AT,
    });
    expect(again.keep).toBe(1);
    expect(again.question.text).toBe("one");
    expect(again.session.messages).toMatchObject([
      { text: "one" },
      { id: "new", state: "searching", options: { strategy: "dense_only" } },
    ]);
  });

  it("says so when the message is no longer there", () => {
    const before = conversation("one");
    expect(() => asked(before, "x", "gone")).toThrow(RagError);
    expect(() => sessions.retry(before, { messageId: at(before, 0).id, answerId: "n", options: {}, at: AT })).toThrow(
      /no longer/,
    );
  });

  it("makes a title of what was asked, not of what was quoted, and cuts it between characters", () => {
    expect(sessions.titleOf("> server.py:3\n\n```py\ncode()\n```\n\nWhy does this fail?")).toBe("Why does this fail?");
    expect(sessions.titleOf("```\nonly code\n```")).toBe("``` only code ```");
    expect(sessions.titleOf("👩‍👩‍👧".repeat(80))).toBe(`${"👩‍👩‍👧".repeat(59)}…`);
  });
});

describe("an answer on its way", () => {
  const start = asked(sessions.newSession("s", AT), "q").answer;
  const run = (...events: AnswerEvent[]) => events.reduce(sessions.applyEvent, start);
  const found = retrieval([citation(1, "passage")]);
  const finished: AnswerEvent = {
    type: "done",
    answer: {
      text: "Checked [1]",
      by: { kind: "editor", name: "Model" },
      found: true,
      finish: "complete",
      citations: found.citations,
      support: [],
      notices: ["notice"],
    },
  };

  it("gets its passages, grows, and ends as it was checked", () => {
    const growing = run(
      { type: "retrieval", retrieval: found },
      { type: "delta", text: "Un" },
      { type: "delta", text: "checked" },
    );
    expect(growing).toMatchObject({
      state: "answering",
      text: "Unchecked",
      retrieval: { traceId: found.trace_id, confidence: 0.9 },
    });
    expect(sessions.applyEvent(growing, finished)).toMatchObject({
      state: "done",
      text: "Checked [1]",
      notices: ["notice"],
      found: true,
    });
  });

  it("begins anew when what came is void", () => {
    expect(run({ type: "delta", text: "void" }, { type: "restart" }, { type: "delta", text: "good" }).text).toBe("good");
  });

  it("keeps what had come when it is stopped or fails", () => {
    const growing = run({ type: "delta", text: "half" });
    expect(sessions.stopped(growing)).toMatchObject({ state: "stopped", text: "half" });
    const error = { code: "CODE", message: "why", advice: "what to do" };
    expect(sessions.failed(growing, new RagError("CODE", "why", "what to do"))).toMatchObject({
      state: "failed",
      text: "half",
      error,
    });
  });
});

describe("the history of a question", () => {
  it("holds the turns before it, without the numbers of their passages", () => {
    expect(historyOf(conversation("one").messages)).toEqual([
      { role: "user", text: "one" },
      { role: "assistant", text: "Answer to one" },
    ]);
  });

  it("holds the last 50 turns, 20,000 characters each, and no more than fits into a request", () => {
    const many = conversation(...Array.from({ length: 40 }, (_, index) => `q${index}`));
    const turns = historyOf(many.messages);
    expect(turns).toHaveLength(50);
    expect(turns.at(-1)?.text).toBe("Answer to q39");
    const long = conversation(...Array.from({ length: 30 }, () => "長".repeat(30_000)));
    const bounded = historyOf(long.messages);
    expect(Math.max(...bounded.map(({ text }) => text.length))).toBe(20_000);
    expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThan(1_500_000);
  });

  it("leaves out answers without a word", () => {
    const { session } = asked(conversation("one"), "two");
    expect(historyOf(session.messages).map(({ text }) => text)).toEqual(["one", "Answer to one", "two"]);
  });

  it("never cuts a character in half", () => {
    expect(clip("ab😀", 3)).toBe("ab");
    expect(clip("ab😀", 4)).toBe("ab😀");
  });
});

describe("an answer to copy", () => {
  const answer = (text: string, ...citations: AssistantMessage["citations"]) => ({
    ...asked(sessions.newSession("s", AT), "q").answer,
    text,
    citations,
  });

  it("names the sources that it cites, with their places, and no paths of this machine", () => {
    const web = citation(2, "", {
      title: "Wiki [draft]",
      source: "SPACE/Page",
      source_uri: "https://wiki.example/a b",
    });
    const text = answerMarkdown(answer("So [2], so [1] and `x[3]`.", citation(1, ""), web, citation(3, "")));
    expect(text).toBe(
      "So [2], so [1] and `x[3]`.\n\nSources:\n\n" +
        "- [2] Wiki \\[draft\\]: [SPACE/Page](<https://wiki.example/a%20b>), lines 1-3\n" +
        "- [1] Document 1: guides/doc1.md, lines 1-3\n",
    );
    expect(text).not.toContain("file:");
  });

  it("is the text alone where nothing is cited", () => {
    expect(answerMarkdown(answer("Nothing was found.", citation(1, "")))).toBe("Nothing was found.");
  });

  it("counts joined neighbours each, and each once", () => {
    const joined = answer(
      "[1][2]",
      citation(1, "", { chunk_ids: ["a", "b"] }),
      citation(2, "", { chunk_id: "b" }),
      citation(3, ""),
    );
    expect(chunkIds(citedPassages(joined))).toEqual(["a", "b"]);
  });
});
