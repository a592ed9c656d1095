// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from "vitest";

import { useTransport } from "../../../../server/ragd/api/dashboard/app/lib/api.js";
import { evaluations } from "../../../../server/ragd/api/dashboard/app/pages/evaluations.js";
import { HOSTILE, type Sent, answering, settled, unfold, visit } from "./fixtures";

const page = (items: readonly unknown[]) => ({ items, total: items.length, page: 1, page_size: 20 });
const choices = (text: string) => ({
  datasets: [text, "feedback"],
  strategies: ["default", "hybrid", text],
  tunable: [
    { name: "retrieval.fusion", values: ["rrf"] },
    { name: "rerank.top_n", values: [10] },
  ],
  answers_by: text,
  judges: [
    { strategy: "default", model: text },
    { strategy: "strict", model: "strict" },
  ],
  metric_sets: [
    {
      name: "lengths",
      metrics: [
        { name: "norm", needs: ["passages"] },
        { name: "said", needs: ["answer", "passages"] },
      ],
      missing: "",
      command: "",
    },
    { name: "ragas", metrics: [{ name: "faithfulness", needs: ["answer"] }], missing: text, command: "rag extras add ragas" },
    { name: "stranger", metrics: [], missing: text, command: "" },
  ],
});
const job = (text: string, more: object = {}) => ({
  job_id: "j1",
  kind: "evaluation",
  status: "completed",
  dataset: text,
  collection: text,
  strategies: ["default"],
  mode: "retrieval_only",
  limit: null,
  name: text,
  judge: false,
  metrics: [],
  judge_strategy: "default",
  judge_calls: 5000,
  minutes: 10,
  settings: [],
  progress: { stage: "asking", done: 3, total: 8 },
  run_ids: ["aaaaaaaabbbb"],
  tuned: null,
  strategy_file: "",
  error: null,
  created_at: "2026-11-24T04:00:00.000Z",
  started_at: null,
  finished_at: null,
  ...more,
});
const half = (changes: object) => ({ changes, questions: 12, before: 0.5, after: 0.75 });
const found = (changes: Record<string, unknown>) => ({
  changes,
  halves: [half({ "retrieval.fusion": "rrf" }), half(changes)],
  gain: 0.25,
  low: 0.1,
  high: 0.4,
  p: 0.001,
  complete: false,
  tried: 17,
});

function asked(text: string, jobs: readonly object[]): Sent[] {
  return answering({
    "GET /api/evaluations": page([]),
    "GET /api/evaluations/choices": choices(text),
    "GET /api/evaluations/jobs": page(jobs),
    "GET /api/collections": page([
      { name: "empty", status: "enabled", document_count: 0 },
      { name: text, status: "enabled", document_count: 4 },
      { name: "old", status: "disabled", document_count: 9 },
    ]),
    "POST /api/evaluations/jobs": { job_id: "j2" },
    "POST /api/evaluations/cost": { questions: 8, calls: { judge: 200, lengths: 1016 }, total: 1216, limit: 1000 },
    "POST /api/evaluations/tuning": { job_id: "j2" },
    "POST /api/evaluations/jobs/j1/strategy": { name: "tuned", path: "/config/strategies/tuned.yaml" },
    "DELETE /api/jobs/j1": {},
  });
}

const submitted = async (form: HTMLFormElement | null | undefined): Promise<void> => {
  form?.dispatchEvent(new Event("submit", { cancelable: true }));
  await settled();
};
const forms = (root: HTMLElement) => [...root.querySelectorAll<HTMLFormElement>("form.card")];
const bodies = (sent: readonly Sent[]) => sent.flatMap(({ method, body }) => (method === "POST" ? [body] : []));

// What the browser has and jsdom has not.
beforeEach(() => {
  vi.stubGlobal("CSS", { escape: (text: string) => text });
});

describe("an evaluation that is begun on the page", () => {
  it("asks of enabled collections alone, with what was chosen", async () => {
    const sent = asked("mine", []);
    const root = await visit(evaluations);
    await unfold(root);
    const [form] = forms(root);
    expect([...(form?.querySelectorAll("option") ?? [])].map(({ value }) => value)).not.toContain("old");
    for (const box of form?.querySelectorAll<HTMLInputElement>("fieldset.several input") ?? [])
      box.checked = box.value === "default" || box.value === "hybrid";
    await submitted(form);
    expect(bodies(sent)).toEqual([
      {
        dataset: "mine",
        collection: "mine",
        limit: null,
        strategies: ["default", "hybrid"],
        mode: "retrieval_only",
        rerank: true,
        name: "",
      },
    ]);
    expect(root.textContent).toContain("It is in the queue.");
  });

  it("is asked for as the last one was, and at first in a collection that has something", async () => {
    const chosen = async (jobs: readonly object[]) => {
      asked("mine", jobs);
      const root = await visit(evaluations);
      await unfold(root);
      return [...(forms(root)[0]?.querySelectorAll<HTMLSelectElement>("select") ?? [])].slice(0, 3).map(({ value }) => value);
    };
    expect(await chosen([])).toEqual(["mine", "mine", "retrieval_only"]);
    const last = job("mine", { dataset: "feedback", collection: null, mode: "end_to_end" });
    expect(await chosen([last])).toEqual(["feedback", "", "end_to_end"]);
  });

  it("is watched as it goes on, and its end brings the new runs", async () => {
    let jobs = [job("mine", { status: "running" })];
    let on: (event: string, data: unknown) => void = () => undefined;
    let end: () => void = () => undefined;
    const sent: string[] = [];
    useTransport({
      send: ({ path }) => {
        sent.push(path);
        if (path.startsWith("/api/evaluations/jobs")) return Promise.resolve(page(jobs));
        return Promise.resolve(path.startsWith("/api/evaluations/choices") ? choices("mine") : page([]));
      },
      watch: (_path, given) => {
        on = given;
        return new Promise((resolve) => {
          end = () => resolve();
        });
      },
    });
    const root = await visit(evaluations);
    expect(root.querySelector("progress")?.value).toBe(3);
    on("progress", { progress: { done: 5, total: 8 } });
    expect(root.querySelector("progress")?.value).toBe(5);
    expect(root.textContent).toContain("5 / 8");
    jobs = [job("mine")];
    end();
    await settled();
    expect(root.querySelector("progress")).toBeNull();
    expect(root.querySelector('a[href="#/evaluation/aaaaaaaabbbb"]')).not.toBeNull();
    expect(sent.filter((path) => path.startsWith("/api/evaluations?"))).toHaveLength(2);
  });

  it("is cancelled by its job", async () => {
    const sent = asked("mine", [job("mine", { status: "queued", progress: { stage: "queued", done: 0, total: 0 } })]);
    const root = await visit(evaluations);
    expect(root.textContent).toContain("Waits for its turn");
    root.querySelector<HTMLButtonElement>('button[aria-label="Cancel: mine"]')?.click();
    await settled();
    expect(sent).toContainEqual({ method: "DELETE", path: "/api/jobs/j1" });
  });

  it("says why it failed", async () => {
    asked("mine", [job("mine", { status: "failed", run_ids: [], error: { code: "X", message: "The disk refused." } })]);
    expect((await visit(evaluations)).textContent).toContain("The disk refused.");
  });
});

describe("who judges a run", () => {
  const input = (root: Element | undefined, selector: string) => root?.querySelector<HTMLInputElement>(selector);
  const changed = async (root: Element | undefined, selector: string, change: (one: HTMLInputElement) => void): Promise<void> => {
    const found = input(root, selector);
    if (!found) throw new Error(`no ${selector}`);
    change(found);
    found.dispatchEvent(new Event("change", { bubbles: true }));
    await settled();
  };
  const check = (one: HTMLInputElement) => {
    one.checked = true;
  };

  it("is chosen with other tools' metrics, and what that costs is said before anything begins", async () => {
    const sent = asked("mine", []);
    const root = await visit(evaluations);
    await unfold(root);
    const [form] = forms(root);
    expect(input(form, 'input[value="lengths:said"]')?.disabled).toBe(true);
    expect(bodies(sent)).toEqual([]);
    await changed(form, 'input[aria-label="Our own judge"]', check);
    await changed(form, 'input[value="lengths:norm"]', check);
    await changed(form, 'select[aria-label="Judging model"]', (one) => (one.value = "strict"));
    expect(form?.textContent).toContain(
      "About 1,216 calls to the model for 8 questions (Our own judge 200, lengths 1,016). Only 1,000 are allowed",
    );
    const judges = { judge: true, metrics: ["lengths:norm"], judge_strategy: "strict", judge_calls: 5000 };
    expect(bodies(sent).at(-1)).toMatchObject({ dataset: "mine", mode: "retrieval_only", ...judges });
    await changed(form, 'select[aria-label="What is measured"]', (one) => (one.value = "end_to_end"));
    await changed(form, 'input[value="lengths:said"]', check);
    await submitted(form);
    expect(sent.filter(({ path }) => path === "/api/evaluations/jobs").at(-1)?.body).toMatchObject({
      ...judges,
      metrics: ["lengths:norm", "lengths:said"],
      mode: "end_to_end",
    });
  });

  it("is whoever judged last, and what is not installed is there with the command that adds it", async () => {
    const before = { judge: true, metrics: ["lengths:norm", "gone:metric"], judge_strategy: "strict", judge_calls: 70 };
    asked("mine", [job("mine", { kind: "tuning", tuned: found({}), run_ids: [] }), job("mine", before), job("mine")]);
    const root = await visit(evaluations);
    await unfold(root);
    await settled();
    const [form] = forms(root);
    expect(input(form, 'input[aria-label="Our own judge"]')?.checked).toBe(true);
    expect(input(form, 'input[value="lengths:norm"]')?.checked).toBe(true);
    expect(input(form, 'select[aria-label="Judging model"]')?.value).toBe("strict");
    expect(input(form, 'input[aria-label="Calls at most"]')?.value).toBe("70");
    expect(form?.textContent).toContain("About 1,216 calls");
    expect(form?.querySelector("code")?.textContent).toBe("rag extras add ragas");
    expect(form?.textContent).toContain("stranger: mine");
    expect(form?.textContent).not.toContain("faithfulness");
  });

  it("is nobody where there is no language model, which is said", async () => {
    const sent = answering({
      "GET /api/evaluations": page([]),
      "GET /api/evaluations/choices": { ...choices("mine"), judges: [] },
      "GET /api/evaluations/jobs": page([job("mine", { judge: true, metrics: ["lengths:norm"] })]),
      "GET /api/collections": page([]),
    });
    const root = await visit(evaluations);
    await unfold(root);
    expect(root.textContent).toContain("There is none: set llm.provider and llm.model");
    expect(root.querySelector('input[value="lengths:norm"]')).toBeNull();
    expect(bodies(sent)).toEqual([]);
  });
});

describe("a search for better settings", () => {
  it("changes only what was left checked, and nothing at all is refused", async () => {
    const sent = asked("mine", []);
    const root = await visit(evaluations);
    await unfold(root);
    const form = forms(root)[1];
    const boxes = [...(form?.querySelectorAll<HTMLInputElement>("fieldset input") ?? [])];
    boxes.forEach((box) => (box.checked = false));
    await submitted(form);
    expect(form?.textContent).toContain("Choose at least one setting");
    if (boxes[1]) boxes[1].checked = true;
    await submitted(form);
    expect(bodies(sent)).toEqual([
      { dataset: "mine", collection: "mine", limit: null, strategy: "default", minutes: 10, settings: ["rerank.top_n"] },
    ]);
  });

  it("recommends with the gain on held-out questions, and saves a file that applies nothing", async () => {
    const tuned = found({ "rerank.top_n": 10 });
    const sent = asked("mine", [job("mine", { kind: "tuning", tuned, run_ids: [], strategy_file: "rerank:\n  top_n: 10\n" })]);
    const root = await visit(evaluations);
    await unfold(root);
    expect(root.textContent).toContain("Something better was found");
    expect(root.textContent).toContain("+0.25, 95 % interval +0.1 to +0.4, p 0.001. 17 configurations tried.");
    expect(root.textContent).toContain("more minutes may find more");
    expect(root.textContent).toContain("rerank.top_n=10, chosen by one half: 0.5 → 0.75 (+0.25) on 12 questions of the other");
    [...root.querySelectorAll("button")].find(({ textContent }) => textContent === "Save as a strategy's file")?.click();
    await settled();
    expect(bodies(sent)).toEqual([{ name: "tuned" }]);
    expect(root.textContent).toContain("/config/strategies/tuned.yaml is written. It counts only where it is named.");
  });

  it("says that nothing better was found, and offers no file", async () => {
    asked("mine", [job("mine", { kind: "tuning", tuned: found({}), run_ids: [] })]);
    const root = await visit(evaluations);
    await unfold(root);
    expect(root.textContent).toContain("Nothing better found: the settings stay as they are.");
    expect(root.textContent).not.toContain("Save as a strategy's file");
  });
});

it("without a dataset it says where one is made", async () => {
  answering({
    "GET /api/evaluations": page([]),
    "GET /api/evaluations/choices": { ...choices("x"), datasets: [] },
    "GET /api/evaluations/jobs": page([]),
    "GET /api/collections": page([]),
  });
  const root = await visit(evaluations);
  expect(root.querySelectorAll("form")).toHaveLength(0);
  expect([...root.querySelectorAll("a")].map(({ textContent }) => textContent)).toContain("Create a dataset of questions");
});

it.each(HOSTILE)("takes %j for text", async (text) => {
  const tuning = { kind: "tuning", tuned: found({ [text]: text }), run_ids: [], strategy_file: text };
  asked(text, [job(text), job(text, tuning), job(text, { error: { code: text, message: text } })]);
  const root = await visit(evaluations);
  document.body.replaceChildren(root);
  await unfold(root);
  expect(root.querySelectorAll("script, iframe, img, b, svg, [onload], [onerror]")).toHaveLength(0);
  expect(root.textContent).toContain(text);
});
