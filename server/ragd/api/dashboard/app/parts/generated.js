/** The answer in words with what bears each sentence out, and the prompt that the model got, as far as the trace keeps them. */

import { h } from "../lib/dom.js";
import { badge, facts, folded, quiet, table } from "../lib/parts.js";
import { number, score, t } from "../lib/text.js";
import { passageLink } from "./flow.js";

/** @typedef {{ start: number, end: number, score: number, supported: boolean, citations: readonly number[] }} Sentence */

/**
 * @param {any} summary what the event `generation.summary` holds; empty where nothing was written
 * @param {any} prompt what the event `generation.prompt` holds; empty where the trace keeps none
 * @param {readonly any[]} candidates of the question's flow
 * @returns {HTMLElement | null} null where nothing was written
 */
export function generated(summary, prompt, candidates) {
  const isWritten = summary.provider !== undefined;
  if (!isWritten && !prompt.messages) return null;
  /** @type {readonly Sentence[]} */
  const support = summary.support ?? [];
  const passages = numbered(summary.given ?? [], candidates);
  const isKept = typeof summary.answer === "string" || prompt.messages !== undefined;
  return h(
    "div",
    {},
    isWritten && about(summary, support),
    typeof summary.answer === "string" && marked(summary.answer, support, passages),
    typeof summary.answer !== "string" && support.length > 0 && sentences(support, passages),
    prompt.messages && folded(t("The prompt that was sent"), () => messages(prompt.messages)),
    !isKept && quiet(t("The trace keeps prompts and answers with observability.detail_level: verbose.")),
  );
}

/**
 * The passages by the numbers that the answer gives them.
 * @param {readonly { id: number, chunk_ids: readonly string[] }[]} given
 * @param {readonly any[]} candidates
 */
function numbered(given, candidates) {
  return new Map(
    given.map(({ id, chunk_ids }) => [id, candidates.find(({ chunk_id }) => chunk_ids.includes(chunk_id)) ?? null]),
  );
}

/**
 * @param {any} summary
 * @param {readonly Sentence[]} support
 */
function about(summary, support) {
  const bare = support.filter(({ supported }) => !supported).length;
  return h(
    "div",
    {},
    h(
      "p",
      { class: "badges" },
      summary.found === false && badge(t("It says that nothing was found"), "warn"),
      summary.finish && summary.finish !== "complete" && badge(t("Ended: {0}", summary.finish), "warn"),
      support.length > 0 &&
        (bare > 0
          ? badge(
              t("{0} of {1} sentences are not supported by the passages", number(bare), number(support.length)),
              "bad",
            )
          : badge(t("Every sentence is supported by a passage"), "good")),
    ),
    facts([
      [t("Written by"), [summary.provider, summary.model].filter(Boolean).join(" ")],
      [t("Wrong references, removed"), summary.removed_citations > 0 && number(summary.removed_citations)],
      [
        t("Tokens"),
        Object.entries(summary.usage ?? {})
          .map(([name, count]) => `${name} ${String(count)}`)
          .join(", "),
      ],
    ]),
  );
}

/**
 * The answer with its sentences marked. Places are code points, as the daemon counts them.
 * @param {string} answer
 * @param {readonly Sentence[]} support
 * @param {ReturnType<typeof numbered>} passages
 */
function marked(answer, support, passages) {
  const points = Array.from(answer);
  const place = h("div", { class: "words answer" });
  let done = 0;
  for (const sentence of support) {
    place.append(points.slice(done, sentence.start).join(""));
    const said = t("{0}, score {1}", sentence.supported ? t("Supported") : t("Not supported"), score(sentence.score));
    place.append(
      h(
        "mark",
        { class: sentence.supported ? "good" : "bad", title: said },
        points.slice(sentence.start, sentence.end).join(""),
        h("span", { class: "unseen" }, ` (${said})`),
      ),
    );
    done = sentence.end;
  }
  place.append(points.slice(done).join(""));
  return h("div", {}, place, sources(support, passages));
}

/**
 * Which passages bear the sentences out.
 * @param {readonly Sentence[]} support
 * @param {ReturnType<typeof numbered>} passages
 */
function sources(support, passages) {
  const used = [...new Set(support.flatMap(({ citations }) => citations))].sort((a, b) => a - b);
  if (used.length === 0) return null;
  return h("ul", { class: "plain" }, ...used.map((id) => h("li", {}, ...named(id, passages))));
}

/**
 * @param {number} id
 * @param {ReturnType<typeof numbered>} passages
 */
function named(id, passages) {
  const passage = passages.get(id);
  return [`[${number(id)}] `, passage ? passageLink(passage) : t("A passage that no list of the trace holds")];
}

/**
 * The sentences without their words.
 * @param {readonly Sentence[]} support
 * @param {ReturnType<typeof numbered>} passages
 */
function sentences(support, passages) {
  const columns = [
    { title: t("Sentence"), isNumber: true },
    { title: t("State") },
    { title: t("Score"), isNumber: true },
    { title: t("Supported by") },
  ];
  const rows = support.map((one, at) => [
    number(at + 1),
    one.supported ? badge(t("Supported"), "good") : badge(t("Not supported"), "bad"),
    score(one.score),
    one.citations.length === 0
      ? "–"
      : h("ul", { class: "plain" }, ...one.citations.map((id) => h("li", {}, ...named(id, passages)))),
  ]);
  return table(t("Sentences of the answer"), columns, rows);
}

/** @param {readonly { role: string, text: string }[]} all */
function messages(all) {
  return h(
    "div",
    {},
    ...all.map(({ role, text }) =>
      h("div", { class: "event" }, h("strong", {}, role), h("pre", { class: "commands" }, text)),
    ),
  );
}
