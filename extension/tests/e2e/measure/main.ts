/**
 * Measures in the test editor what people wait for. It wants a machine with nothing else to do.
 *
 *     npm run measure -- [--rounds 5] [--documents 1400] [--data FOLDER]
 *     npm run measure -- --setup [--rounds 3]
 *     npm run measure -- --floor [--rounds 3]
 *
 * Activation is by the editor's own clock. The panel is timed from the command that opens it to its first paint and until it takes
 * a question, and from the key that sends a question to its first passage, both within the browser. The window is loaded anew
 * with that chat open, and timed until its answer is shown; the daemon is restarted, and timed until it answers again. The
 * streams are the test models' long answers (about 10,000 tokens, and 5,000 lines): the longest task on the view's main thread.
 * The longer one is opened again from the list of chats, timed from the click to its last line.
 *
 * The documents are those of data/samples, and as many short ones beside them as `--documents` says. `--data` keeps the data
 * directory that is made of them, and uses one that was kept. `--setup` measures the set-up alone, from the package mirror of
 * pip's settings. `--floor` measures a view that says one word, of an extension that does nothing else: the editor's own part.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { finishJobs, ingestSamples, makeSampleData } from "../harness/daemon.ts";
import { Editor } from "../harness/editor.ts";
import { Panel } from "../harness/panel.ts";
import { SAMPLES, ragExecutable } from "../harness/paths.ts";
import { QUESTIONS } from "../questions.ts";
import { writeDocuments } from "./documents.ts";
import { Figures, load, machine } from "./figures.ts";
import { measureFloor } from "./floor.ts";
import { STREAM_MS, activation, firstPaint, firstPassage, reload, restart, restoredAnswer } from "./panel.ts";
import { measureSetup } from "./setup.ts";
import { longestTask, reopening } from "./streams.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    documents: { type: "string", default: "0" },
    data: { type: "string" },
    setup: { type: "boolean", default: false },
    floor: { type: "boolean", default: false },
  },
});
const rounds = Math.max(1, Number(values.rounds));
const documents = Number(values.documents);
const figures = new Figures();
const before = load();
const remarks = await (values.setup
  ? measureSetup(rounds, figures)
  : values.floor
    ? measureFloor(rounds, figures)
    : measureEditor());
console.log(`${machine()}, load ${before} before and ${load()} after, ${rounds} rounds`);
for (const line of [...figures.lines(), ...remarks]) console.log(line);

async function measureEditor(): Promise<string[]> {
  const kept = values.data === undefined ? undefined : resolve(values.data);
  const data = kept ?? mkdtempSync(join(tmpdir(), "rag-measure-data-"));
  try {
    if (kept === undefined || !existsSync(kept)) await makeData(data);
    let remarks: string[] = [];
    for (let round = 1; round <= rounds; round += 1) remarks = await measureRound(data, round === rounds);
    return remarks;
  } finally {
    if (kept === undefined) rmSync(data, { recursive: true, force: true });
  }
}

async function makeData(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await makeSampleData(folder);
  const written = mkdtempSync(join(tmpdir(), "rag-measure-documents-"));
  try {
    writeDocuments(written, documents);
    if (documents > 0) {
      await ingestSamples(folder, written);
      await finishJobs(folder);
    }
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}

/** `withStreams`: also what is measured once, told in lines. */
async function measureRound(data: string, withStreams: boolean): Promise<string[]> {
  const editor = await Editor.launch({
    workspace: SAMPLES,
    kits: ["models"],
    settings: { "ragAssistant.server.executable": ragExecutable() },
    data,
  });
  try {
    await editor.window.bridge.ready();
    // Warm: the question below must not wait for the daemon's start.
    await editor.window.statusBarItem(/RAG$/).waitFor({ timeout: STREAM_MS });
    const first = await firstPaint(editor);
    figures.add("first paint of the panel", first.painted);
    figures.add("the panel takes a question", first.taken);
    let panel = await Panel.ready(editor.window);
    for (const { text } of Object.values(QUESTIONS)) figures.add("first passage", await firstPassage(panel, text));

    const reloaded = await reload(editor, restoredAnswer(editor));
    figures.add("reload to the workbench", reloaded.workbench);
    figures.add("reload to the restored chat", reloaded.view);
    panel = await Panel.ready(editor.window);
    const restarted = await restart(editor, panel, QUESTIONS.english.text);
    figures.add("restart: the daemon has ended", restarted.ended);
    figures.add("restart to the first passage", restarted.answer);

    const remarks = withStreams ? await measureStreams(editor, panel) : [];
    // Last, as the list that tells it lies over all else.
    figures.add("activation", await activation(editor));
    return remarks;
  } finally {
    await editor.close();
  }
}

async function measureStreams(editor: Editor, panel: Panel): Promise<string[]> {
  const told = (task: number): string => (task === 0 ? "no task over 50 ms" : `longest task ${task} ms`);
  const longest = await longestTask(panel, "RAG test long");
  await editor.window.command("RAG Assistant: New Chat");
  await panel.frame.locator(".welcome").waitFor();
  const longestOfLines = await longestTask(panel, "RAG test huge");
  const reopened = await reopening(editor, panel);
  return [
    `while 10,000 tokens stream: ${told(longest)}`,
    `while 5,000 lines stream: ${told(longestOfLines)}`,
    `these opened again: last line after ${reopened.last} ms, ${told(reopened.longest)}`,
  ];
}
