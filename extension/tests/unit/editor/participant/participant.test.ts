/** `@rag` where there is nothing to answer from: it says which, and how to change that. */

import { afterEach, describe, expect, it } from "vitest";

import type { Citation, QueryAnswer } from "../../../../src/core/api/types";
import { citation, retrieval } from "../../fixtures/answers";
import { participant } from "../../fixtures/participant";
import { settings } from "../../fixtures/vscode";

const NOTHING_ADDED = "No documents have been added yet.";
const NOTHING_HERE = "Nothing is indexed of what was asked about: handbook.";
const ADD = "ragAssistant.addToKnowledgeBase";

afterEach(() => settings.clear());

describe("@rag where no document was added", () => {
  it.each([undefined, "search", "explain"])("says so before it asks anybody (command: %s)", async (command) => {
    const { ask, client } = participant({ documents: 0 });
    expect(await ask({ command })).toEqual({ text: NOTHING_ADDED, buttons: [ADD] });
    expect([client.chats, client.prompts]).toEqual([[], []]);
  });

  it("answers from what is attached all the same", async () => {
    const { ask, client } = participant({ documents: 0 });
    const { text } = await ask({ references: [{ id: "selection", value: "Thirty days." }] });
    expect(text).not.toContain(NOTHING_ADDED);
    expect(client.chats).toHaveLength(1);
  });
});

describe("@rag where the collection that is set holds no document", () => {
  it.each([undefined, "search"])("names it, with a button that adds some (command: %s)", async (command) => {
    settings.set("ragAssistant.collection", "handbook");
    const { text, buttons } = await participant({}).ask({ command });
    expect(text).toContain(NOTHING_HERE);
    expect(buttons).toEqual([ADD]);
  });

  it.each<[why: string, collection: string, found: QueryAnswer]>([
    ["it answers", "handbook", retrieval([passage()])],
    ["what is in it does not answer", "handbook", retrieval([passage()], { found: false })],
    ["all collections were asked", "", retrieval([])],
    ["passages may not be read", "handbook", withheld()],
  ])("says nothing of it where %s", async (_why, collection, found) => {
    settings.set("ragAssistant.collection", collection);
    const { text, buttons } = await participant({ found }).ask();
    expect(text).not.toContain("Nothing is indexed");
    expect(buttons).not.toContain(ADD);
  });
});

function passage(): Citation {
  return citation(1, "Everybody has 30 days a year.");
}

function withheld(): QueryAnswer {
  const live = { checked: 0, refreshed: 0, forbidden: 0, gone: 0, no_token: 2, unverified: 0 };
  const { effective } = retrieval([]);
  return retrieval([], { effective: { ...effective, live } });
}
