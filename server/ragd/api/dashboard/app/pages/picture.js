/** All that is known of a picture: what was read in it, what is said of it and by whom, where it stands. */

import { get, part, send } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { action, badge, facts, quiet, section, table } from "../lib/parts.js";
import { number, t, time } from "../lib/text.js";
import { by, cells, described, diagram, typeName } from "../parts/pictures/pictureFacts.js";
import { pictureWithWords } from "../parts/pictures/pictureWords.js";

/** @type {import("../dashboard.js").Page} */
export async function picture({ id, signal }) {
  const path = `/api/assets/${part(id)}`;
  const known = await get(`${path}/details`, {}, signal);
  const said = known.description;
  const title = said?.title || known.documents[0]?.title || t("Picture");
  const failed = known.descriptions.find((/** @type {any} */ one) => one.error);
  return h(
    "div",
    {},
    h("p", { class: "above" }, h("a", { href: "#/pictures" }, t("Pictures"))),
    h("h1", {}, title),
    h("p", { class: "badges" }, !said && badge(t("Not described"), "warn"), again(id)),
    failed && h("p", { class: "failure" }, t("{0} could not describe it: {1}", by(failed), failed.error)),
    pictureWithWords(path, known, title),
    said && described(said, id),
    said && cells(said),
    said && diagram(said),
    section(t("Where it stands"), places(known)),
    section(t("Every description"), history(known.descriptions)),
    section(
      t("The file"),
      facts([
        [t("Type"), known.mime],
        [t("Size"), t("{0} × {1} pixels", number(known.width), number(known.height))],
        [t("Id"), h("code", {}, known.asset_id)],
      ]),
    ),
  );
}

/** @param {string} id */
function again(id) {
  return action(t("Describe again"), async () => {
    const { job_id } = await send("POST", "/api/assets/caption", { asset_ids: [id], anew: true });
    return job_id ? t("It is in the queue.") : t("Nothing was queued.");
  });
}

/** @param {any} known */
function places({ documents, passages }) {
  if (documents.length === 0) return quiet(t("No document that you may see shows it."));
  return h("ul", {}, ...documents.map((/** @type {any} */ one) => standing(one, passages)));
}

/**
 * @param {any} document
 * @param {readonly any[]} passages of all documents
 */
function standing({ id, title, source }, passages) {
  const own = passages.filter(({ doc_id }) => doc_id === id);
  return h(
    "li",
    {},
    h("a", { href: `#/documents/${part(id)}` }, title || source),
    title && ` ${source}`,
    own.length > 0 && h("ul", {}, ...own.map((one) => h("li", {}, passageLink(one)))),
  );
}

/** @param {any} passage */
function passageLink({ doc_id, chunk_id, section_path, content, page, slide }) {
  const where = page ? t("Page {0}", number(page)) : slide ? t("Slide {0}", number(slide)) : "";
  const name = [section_path.join(" › "), where].filter(Boolean).join(", ");
  return h(
    "span",
    {},
    h("a", { href: `#/documents/${part(doc_id)}?chunk=${part(chunk_id)}` }, name || t("A passage")),
    h("span", { class: "quiet" }, ` ${content}`),
  );
}

/** @param {readonly any[]} rows */
function history(rows) {
  if (rows.length === 0) return quiet(t("Nobody has described it yet."));
  const columns = [
    { title: t("When") },
    { title: t("By") },
    { title: t("Type") },
    { title: t("What was said") },
    { title: t("Tokens"), isNumber: true },
    { title: t("Cost"), isNumber: true },
  ];
  return table(
    t("Every description"),
    columns,
    rows.map((one) => [
      time(one.created_at),
      by(one),
      one.error ? "–" : typeName(one.image_type),
      one.error ? h("span", { class: "failure" }, one.error) : one.summary || t("Nothing was said."),
      one.input_tokens + one.output_tokens > 0 ? number(one.input_tokens + one.output_tokens) : "–",
      one.cost > 0 ? number(one.cost, 4) : "–",
    ]),
  );
}
