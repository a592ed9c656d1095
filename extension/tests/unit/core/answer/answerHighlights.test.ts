import { expect, it } from "vitest";

import { Answerer } from "../../../../src/core/answer/answerer";
import type { ChosenWriter } from "../../../../src/core/answer/types";
import type { Citation } from "../../../../src/core/api/types";
import { FakeClient, FakeWriter, citation, done, question, retrieval } from "../../fixtures/answers";

type Span = [number, number];

const FIRST = citation(1, "The lease lasts 90 seconds.");
const SECOND = citation(2, "It is renewed.");
const marked = (one: Citation, span: Span) => ({ ...one, highlights: [span] });

const FOUND = retrieval([marked(FIRST, [1, 2]), marked(SECOND, [0, 3])]);
const CHECKED = { citations: [marked(FIRST, [4, 9]), SECOND] };

async function highlights(client: FakeClient, writer: ChosenWriter) {
  const { signal } = new AbortController();
  for await (const event of new Answerer(client.service()).answer(question("How long?"), writer, signal)) {
    if (event.type === "done") return event.answer.citations.map((one) => one.highlights);
  }
  throw new Error("The answer has no end.");
}

it("an answer marks what its check found to bear it out, and leaves other passages as the search marked them", async () => {
  const byEditor = highlights(new FakeClient(FOUND, done(), CHECKED), new FakeWriter(["Ninety [1][2]."]));
  expect(await byEditor).toEqual([[[4, 9]], [[0, 3]]]);
  const byDaemon = highlights(new FakeClient(FOUND, done(CHECKED)), "passages");
  expect(await byDaemon).toEqual([[[4, 9]], [[0, 3]]]);
});
