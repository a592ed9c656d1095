import { expect, it } from "vitest";

import { Answerer } from "../../../../src/core/answer/answerer";
import type { AnswerEvent } from "../../../../src/core/answer/types";
import { FakeClient, citation, question, retrieval } from "../../fixtures/answers";

it("an answer without any model is made of the passages, and knows that nobody was there to write", async () => {
  const client = new FakeClient(retrieval([citation(1, "The lease lasts 90 seconds.")]));
  const signal = new AbortController().signal;
  const events: AnswerEvent[] = [];
  for await (const event of new Answerer(client.service()).answer(question("How?"), "nobody", signal)) events.push(event);
  expect(client.chats[0]).toMatchObject({ extractive: true });
  expect(events.at(-1)).toMatchObject({ answer: { by: { kind: "passages", noModel: true } } });
});
