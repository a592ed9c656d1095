// Runs in the extension host of the test editor, beside the extension under test.
"use strict";

const fs = require("node:fs");
const vscode = require("vscode");
const { startBridge } = require("./bridge");
const { MODELS, answerOf } = require("./answers");
const { SEEING, seen } = require("./seeing");

const VENDOR = "rag-test";

function partText(part) {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelToolCallPart) return `<call ${part.name} ${JSON.stringify(part.input)}>`;
  if (part instanceof vscode.LanguageModelToolResultPart) return part.content.map(partText).join("");
  if (part instanceof vscode.LanguageModelDataPart) return `<data ${part.mimeType} ${part.data.length} bytes>`;
  return JSON.stringify(part);
}

function readable(messages) {
  return messages.map((message) => ({
    role: message.role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : "user",
    text: message.content.map(partText).join(""),
  }));
}

function record(model, messages, options) {
  const file = process.env.TEST_KIT_MODEL_LOG;
  if (!file) return;
  const tools = (options.tools ?? []).map((tool) => tool.name);
  fs.appendFileSync(file, `${JSON.stringify({ at: Date.now(), model, messages, tools })}\n`);
}

const provider = {
  provideLanguageModelChatInformation() {
    const described = ([id, { maxInputTokens }], imageInput) => ({
      id,
      name: `RAG test ${id}`,
      family: id,
      version: "1",
      maxInputTokens,
      maxOutputTokens: 20_000,
      isUserSelectable: true,
      isDefault: id === "echo",
      capabilities: { imageInput, toolCalling: true },
    });
    const seeing = process.env.TEST_KIT_MODELS === "blind" ? [] : SEEING.map((id) => [id, { maxInputTokens: 100_000 }]);
    return [...Object.entries(MODELS).map((one) => described(one, false)), ...seeing.map((one) => described(one, true))];
  },

  async provideLanguageModelChatResponse(model, messages, options, progress, token) {
    const asked = readable(messages);
    record(model.id, asked, options);
    const answer = SEEING.includes(model.id)
      ? seen(model.id, messages, asked.map(({ text }) => text).join("\n"), token)
      : answerOf(model.id, asked, options, token);
    for await (const part of answer) {
      if (token.isCancellationRequested) return;
      progress.report(
        typeof part === "string"
          ? new vscode.LanguageModelTextPart(part)
          : new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input),
      );
    }
  },

  // Four characters a token: what the extension counts must agree with `maxInputTokens` above, not with a real model.
  async provideTokenCount(_model, text) {
    const counted = typeof text === "string" ? text : text.content.map(partText).join("");
    return Math.ceil(counted.length / 4);
  },
};

async function activate(context) {
  context.subscriptions.push(await startBridge());
  // For a test of an editor that has no model.
  if (process.env.TEST_KIT_MODELS === "none") return;
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider(VENDOR, provider));
  // Until somebody asks for them, the editor doesn't look models up: the first request would say that there are none.
  await vscode.lm.selectChatModels({ vendor: VENDOR });
}

module.exports = { activate };
