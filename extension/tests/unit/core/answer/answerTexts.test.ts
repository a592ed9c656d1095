import { describe, expect, it } from "vitest";

import { explanation } from "../../../../src/core/answer/explanation";
import { followups } from "../../../../src/core/answer/followups";
import { citation, retrieval } from "../../fixtures/answers";

describe("what to ask next", () => {
  const found = retrieval([
    citation(1, "a", { section_path: ["Guide", "Leases"], title: "Guide", doc_id: "g" }),
    citation(2, "b", { section_path: ["Guide", "Retries"], title: "Guide", doc_id: "g" }),
    citation(3, "c", { section_path: ["Guide"], title: "Guide", doc_id: "g" }),
    citation(4, "d", { section_path: ["Guide", "Retries"], title: "Guide", doc_id: "g" }),
  ]);

  it("is about sections that were found and not cited, and why these passages", () => {
    expect(followups("How long?", found, [1], true)).toEqual([
      { prompt: "What does Guide say about Retries?", label: "What does Guide say about Retries?" },
      { prompt: "How long?", command: "explain", label: "Why these passages?" },
    ]);
  });

  it.each([
    ["3.2 Installing", "Installing"],
    ["IV. Backups", "Backups"],
    ["Chapter 3: Installing", "Installing"],
    ["３．２　インストール", "インストール"],
    ["第三章 安装", "安装"],
    ["802.1X ports", "802.1X ports"],
    ["24 時間対応", "24 時間対応"],
    ["3.2", "3.2"],
  ])("asks about the subject of the section %s", (section, subject) => {
    const passages = retrieval([citation(1, "a", { section_path: ["Guide", section], title: "Guide" })]);
    expect(followups("How?", passages, [], true)[0]?.prompt).toBe(`What does Guide say about ${subject}?`);
  });

  it("leads to what is there when nothing was found", () => {
    expect(followups("How long?", found, [], false).map(({ command }) => command)).toEqual(["search", "sources"]);
  });
});

describe("why these passages", () => {
  const passage = citation(1, "a", { chunk_ids: ["chunk1", "chunk2"] });
  const result = { ...passage, version_id: "v", score: 1, scores: {}, metadata: {} };
  const found = retrieval([passage], {
    results: [
      { ...result, chunk_id: "chunk2", title: "Other | title" },
      { ...result, chunk_id: "chunk9", title: "Pipe | *star*" },
    ],
    plan: {
      text: "How long does the lease last?",
      language: "en",
      rewriting: "none",
      keywords: ["lease", "last"],
      identifiers: [{ kind: "name", text: "lease_seconds" }],
      filters: { doc_type: ["pdf"] },
    },
    explanation: [
      {
        chunk_id: "chunk2",
        stages: {
          sparse: { rank: 3, score: 16.27718 },
          dense: { rank: 1, score: 0.667109 },
          novelty: { rank: 1, score: 1 },
        },
        moves: [],
      },
    ],
    timings_ms: { fusion: 3.2, rerank: 87.4, retrieve_dense: 5 },
    effective: { strategy: "hybrid", reranked: false, rerank_scored: 0, degraded: ["rerank"] },
    warnings: ["The [reranker](command:x) is slow."],
  });
  const text = explanation(found, ({ id }) => `LINK${id}`);

  it("shows the ranks at every stage, known ones first, in a table", () => {
    expect(text).toContain(
      "| Passage | Meaning | Words | novelty |\n| --- | --: | --: | --: |\n| \\[1\\] LINK1 | 1 (0\\.667) | 3 (16\\.3) | 1 (1) |",
    );
    expect(text).toContain("| Pipe \\| \\*star\\* | – | – | – |");
  });

  it("tells how the question was understood, what was left out, and the times, the longest first", () => {
    expect(text).toContain("**Words:** lease, last");
    expect(text).toContain("lease\\_seconds \\(name\\)");
    expect(text).toContain("**Only documents with:** doc\\_type \\= pdf");
    expect(text).not.toContain("Made self-contained");
    expect(text).toContain("- Meaning\\: 5 ms");
    expect(text).not.toMatch(/retrieve|hybrid/);
    expect(text.indexOf("Reranked\\: 87 ms")).toBeLessThan(text.indexOf("Merged\\: 3 ms"));
    expect(text).toContain("Reranked did not work; the search went on without it\\.");
  });

  it("makes no link of what the daemon or a document says", () => {
    expect(text).toContain("The \\[reranker\\]\\(command\\:x\\) is slow\\.");
  });
});
