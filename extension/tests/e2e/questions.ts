/** Questions whose best passage is known: in the sample documents, at a place that tests can check. */
export const QUESTIONS = {
  /** A Markdown file in English. */
  english: { text: "How do I force an election for a shard?", source: "operations/runbook-failover.md" },
  /** A Markdown file in Japanese. */
  japanese: { text: "社内の証明書を追加したら再起動が必要ですか", source: "guides/setup-guide-ja.md" },
  /** A PDF; first by words and by meaning, so that it is found in whatever time there is for reranking. */
  pdf: {
    text: "When does a node start to refuse new jobs, and what is never refused?",
    source: "papers/architecture-whitepaper.pdf",
    title: "Kestrel: architecture of a replicated job queue",
    page: 5,
  },
} as const;
