/** Which page stands at which address, and the frame around it: the same in a browser and inside the editor. */

import { h } from "./lib/dom.js";
import { failure, quiet } from "./lib/parts.js";
import { t } from "./lib/text.js";
import { dataset } from "./pages/dataset.js";
import { datasets } from "./pages/datasets.js";
import { document as documentPage } from "./pages/document.js";
import { documents } from "./pages/documents.js";
import { evaluation } from "./pages/evaluation.js";
import { evaluations } from "./pages/evaluations.js";
import { ingestion } from "./pages/ingestion.js";
import { labelling } from "./pages/labelling.js";
import { labels } from "./pages/labels.js";
import { ledger } from "./pages/ledger.js";
import { ledgers } from "./pages/ledgers.js";
import { overview } from "./pages/overview.js";
import { picture } from "./pages/picture.js";
import { pictures } from "./pages/pictures.js";
import { reading } from "./pages/reading.js";
import { question } from "./pages/question.js";
import { questions } from "./pages/questions.js";

/**
 * @typedef {object} Visit
 * @property {string} id what follows the page's name in the address; empty for the page itself
 * @property {URLSearchParams} query
 * @property {AbortSignal} signal ends when the page is left
 * @property {(page: string, query?: Record<string, string>) => void} go
 */
/** @typedef {(visit: Visit) => Promise<HTMLElement>} Page */

/** @type {Record<string, { list: Page, one?: Page, title: () => string }>} */
const PAGES = {
  overview: { list: overview, title: () => t("Overview") },
  documents: { list: documents, one: documentPage, title: () => t("Documents") },
  pictures: { list: pictures, one: picture, title: () => t("Pictures") },
  ingestion: { list: ingestion, one: reading, title: () => t("Ingestion") },
  ledger: { list: ledgers, one: ledger, title: () => t("Ledger") },
  questions: { list: questions, one: question, title: () => t("Questions") },
  evaluation: { list: evaluations, one: evaluation, title: () => t("Evaluation") },
  datasets: { list: datasets, one: dataset, title: () => t("Datasets") },
  labels: { list: labels, one: labelling, title: () => t("Labels") },
};
const FIRST = "overview";

let leaving = new AbortController();

/**
 * Draw the page of the present address, now and whenever it changes.
 * @param {HTMLElement} body
 * @param {() => HTMLElement} corner what stands at the end of the header
 */
export function start(body, corner) {
  const main = h("main", { id: "main", tabindex: -1 });
  const links = Object.entries(PAGES).map(([name, { title }]) => ({
    name,
    link: h("a", { href: `#/${name}` }, title()),
  }));
  const draw = () => void show(main, links);
  addEventListener("hashchange", draw);
  body.replaceChildren(frame(links, corner), main);
  draw();
}

/**
 * @param {HTMLElement} main
 * @param {readonly { name: string, link: HTMLElement }[]} links
 */
async function show(main, links) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const [path = "", search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name = "", id = ""] = path.split("/").map(decodeURIComponent);
  const page = PAGES[name] ?? PAGES[FIRST];
  const draw = id ? page?.one : page?.list;
  const current = PAGES[name] ? name : FIRST;
  for (const one of links) {
    if (one.name === current) one.link.setAttribute("aria-current", "page");
    else one.link.removeAttribute("aria-current");
  }
  main.setAttribute("aria-busy", "true");
  let drawn;
  try {
    if (!draw) throw new Error(t("There is no such page."));
    drawn = await draw({ id, query: new URLSearchParams(search), signal, go });
  } catch (error) {
    if (signal.aborted) return;
    drawn = h(
      "div",
      {},
      failure(error),
      isUnknown(error) && quiet(t("This session is over, or was never begun. Run: rag dashboard")),
    );
  }
  if (signal.aborted) return;
  main.replaceChildren(drawn);
  main.dataset["address"] = location.hash;
  main.removeAttribute("aria-busy");
  const heading = main.querySelector("h1")?.textContent;
  document.title = heading ? `${heading} – RAG Assistant` : "RAG Assistant";
  scrollTo(0, 0);
}

/** @param {unknown} error */
const isUnknown = (error) => /** @type {{ code?: string }} */ (error).code === "UNAUTHORIZED";

/** @type {Visit["go"]} */
function go(page, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = new URLSearchParams(given).toString();
  location.hash = `#/${page}${search ? `?${search}` : ""}`;
}

/**
 * @param {readonly { link: HTMLElement }[]} links
 * @param {() => HTMLElement} corner
 */
function frame(links, corner) {
  return h(
    "header",
    {},
    h("a", { class: "skip", href: "#main", onclick: skip }, t("To the content")),
    h("nav", { "aria-label": t("Dashboard") }, h("ul", {}, ...links.map(({ link }) => h("li", {}, link)))),
    corner(),
  );
}

/** @param {MouseEvent} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
