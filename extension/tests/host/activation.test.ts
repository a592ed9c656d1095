import assert from "node:assert/strict";
import * as vscode from "vscode";

const ID = "rag-assistant.rag-assistant";

interface Manifest {
  contributes: {
    commands: { command: string; title: string }[];
    chatParticipants: { id: string }[];
    languageModelTools: { name: string; modelDescription: string }[];
  };
}

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(ID);
  assert.ok(found, `${ID} is not installed`);
  return found;
}

function manifest(): Manifest {
  return extension().packageJSON as Manifest;
}

suite("activation", () => {
  test("the extension becomes active by itself after the editor's start", async () => {
    const end = Date.now() + 30_000;
    while (!extension().isActive && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.ok(extension().isActive, "still inactive after 30 s");
  });

  test("every command of package.json is registered, and no other of ours", async () => {
    await extension().activate();
    const declared = manifest().contributes.commands.map(({ command }) => command);
    const ours = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith("ragAssistant."));
    // The editor makes commands of its own for each view, such as `ragAssistant.chat.focus`.
    const registered = ours.filter((id) => !/^ragAssistant\.(chat|collections|sources)\./.test(id));
    assert.deepEqual(
      declared.filter((id) => !registered.includes(id)),
      [],
    );
    assert.deepEqual(
      registered.filter((id) => !declared.includes(id)),
      [],
    );
  });

  test("its titles are words, not the keys of package.nls.json", () => {
    const titles = manifest().contributes.commands.map(({ title }) => title);
    assert.deepEqual(
      titles.filter((title) => title.startsWith("%")),
      [],
    );
  });

  test("the language-model tools are offered with their descriptions", async () => {
    await extension().activate();
    const offered = new Map(vscode.lm.tools.map((tool) => [tool.name, tool.description]));
    for (const { name, modelDescription } of manifest().contributes.languageModelTools) {
      assert.equal(offered.get(name), modelDescription);
    }
    assert.ok(offered.has("rag_search") && offered.has("rag_read_document"));
  });

  test("@rag is declared as rag-assistant.rag", () => {
    assert.deepEqual(
      manifest().contributes.chatParticipants.map(({ id }) => id),
      ["rag-assistant.rag"],
    );
  });
});
