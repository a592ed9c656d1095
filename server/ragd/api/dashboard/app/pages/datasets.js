/** Datasets of questions that the daemon keeps, and how to make another one. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { failure, pager, quiet, section, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { field } from "../parts/fields.js";

/** @type {import("../dashboard.js").Page} */
export async function datasets({ query, signal, go }) {
  const page = Number(query.get("page") ?? 1);
  const found = await get("/api/datasets", { page, page_size: 50 }, signal);
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/evaluation" }, t("Evaluation"))),
    h("h1", {}, t("Datasets of questions")),
    quiet(
      t(
        "Each question with what answers it. A run asks them all, and names the version by its digest: rag eval run, too.",
      ),
    ),
    found.items.length === 0 ? quiet(t("There is none yet.")) : list(found.items),
    pager(found, (to) => `#/datasets?page=${to}`),
    section(t("Create a dataset"), makeForm(go)),
  );
}

/** @param {readonly any[]} rows */
function list(rows) {
  const columns = [
    { title: t("Dataset") },
    { title: t("Questions"), isNumber: true },
    { title: t("Version"), isNumber: true },
    { title: t("Digest") },
    { title: t("Changed") },
    { title: t("By") },
  ];
  return table(
    t("Datasets of questions"),
    columns,
    rows.map((one) => [
      h("a", { href: `#/datasets/${part(one.name)}` }, one.name),
      number(one.questions),
      number(one.position),
      h("code", {}, one.digest.slice(0, 8)),
      time(one.created_at),
      one.author,
    ]),
  );
}

/** @param {import("../dashboard.js").Visit["go"]} go */
function makeForm(go) {
  const name = h("input", { type: "text", required: true, maxlength: 64 });
  const file = h("input", { type: "file", accept: ".yaml,.yml" });
  const said = h("div", { role: "status" });
  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    try {
      const text = (await file.files?.[0]?.text()) ?? "";
      await send("POST", "/api/datasets", { name: name.value.trim(), text });
      go(`datasets/${part(name.value.trim())}`);
    } catch (error) {
      said.replaceChildren(failure(error));
    }
  }
  return h(
    "form",
    { onsubmit: (/** @type {SubmitEvent} */ event) => void submit(event) },
    h(
      "div",
      { class: "controls" },
      field(t("Name"), name),
      field(t("From a YAML file (else empty)"), file),
      h("button", { class: "primary" }, t("Create")),
    ),
    said,
  );
}
