/** The dashboard: which page stands at which address, and the frame around it. */

import { browserTransport, useTransport } from "./lib/api.js";
import { h } from "./lib/dom.js";
import { failure, quiet } from "./lib/parts.js";
import { LANGUAGES, currentLanguage, nearestLanguage, t, useLanguage } from "./lib/text.js";
import { attention } from "./pages/attention.js";
import { document as documentPage } from "./pages/document.js";
import { documents } from "./pages/documents.js";
import { ingestion } from "./pages/ingestion.js";
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
  attention: { list: attention, title: () => t("Attention") },
  documents: { list: documents, one: documentPage, title: () => t("Documents") },
  ingestion: { list: ingestion, title: () => t("Ingestion") },
  questions: { list: questions, one: question, title: () => t("Questions") },
};
const FIRST = "attention";
const LANGUAGE = "ragd.dashboard.language";

let leaving = new AbortController();

/**
 * Draw the page of the present address, now and whenever it changes.
 * @param {HTMLElement} body
 */
export function start(body) {
  const main = h("main", { id: "main", tabindex: -1 });
  const draw = () => void show(body, main);
  addEventListener("hashchange", draw);
  body.replaceChildren(main);
  draw();
}

/**
 * @param {HTMLElement} body
 * @param {HTMLElement} main
 */
async function show(body, main) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const [path = "", search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name = "", id = ""] = path.split("/").map(decodeURIComponent);
  const page = PAGES[name] ?? PAGES[FIRST];
  const draw = id ? page?.one : page?.list;
  body.replaceChildren(frame(PAGES[name] ? name : FIRST), main);
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

/** @param {string} current */
function frame(current) {
  const links = Object.entries(PAGES).map(([name, { title }]) =>
    h(
      "li",
      {},
      h(
        "a",
        {
          href: `#/${name}`,
          "aria-current": name === current ? "page" : undefined,
        },
        title(),
      ),
    ),
  );
  const language = h(
    "select",
    { "aria-label": t("Language") },
    ...Object.entries(LANGUAGES).map(([name, title]) =>
      h("option", { value: name, lang: name, selected: name === currentLanguage() }, title),
    ),
  );
  language.addEventListener("change", () => {
    localStorage.setItem(LANGUAGE, language.value);
    location.reload();
  });
  return h(
    "header",
    {},
    h("a", { class: "skip", href: "#main", onclick: skip }, t("To the content")),
    h("nav", { "aria-label": t("Dashboard") }, h("ul", {}, ...links)),
    inEditor ? null : language,
  );
}

/** @param {MouseEvent} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

const inEditor = document.documentElement.dataset["host"] === "editor";

async function begin() {
  useTransport(browserTransport());
  const language = localStorage.getItem(LANGUAGE) ?? nearestLanguage(navigator.languages);
  const texts = language === "en" ? {} : await (await fetch(`/dashboard/l10n/${language}.json`)).json();
  useLanguage(language, texts);
  start(document.body);
}

if (!inEditor) void begin();
