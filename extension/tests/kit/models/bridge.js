// Lets a test ask this extension host directly, by HTTP over a socket in TEST_KIT_BRIDGE: what has no place in the user's
// interface (a tool's result, the state of an extension) or would only cost time there. One socket a window, named by its folder.
"use strict";

const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const vscode = require("vscode");

const METHODS = {
  execute: async ({ command, args = [] }) => await vscode.commands.executeCommand(command, ...args),
  attach: async ({ path: file }) => {
    const options = { query: "", isPartialQuery: true, attachFiles: [vscode.Uri.file(file)] };
    await vscode.commands.executeCommand("workbench.action.chat.open", options);
  },
  commands: async () => await vscode.commands.getCommands(true),
  tools: () => vscode.lm.tools.map(({ name, description, tags, inputSchema }) => ({ name, description, tags, inputSchema })),
  models: async () => (await vscode.lm.selectChatModels()).map(({ id, name, vendor }) => ({ id, name, vendor })),
  language: () => vscode.env.language,
  extension: ({ id }) => {
    const extension = vscode.extensions.getExtension(id);
    return extension && { active: extension.isActive, path: extension.extensionPath, manifest: extension.packageJSON };
  },
  setting: async ({ key, value, target = "Global" }) =>
    await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget[target]),
  editor: () => {
    const editor = vscode.window.activeTextEditor;
    return editor && { uri: editor.document.uri.toString(), line: editor.selection.start.line + 1 };
  },
  tabs: () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => ({ label: tab.label, active: tab.isActive }))),
  clipboard: async () => await vscode.env.clipboard.readText(),
  invokeTool: async ({ name, input }) => {
    const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : JSON.stringify(part)));
  },
};

async function answer(request) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { method, ...argument } = JSON.parse(body);
  if (!METHODS[method]) throw new Error(`The bridge has no method ${method}.`);
  return (await METHODS[method](argument)) ?? null;
}

async function startBridge() {
  const folder = process.env.TEST_KIT_BRIDGE;
  if (!folder) return { dispose() {} };
  const workspace = path.basename(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "none");
  const server = http.createServer((request, response) => {
    answer(request).then(
      (value) => response.end(JSON.stringify({ value })),
      (error) => response.end(JSON.stringify({ error: error.stack ?? String(error) })),
    );
  });
  const socket = path.join(folder, `${workspace}.sock`);
  fs.rmSync(socket, { force: true });
  await new Promise((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  return { dispose: () => server.close() };
}

module.exports = { startBridge };
