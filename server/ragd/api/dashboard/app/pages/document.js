/** One document: its text with the borders of its chunks drawn in it, its pages with the place of a chunk, and what each chunk is. */

import { get, part, send } from "../lib/api.js";
import { h, outside } from "../lib/dom.js";
import { action, facts, failure, folded, pager, quiet, section, table, tree } from "../lib/parts.js";
import { number, size, t, time } from "../lib/text.js";
import { diff } from "../parts/diff.js";
import { pagePicture } from "../parts/page.js";
import { pictureCard, thumbnail } from "../parts/pictures/pictureCard.js";
import { documentBadge } from "./documents.js";
import { readings } from "./reading.js";

const CHUNKS = 50;

/** @type {import("../dashboard.js").Page} */
export async function document({ id, query, signal }) {
  const path = `/api/documents/${part(id)}`;
  const known = await get(path, {}, signal);
  const wanted = query.get("chunk") ?? "";
  const page = wanted ? await pageOf(path, wanted, signal) : Number(query.get("page") ?? 1);
  const [content, chunks] = await Promise.all([
    get(`${path}/content`, {}, signal),
    get(`${path}/chunks`, { page, page_size: CHUNKS }, signal),
  ]);
  /** @param {number} to */
  const link = (to) => `#/documents/${part(id)}?page=${to}`;
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/documents" }, t("Documents"))),
    h("h1", {}, known.title || known.source),
    h("p", { class: "badges" }, documentBadge(known), actions(known)),
    about(known),
    section(
      t("Chunks in what was read"),
      chunks.total === 0
        ? quiet(t("Nothing of this document can be found: it has no chunks."))
        : text(path, content.markdown, chunks.items, wanted),
      pager(chunks, link),
    ),
    pictures(chunks.items),
    section(t("Versions"), versions(known, content.markdown)),
    section(t("How it was read"), readings({ doc_id: id })),
  );
}

/**
 * The page of the list of chunks that holds this one; the first where none does.
 * @param {string} path
 * @param {string} chunk
 * @param {AbortSignal} signal
 */
async function pageOf(path, chunk, signal) {
  for (let page = 1; ; page += 1) {
    const { items, total } = await get(`${path}/chunks`, { page, page_size: CHUNKS }, signal);
    if (items.some((/** @type {any} */ one) => one.chunk_id === chunk)) return page;
    if (page * CHUNKS >= total) return 1;
  }
}

/** @param {any} known */
function actions(known) {
  const path = `/api/documents/${part(known.id)}`;
  return action(t("Read again"), async () => {
    await send("POST", `${path}/reindex`);
    return t("It is in the queue.");
  });
}

/** @param {any} known */
function about(known) {
  return facts([
    [t("Path"), outside(known.source_uri, known.source)],
    [t("Collection"), known.collection],
    [t("Type"), known.doc_type],
    [t("Language"), known.language],
    [t("Size"), size(known.size)],
    [t("Chunks"), number(known.chunk_count)],
    [t("Changed"), time(known.updated_at)],
    [t("Summary"), known.summary],
    [t("Tags"), known.tags.join(", ")],
    [t("Keywords"), known.keywords.join(", ")],
    [t("Warnings"), known.warnings.length > 0 && tree(known.warnings)],
    [t("Metadata"), Object.keys(known.metadata).length > 0 && tree(known.metadata)],
  ]);
}

/**
 * What is known of the pictures of the chunks above; loaded when it is opened.
 * @param {readonly { image_refs: readonly string[] }[]} chunks
 */
function pictures(chunks) {
  const ids = [...new Set(chunks.flatMap(({ image_refs }) => image_refs))];
  if (ids.length === 0) return null;
  return section(
    t("Pictures of these chunks"),
    folded(
      ids.length === 1
        ? t("1 picture: words, descriptions, drawings")
        : t("{0} pictures: words, descriptions, drawings", number(ids.length)),
      () => h("div", {}, ...ids.map(pictureCard)),
    ),
  );
}

/**
 * @param {any} known
 * @param {string} markdown of the live version
 */
function versions(known, markdown) {
  const columns = [
    { title: t("Read at") },
    { title: t("State") },
    { title: t("Read by") },
    { title: t("Sections"), isNumber: true },
    { title: t("Chunks"), isNumber: true },
    { title: t("What changed since") },
  ];
  const rows = known.versions.map((/** @type {any} */ one) => [
    time(one.ready_at ?? one.created_at),
    one.version_id === known.version_id ? t("Live") : one.status,
    `${one.loader} ${one.loader_version}`,
    number(one.section_count),
    number(one.chunk_count),
    one.version_id === known.version_id ? "–" : folded(t("Show"), () => changed(known.id, one.version_id, markdown)),
  ]);
  return table(t("Versions"), columns, rows);
}

/**
 * @param {string} id
 * @param {string} version_id
 * @param {string} markdown of the live version
 */
function changed(id, version_id, markdown) {
  const place = h("div", {}, quiet(t("Being compared …")));
  get(`/api/documents/${part(id)}/content`, { version_id }).then(
    (older) => place.replaceChildren(diff(older.markdown, markdown)),
    (error) => place.replaceChildren(failure(error)),
  );
  return place;
}

/**
 * Where each chunk stands in the text: they follow each other, and one may begin within the one before. One that is not there
 * letter by letter (a table's part with its headings repeated) has no place.
 * @param {string} markdown
 * @param {readonly { content: string }[]} chunks in their order
 * @returns {({ start: number, end: number } | undefined)[]}
 */
export function places(markdown, chunks) {
  let from = 0;
  return chunks.map(({ content }) => {
    const start = content === "" ? -1 : markdown.indexOf(content, from);
    if (start < 0) return undefined;
    from = start + 1;
    return { start, end: start + content.length };
  });
}

/**
 * @param {string} path
 * @param {string} markdown
 * @param {readonly any[]} chunks
 * @param {string} wanted the chunk that is shown first
 */
function text(path, markdown, chunks, wanted) {
  const found = places(markdown, chunks);
  const details = h("div", {
    class: "details",
    tabindex: 0,
    role: "region",
    "aria-live": "polite",
    "aria-label": t("The chosen chunk"),
  });
  /** @type {HTMLButtonElement[]} */
  const buttons = [];
  /** @param {number} index */
  function choose(index) {
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(at === index)));
    details.replaceChildren(chunkFacts(path, chunks, found, index, choose));
  }
  const read = h("div", { class: "read", tabindex: 0, role: "group", "aria-label": t("What was read") });
  let done = found.find((place) => place)?.start ?? 0;
  chunks.forEach((chunk, index) => {
    const place = found[index];
    const start = place ? Math.max(place.start, done) : done;
    const end = place ? Math.max(place.end, done) : done;
    if (start > done) read.append(h("span", { class: "between" }, markdown.slice(done, start)));
    const button = h(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        "aria-label": t("Chunk {0}", number(chunk.ordinal + 1)),
        onclick: () => choose(index),
      },
      number(chunk.ordinal + 1),
    );
    buttons.push(button);
    read.append(h("div", { class: "chunk" }, button, place ? markdown.slice(start, end) : h("i", {}, chunk.content)));
    done = end;
  });
  const first = Math.max(
    0,
    chunks.findIndex(({ chunk_id }) => chunk_id === wanted),
  );
  choose(first);
  requestAnimationFrame(() => {
    if (wanted) buttons[first]?.scrollIntoView({ block: "center" });
  });
  return h("div", { class: "document" }, read, details);
}

/**
 * @param {string} path
 * @param {readonly any[]} chunks
 * @param {ReturnType<typeof places>} found
 * @param {number} index
 * @param {(index: number) => void} choose
 */
function chunkFacts(path, chunks, found, index, choose) {
  const chunk = chunks[index];
  const [place, before] = [found[index], found[index - 1]];
  const overlap = place && before ? before.end - place.start : 0;
  return h(
    "div",
    { class: "card" },
    h("h3", {}, t("Chunk {0}", number(chunk.ordinal + 1))),
    facts([
      [t("Section"), chunk.section_path.join(" › ")],
      [t("Page"), chunk.page && number(chunk.page)],
      [t("Slide"), chunk.slide && number(chunk.slide)],
      [t("Sheet"), chunk.sheet && [chunk.sheet, chunk.cell_range].filter(Boolean).join(" ")],
      [t("Lines"), chunk.line_range && chunk.line_range.join("–")],
      [t("Characters"), number(chunk.content.length)],
      [t("Shared with the chunk before"), overlap > 0 && t("{0} characters", number(overlap))],
      [t("In the text"), !place && t("Not letter by letter: the chunk has words that were repeated or left out.")],
      [t("Pictures"), chunk.image_refs.length > 0 && number(chunk.image_refs.length)],
      [t("Enrichment"), chunk.enrichment && tree(chunk.enrichment)],
      [t("Id"), h("code", {}, chunk.chunk_id)],
    ]),
    folded(t("Questions that came upon it"), () => questionsOf(chunk.chunk_id)),
    ...chunk.image_refs.map(thumbnail),
    chunk.page && pagePicture(path, chunk, chunks, choose),
  );
}

/** @param {string} chunk_id */
function questionsOf(chunk_id) {
  const place = h("div", {}, quiet(t("Being looked for …")));
  get("/api/traces", { chunk_id, page_size: 20 }).then(
    ({ items, total }) =>
      place.replaceChildren(
        items.length === 0
          ? quiet(t("No question that is kept came upon it."))
          : h("ul", {}, ...items.map(questionLink)),
        total > items.length ? quiet(t("These are the newest of {0}.", number(total))) : "",
      ),
    (error) => place.replaceChildren(failure(error)),
  );
  return place;
}

/** @param {{ trace_id: string, question: string | null, started_at: string }} one */
const questionLink = ({ trace_id, question, started_at }) =>
  h(
    "li",
    {},
    h("a", { href: `#/questions/${part(trace_id)}` }, question ?? t("(the text was not kept)")),
    ` ${time(started_at)}`,
  );
