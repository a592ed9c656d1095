// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import { dataset } from "../../../../server/ragd/api/dashboard/app/pages/dataset.js";
import { datasets } from "../../../../server/ragd/api/dashboard/app/pages/datasets.js";
import { HOSTILE, type Sent, answering, settled, unfold, visit } from "./fixtures";

const DIGEST = "a".repeat(32);
const OLD = "b".repeat(32);
const TRACE = "c".repeat(32);
const page = (items: readonly unknown[]) => ({ items, total: items.length, page: 1, page_size: 20 });
const version = (text: string, digest = DIGEST, position = 2) => ({
  name: text,
  position,
  digest,
  questions: 1,
  author: text,
  created_at: "2026-11-24T04:00:00.000Z",
});
const question = (text: string) => ({
  id: "one",
  query: text,
  type: text,
  relevant: [
    { source: text, place: { lines: [3, 9] }, grade: 2 },
    { source: "b.md", place: {} },
  ],
  facts: [text, ["30 days", "a month"]],
  filters: { language: "ja" },
});
const result = (text: string) => ({
  chunk_id: "c1",
  doc_id: "d1",
  source: text,
  section_path: ["Restore", text],
  content: text,
  score: 0.5,
});

function asked(text: string, digest = DIGEST): Sent[] {
  return answering({
    "GET /api/datasets": page([version(text)]),
    "POST /api/datasets": version(text),
    "POST /api/datasets/sample": version(text),
    "GET /api/datasets/mine": {
      version: version(text, digest, digest === DIGEST ? 2 : 1),
      versions: [version(text), version(text, OLD, 1)],
      unlabelled: 1,
      questions: page([
        { number: 1, question: question(text) },
        { number: 2, question: { id: TRACE, query: text, unlabelled: true } },
      ]),
    },
    "GET /api/datasets/mine/text": { name: text, digest, text },
    "PATCH /api/datasets/mine": version(text),
    "GET /api/evaluations": page([
      { run_id: "r1", name: text, strategy: text, dataset_hash: digest, started_at: "2026-11-24T04:00:00.000Z" },
      { run_id: "r2", name: text, strategy: text, dataset_hash: "other", started_at: "2026-11-24T04:00:00.000Z" },
    ]),
    "GET /api/collections": page([{ name: text, status: "enabled" }]),
    "POST /api/query": { results: [result(text)] },
  });
}

const submitted = async (form: HTMLFormElement | null | undefined): Promise<void> => {
  form?.dispatchEvent(new Event("submit", { cancelable: true }));
  await settled();
};
const patches = (sent: readonly Sent[]) => sent.flatMap(({ method, body }) => (method === "PATCH" ? [body] : []));

/** The forms of the first question, or of a new one: the search, and the question itself. */
async function opened(sent: Sent[], which: string) {
  const root = await visit(dataset, "mine");
  await unfold(root);
  const details = [...root.querySelectorAll("details")].find((one) => one.querySelector("summary")?.textContent === which);
  const [search, form] = [...(details?.querySelectorAll("form") ?? [])];
  const button = (name: string) => [...(details?.querySelectorAll("button") ?? [])].find((one) => one.textContent === name);
  return { root, search, form, button, sent };
}

describe("a dataset", () => {
  it("shows its questions with what answers them, and the runs that name its digest", async () => {
    asked("backups");
    const root = await visit(dataset, "mine");
    expect(root.querySelector("article")?.textContent).toContain("backups, lines 3–9 (grade 2)");
    expect(root.querySelector("article")?.textContent).toContain("backups; 30 days | a month");
    const links = [...root.querySelectorAll("a")].map((link) => link.getAttribute("href"));
    expect(links).toContain("#/evaluation/r1");
    expect(links).not.toContain("#/evaluation/r2");
    expect(links).toContain(`#/datasets/mine?digest=${OLD}`);
  });

  it("of an older version nothing is changed but that it counts again", async () => {
    const sent = asked("backups", OLD);
    const root = await visit(dataset, "mine", { digest: OLD });
    expect(root.querySelectorAll("article details")).toHaveLength(0);
    [...root.querySelectorAll("button")].find(({ textContent }) => textContent === "Restore this version")?.click();
    await settled();
    expect(patches(sent)).toEqual([{ base: DIGEST, restore: OLD }]);
  });

  it("loses a question only after it was asked", async () => {
    const sent = asked("backups");
    const root = await visit(dataset, "mine");
    root.querySelector<HTMLButtonElement>('button[aria-label="Remove: one"]')?.click();
    expect(patches(sent)).toEqual([]);
    root.querySelector<HTMLButtonElement>(".asked button")?.click();
    await settled();
    expect(patches(sent)).toEqual([{ base: DIGEST, remove: "one" }]);
  });
});

describe("a question that waits for labels", () => {
  it("leads to the passages of its trace, and labels are taken over for the version that is shown", async () => {
    const sent = asked("backups");
    const root = await visit(dataset, "mine");
    const links = [...root.querySelectorAll("article a")].map((link) => link.getAttribute("href"));
    expect(links).toEqual([`#/labels/mark?trace=${TRACE}&question=backups`]);
    expect(root.textContent).toContain("1 questions wait");
    [...root.querySelectorAll("button")].find(({ textContent }) => textContent === "Take the labels over")?.click();
    await settled();
    expect(patches(sent)).toEqual([{ base: DIGEST, take_labels: true }]);
  });

  it("still waits when it was edited, until something answers it", async () => {
    const { form, button, search, sent } = await opened(asked("backups"), `Change: ${TRACE}`);
    await submitted(form);
    await submitted(search);
    button("The whole document")?.click();
    await submitted(form);
    const put = { id: TRACE, query: "backups" };
    expect(patches(sent)).toEqual([
      { base: DIGEST, replaces: TRACE, put: { ...put, unlabelled: true } },
      { base: DIGEST, replaces: TRACE, put: { ...put, relevant: [{ source: "backups", place: {} }] } },
    ]);
  });
});

it("a sample of what was asked is drawn with what was chosen", async () => {
  const sent = asked("mine");
  const form = (await visit(datasets)).querySelectorAll("form")[1];
  const set = (label: string, value: string) => {
    const found = form?.querySelector<HTMLInputElement>(`[aria-label="${label}"]`);
    if (!found) throw new Error(`no ${label}`);
    found.value = value;
  };
  set("Name of the sample", " asked ");
  set("Which questions are drawn", "nothing_found");
  set("Asked since", "2026-11-01");
  set("How many", "20");
  set("Seed (the same draws the same questions)", "7");
  const consent = form?.querySelector<HTMLInputElement>('input[type="checkbox"]');
  expect(consent?.required).toBe(true);
  if (consent) consent.checked = true;
  await submitted(form);
  expect(sent.at(-1)).toEqual({
    method: "POST",
    path: "/api/datasets/sample",
    body: {
      name: "asked",
      count: 20,
      seed: 7,
      since: "2026-11-01",
      until: null,
      collection: null,
      which: "nothing_found",
      consent: true,
    },
  });
});

describe("a question that is edited", () => {
  it("keeps what the form does not show, and a passage that was found answers it", async () => {
    const { search, form, button, sent } = await opened(asked("backups"), "Change: one");
    await submitted(search);
    expect(sent.find(({ path }) => path === "/api/query")?.body).toEqual({ query: "backups", top_k: 10 });
    button("This place answers it")?.click();
    button("This place answers it")?.click();
    button("×")?.click();
    await submitted(form);
    expect(patches(sent)).toEqual([
      {
        base: DIGEST,
        replaces: "one",
        put: {
          id: "one",
          query: "backups",
          type: "backups",
          filters: { language: "ja" },
          facts: ["backups", ["30 days", "a month"]],
          relevant: [{ source: "b.md", place: {} }, { chunk_id: "c1" }],
        },
      },
    ]);
  });

  it("is new, with an id of its own, and may have no answer", async () => {
    const { form, sent } = await opened(asked("backups"), "Add a question");
    const texts = form?.querySelectorAll("textarea");
    if (texts?.[0]) texts[0].value = " What is new? ";
    const box = form?.querySelector<HTMLInputElement>('input[type="checkbox"]');
    if (box) box.checked = true;
    await submitted(form);
    expect(patches(sent)).toEqual([
      { base: DIGEST, put: { id: expect.stringMatching(/^q-\w+$/) as string, query: "What is new?", answerable: false } },
    ]);
  });
});

it("the list says the version of each, and a new one is made from a file", async () => {
  const sent = asked("mine");
  const root = await visit(datasets);
  expect(root.querySelector("tbody")?.textContent).toContain("aaaaaaaa");
  const [name, file] = [...root.querySelectorAll<HTMLInputElement>("form input")];
  if (name) name.value = "mine";
  if (file) Object.defineProperty(file, "files", { value: [{ text: () => Promise.resolve("- {id: one}") }] });
  await submitted(root.querySelector("form"));
  expect(sent.at(-1)).toEqual({ method: "POST", path: "/api/datasets", body: { name: "mine", text: "- {id: one}" } });
});

it.each(HOSTILE)("takes %j for text", async (text) => {
  asked(text);
  const whole = await opened(asked(text), "Change: one");
  await submitted(whole.search);
  whole.button("The whole document")?.click();
  for (const root of [await visit(datasets), whole.root]) {
    document.body.replaceChildren(root);
    await unfold(root);
    await settled();
    expect(root.querySelectorAll("script, iframe, img, b, svg, [onload], [onerror]")).toHaveLength(0);
    expect(root.textContent).toContain(text);
  }
});
