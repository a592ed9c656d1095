import { Editor, type EditorOptions } from "./editor.ts";
import { SAMPLES, ragExecutable } from "./paths.ts";

/** An editor on the sample documents, with a daemon that has read them. */
export async function launchWithSamples(options: EditorOptions = {}): Promise<Editor> {
  const data = process.env["RAG_TEST_DATA"];
  if (data === undefined) throw new Error("RAG_TEST_DATA is not set: the tests start through vitest.e2e.config.ts.");
  const settings = { "ragAssistant.server.executable": ragExecutable(), ...options.settings };
  const editor = await Editor.launch({ workspace: SAMPLES, data, ...options, settings });
  await editor.window.bridge.ready();
  return editor;
}
