// The editor's agent in its smallest form: offer every tool to the model, run what it calls, and ask it again with the results.
"use strict";

const vscode = require("vscode");

const ROUNDS = 4;

async function respond(request, _context, stream, token) {
  const messages = [vscode.LanguageModelChatMessage.User(request.prompt)];
  const tools = vscode.lm.tools.filter((tool) => tool.name.startsWith("rag_"));
  for (let round = 0; round < ROUNDS; round += 1) {
    const response = await request.model.sendRequest(messages, { tools }, token);
    const calls = [];
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
      else if (part instanceof vscode.LanguageModelTextPart) stream.markdown(part.value);
    }
    if (calls.length === 0) return {};
    messages.push(vscode.LanguageModelChatMessage.Assistant(calls));
    for (const call of calls) {
      const result = await vscode.lm.invokeTool(
        call.name,
        { input: call.input, toolInvocationToken: request.toolInvocationToken },
        token,
      );
      const part = new vscode.LanguageModelToolResultPart(call.callId, result.content);
      messages.push(vscode.LanguageModelChatMessage.User([part]));
    }
  }
  throw new Error(`The model still calls tools after ${ROUNDS} rounds.`);
}

function activate(context) {
  context.subscriptions.push(vscode.chat.createChatParticipant("rag-test.agent", respond));
}

module.exports = { activate };
