import { describe, expect, it, vi } from "vitest";

import type { QueryRequest, Suggestion } from "../../../../src/core/api/types";
import type { DaemonClient } from "../../../../src/core/client/daemonClient";
import { RagError } from "../../../../src/core/common/errors";
import { Typeahead } from "../../../../src/core/panel/typeahead";
import { citation } from "../../fixtures/answers";

const named = (text: string, kind: Suggestion["kind"]): Suggestion => ({ text, kind });

/** A daemon that answers when it is told to, and goes by the signals. */
function daemon() {
  const signals: AbortSignal[] = [];
  const queries: QueryRequest[] = [];
  const waiting: (() => void)[] = [];
  const held = async <Value>(value: Value, signal: AbortSignal | undefined): Promise<Value> => {
    if (signal) signals.push(signal);
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
    return value;
  };
  const suggest = vi.fn((text: string, _collection: string | undefined, _limit: number, signal?: AbortSignal) =>
    held({ items: [named(`${text} guide`, "title"), named(text, "heading")], ready: true }, signal),
  );
  const client = {
    suggest,
    query: (request: QueryRequest, signal?: AbortSignal) => {
      queries.push(request);
      return held({ citations: [citation(1, "passage")] }, signal);
    },
  } as unknown as DaemonClient;
  const release = () =>
    vi.waitFor(() => {
      expect(waiting.length).toBeGreaterThan(0);
      for (const go of waiting.splice(0)) go();
    });
  return { client: () => Promise.resolve(client), queries, release, signals, suggest };
}

function typeahead(fake = daemon()) {
  const sent: object[] = [];
  const asked = (text: string) => Promise.resolve(text === "backup" ? ["How is a backup made?", "two", "three"] : []);
  return { ...fake, sent, made: new Typeahead(fake, asked, (found) => sent.push(found)) };
}

const typed = (number: number, text: string) => ({ number, text, options: { collection: "guides", topK: 5 } });

describe("the panel's search while typing", () => {
  it("asks for completions and for passages without reranking, and sends each with the number", async () => {
    const { made, queries, release, sent } = typeahead();
    const done = made.typed(typed(7, " backup "));
    await release();
    await done;
    expect(queries).toEqual([{ query: "backup", rerank: false, top_k: 3, collection: "guides" }]);
    expect(sent).toContainEqual({
      number: 7,
      passages: [expect.objectContaining({ chunk_id: citation(1, "passage").chunk_id }) as object],
    });
    expect(sent).toContainEqual({
      number: 7,
      suggestions: [
        { text: "How is a backup made?", kind: "question" },
        { text: "two", kind: "question" },
        { text: "backup guide", kind: "title" },
      ],
    });
    expect(made.citation(citation(1, "passage").chunk_id).id).toBe(1);
    expect(() => made.citation("other")).toThrow("not shown any more");
  });

  it("calls off both requests when the text has changed, and sends nothing of them", async () => {
    const { made, release, sent, signals } = typeahead();
    const first = made.typed(typed(1, "bac"));
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    const second = made.typed(typed(2, "back"));
    await first;
    expect(signals.slice(0, 2).every(({ aborted }) => aborted)).toBe(true);
    await vi.waitFor(() => expect(signals).toHaveLength(4));
    await release();
    await second;
    expect(sent.map((found) => (found as { number: number }).number)).toEqual([2, 2]);
  });

  it("only calls off when the text is empty, and asks for no completion of a long one", async () => {
    const { made, release, sent, signals, suggest } = typeahead();
    const first = made.typed(typed(1, "backup"));
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    await made.typed(typed(2, " "));
    await first;
    expect(sent).toEqual([]);
    const long = made.typed(typed(3, "x".repeat(201)));
    await vi.waitFor(() => expect(signals).toHaveLength(3));
    await release();
    await long;
    expect(suggest).toHaveBeenCalledTimes(1);
  });

  it("says what failed", async () => {
    const fake = daemon();
    const client = await fake.client();
    client.query = () => Promise.reject(new RagError("KNOWLEDGE_BASE_NOT_FOUND", "There is no collection 'guides'."));
    await expect(typeahead(fake).made.typed(typed(1, "backup"))).rejects.toThrow("There is no collection");
    expect(fake.signals.every(({ aborted }) => aborted)).toBe(true);
  });
});
