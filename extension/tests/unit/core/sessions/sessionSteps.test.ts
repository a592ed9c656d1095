import { describe, expect, it } from "vitest";

import { stepsBetween } from "../../../../src/core/sessions/sessionSteps";
import type { MessageToWebview } from "../../../../src/protocol/chat";
import type { AssistantMessage, Session } from "../../../../src/protocol/session";
import { applyUpdate, type AnswerUpdate } from "../../../../webview/chat/messages/sessionState";

const AT = "2026-03-01T10:00:00Z";

function answer(more: Partial<AssistantMessage> = {}): AssistantMessage {
  const empty = { notices: [], citations: [], support: [], options: {} };
  return { id: "a", role: "assistant", text: "", at: AT, state: "searching", ...empty, ...more };
}

function session(last: AssistantMessage, more: Partial<Session> = {}): Session {
  const question = { id: "q", role: "user" as const, text: "Why?", options: {}, at: AT };
  return { id: "s", title: "Why?", createdAt: AT, updatedAt: AT, messages: [question, last], ...more };
}

/** What a webview that shows the one session has after these steps. */
function applied(before: Session, steps: MessageToWebview[]): Session {
  const shown = structuredClone(before);
  for (const step of structuredClone(steps)) {
    if (step.type === "session.title") shown.title = step.title;
    else applyUpdate(shown, step as AnswerUpdate);
  }
  return shown;
}

const retrieval = { traceId: "t" } as AssistantMessage["retrieval"] & object;
const asked = session(answer());
const found = session(answer({ state: "answering", retrieval, citations: [] }));
const half = session(answer({ state: "answering", retrieval, text: "Half" }));
const done = session(answer({ state: "done", retrieval, text: "Half and whole" }));
const liked = session(answer({ state: "done", retrieval, text: "Half and whole", feedback: { verdict: "up", id: "f" } }));
const longer = { ...done, messages: [...done.messages, { id: "q2", role: "user" as const, text: "So?", options: {}, at: AT }] };

describe("a session that was changed elsewhere", () => {
  it.each<[string, Session, Session, string[]]>([
    ["stays", done, done, []],
    ["has passages", asked, found, ["answer.retrieval"]],
    ["is written on", found, half, ["answer.delta"]],
    ["is written on from the beginning", asked, half, ["answer.retrieval", "answer.delta"]],
    [
      "is written anew",
      half,
      session(answer({ state: "answering", retrieval, text: "Ha!" })),
      ["answer.restart", "answer.delta"],
    ],
    ["has ended", half, done, ["answer.ended"]],
    ["was judged", done, liked, ["feedback"]],
    ["is judged no more", liked, done, ["feedback"]],
    ["goes on after it had ended", session(answer({ state: "stopped", text: "Half" })), half, ["answer.started"]],
    ["has another question", done, longer, ["answer.started"]],
    ["was cut", longer, done, ["answer.started"]],
    ["was asked anew", done, session(answer({ id: "b" })), ["answer.started"]],
    ["has another name", done, { ...done, title: "Because" }, ["session.title"]],
    ["has another name and an end", half, { ...done, title: "Because" }, ["session.title", "answer.ended"]],
  ])("%s: the webview has it after as few steps as that takes", (_, before, after, types) => {
    const steps = stepsBetween(before, after);
    expect(steps.map(({ type }) => type)).toEqual(types);
    expect(applied(before, steps)).toEqual(after);
  });
});
