/**
 * The rank-flow picture: each passage is a line from list to list. The lists that were searched stand under each other on the
 * left, what orders them follows to the right, the answer is last. A line can be chosen by mouse and by keyboard (arrow keys),
 * and the table below says the same in words.
 */

import { h, svg } from "../lib/dom.js";
import { folded, table } from "../lib/parts.js";
import { number, score, t } from "../lib/text.js";

/** @typedef {{ rank: number, score: number | null }} Position */
/** @typedef {{ doc_id: string, source: string, title: string, place: string }} OfDocument */
/**
 * @typedef {object} Candidate
 * @property {string} chunk_id
 * @property {Record<string, Position>} positions
 * @property {OfDocument | null} document
 * @property {boolean} live
 * @property {string} [end]
 */

const SEARCHED = ["dense", "sparse", "feedback"];
const LEAST_ROWS = 8;
const MOST_ROWS = 30;
const ROW = 22;
const COLUMN = 170;
const LEFT = 24;
const TOP = 30;
const LABELS = 390;
const MOST_LABEL = 56;

/** @param {string} name a list of the trace; one that is not known here keeps its own name */
export function listName(name) {
  switch (name) {
    case "dense":
      return t("By meaning");
    case "sparse":
      return t("By words");
    case "feedback":
      return t("Like the best");
    case "fusion":
      return t("Fused");
    case "rerank":
      return t("Reranked");
    case "context":
      return t("Answer");
    default:
      return name;
  }
}

/** @param {string} end how far a passage came, as the API says */
export function endText(end) {
  switch (end) {
    case "context":
      return t("In the answer");
    case "no_room":
      return t("No room in the context");
    case "not_served":
      return t("Left out: gone since, not readable for whoever asked, or below the least score");
    case "beyond_top_k":
      return t("Behind the passages that were asked for");
    case "beyond_list":
      return t("Behind what the trace keeps of the fused list");
    default:
      return end;
  }
}

/** @param {Candidate} candidate */
export function passageName({ document, live, chunk_id }) {
  if (!document)
    return live ? t("A passage that you may not see") : t("A passage that is gone ({0})", chunk_id.slice(0, 8));
  return [document.title || document.source, document.place].filter(Boolean).join(" · ");
}

/**
 * @param {string} label what the picture is of, for screen readers
 * @param {readonly string[]} lists names in the order of the stages
 * @param {readonly Candidate[]} candidates
 */
export function flow(label, lists, candidates) {
  const last = lists.at(-1) ?? "";
  const inAnswer = candidates.filter(({ positions }) => positions["context"]);
  const furthest = Math.max(
    0,
    ...inAnswer.flatMap(({ positions }) => Object.values(positions).map(({ rank }) => rank)),
  );
  const longest = Math.max(
    0,
    ...candidates.flatMap(({ positions }) => Object.values(positions).map(({ rank }) => rank)),
  );
  const rows = Math.min(MOST_ROWS, longest, Math.max(LEAST_ROWS, furthest));
  const columns = arranged(
    lists.map((name) => ({
      name,
      rows: Math.min(rows, Math.max(1, ...candidates.map(({ positions }) => positions[name]?.rank ?? 0))),
    })),
  );
  const height = TOP + Math.max(1, ...columns.map(({ top, rows: own }) => top + own)) * ROW + 8;
  const width = LEFT + Math.max(0, ...columns.map(({ x }) => x)) + LABELS;
  const shown = candidates.filter(({ positions }) => Object.values(positions).some(({ rank }) => rank <= rows));
  // Those of the answer are drawn last, above the others.
  const drawn = [...shown].sort(
    (a, b) => Number(Boolean(a.positions["context"])) - Number(Boolean(b.positions["context"])),
  );
  // Above all lines, and no part of them: screen readers have it all in the name of the line.
  const texts = svg("g", { class: "texts", "aria-hidden": "true" });
  const lines = new Map(drawn.map((candidate) => [candidate.chunk_id, line(candidate, columns, rows, last, texts)]));
  const order = shown.map(({ chunk_id }) => /** @type {SVGGElement} */ (lines.get(chunk_id)));
  const picture = svg(
    "svg",
    {
      class: "flow",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "listbox",
      "aria-label": label,
    },
    ...lines.values(),
    texts,
  );
  for (const { name, x, top } of columns)
    texts.append(svg("text", { class: "list", x: LEFT + x - 9, y: TOP + top * ROW - 10 }, listName(name)));
  keyboard(order);
  return h(
    "div",
    {},
    h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": label }, picture),
    folded(t("The same as a table"), () => candidateTable(label, lists, candidates)),
  );
}

/**
 * Where each list stands: those that were searched under each other, the others beside them, half way down.
 * @param {readonly { name: string, rows: number }[]} lists
 */
function arranged(lists) {
  const searched = lists.filter(({ name }) => SEARCHED.includes(name));
  const later = lists.filter(({ name }) => !SEARCHED.includes(name));
  let below = 0;
  const left = searched.map((list) => {
    const top = below;
    below += list.rows + 2;
    return { ...list, x: 0, top };
  });
  const tallest = Math.max(0, ...later.map(({ rows }) => rows));
  const top = Math.max(0, (below - 2 - tallest) / 2);
  return [
    ...left,
    ...later.map((list, index) => ({
      ...list,
      x: (index + (left.length > 0 ? 1 : 0)) * COLUMN,
      top,
    })),
  ];
}

/**
 * One passage: its lines, its ranks, and its name beside its last rank in the answer.
 * @param {Candidate} candidate
 * @param {ReturnType<typeof arranged>} columns
 * @param {number} rows
 * @param {string} last
 * @param {SVGGElement} texts where what is written goes
 */
function line(candidate, columns, rows, last, texts) {
  const { positions } = candidate;
  const points = columns.flatMap(({ name, x, top }) => {
    const rank = positions[name]?.rank;
    return rank === undefined || rank > rows ? [] : [{ name, rank, x: LEFT + x, y: TOP + (top + rank - 0.5) * ROW }];
  });
  const later = points.filter(({ name }) => !SEARCHED.includes(name));
  const first = later[0];
  const pairs = [
    ...points.flatMap((point) => (SEARCHED.includes(point.name) && first ? [[point, first]] : [])),
    ...later.slice(1).map((point, index) => [later[index], point]),
  ];
  const answer = positions["context"]?.rank;
  const group = svg(
    "g",
    {
      class: answer ? `passage p${(answer - 1) % 8}` : "passage",
      role: "option",
      tabindex: -1,
      "aria-label": inWords(candidate),
    },
    svg("title", {}, inWords(candidate)),
  );
  for (const [from, to] of pairs) {
    if (!from || !to) continue;
    const half = (from.x + to.x) / 2;
    group.append(
      svg("path", {
        d: `M${from.x} ${from.y}C${half} ${from.y} ${half} ${to.y} ${to.x} ${to.y}`,
      }),
    );
  }
  for (const { x, y, rank } of points) {
    group.append(svg("circle", { cx: x, cy: y, r: 9 }));
    texts.append(svg("text", { x, y: y + 4, class: "rank" }, rank));
  }
  const end = points.at(-1);
  if (end && end.name === last && answer)
    texts.append(svg("text", { x: end.x + 16, y: end.y + 4 }, cut(passageName(candidate))));
  return group;
}

/** @param {Candidate} candidate */
function inWords(candidate) {
  const ranks = Object.entries(candidate.positions).map(([name, { rank }]) => `${listName(name)} ${number(rank)}`);
  const end = candidate.end && candidate.end !== "context" ? [endText(candidate.end)] : [];
  return `${passageName(candidate)}: ${[...ranks, ...end].join(", ")}`;
}

/** @param {string} text */
const cut = (text) => (text.length > MOST_LABEL ? `${text.slice(0, MOST_LABEL - 1)}…` : text);

/**
 * One of them is reached by Tab, the others from it by arrow keys; the chosen one stands out.
 * @param {readonly SVGGElement[]} lines
 */
function keyboard(lines) {
  lines[0]?.setAttribute("tabindex", "0");
  lines.forEach((own, index) => {
    own.addEventListener("focus", () => {
      for (const one of lines) {
        one.setAttribute("tabindex", one === own ? "0" : "-1");
        one.setAttribute("aria-selected", String(one === own));
      }
    });
    own.addEventListener("keydown", (event) => {
      const steps = {
        ArrowDown: 1,
        ArrowRight: 1,
        ArrowUp: -1,
        ArrowLeft: -1,
        Home: -index,
        End: lines.length - 1 - index,
      };
      const step = steps[/** @type {keyof typeof steps} */ (event.key)];
      if (step === undefined) return;
      event.preventDefault();
      lines[index + step]?.focus();
    });
  });
}

/**
 * @param {string} caption
 * @param {readonly string[]} lists
 * @param {readonly Candidate[]} candidates
 */
export function candidateTable(caption, lists, candidates) {
  const columns = [
    { title: t("Passage") },
    ...lists.map((name) => ({ title: listName(name), isNumber: true })),
    ...(candidates.some(({ end }) => end) ? [{ title: t("How far it came") }] : []),
  ];
  const rows = candidates.map((candidate) => [
    passageLink(candidate),
    ...lists.map((name) => {
      const position = candidate.positions[name];
      if (!position) return "–";
      return position.score === null ? number(position.rank) : `${number(position.rank)} (${score(position.score)})`;
    }),
    ...(candidate.end ? [endText(candidate.end)] : []),
  ]);
  return table(caption, columns, rows);
}

/** @param {Candidate} candidate */
export function passageLink(candidate) {
  const name = passageName(candidate);
  if (!candidate.document) return name;
  const { doc_id } = candidate.document;
  return h(
    "a",
    {
      href: `#/documents/${encodeURIComponent(doc_id)}?chunk=${encodeURIComponent(candidate.chunk_id)}`,
    },
    name,
  );
}
