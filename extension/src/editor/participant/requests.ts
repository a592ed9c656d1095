/** A chat request as a question: its text, what was said before, and what is set. */

import * as vscode from "vscode";

import { withoutMarks } from "../../core/answer/citationMarks";
import type { Turn } from "../../core/api/types";
import type { AskOptions } from "../../protocol/session";

export const PARTICIPANT = "rag-assistant.rag";
const MOST_TURNS = 20;
const LONGEST_TURN = 4_000;

/** The prompt without the `#file:` in front of names; what is attached goes its own way. */
export function promptText(request: Pick<vscode.ChatRequest, "prompt" | "references">): string {
  let text = request.prompt;
  // They come with the last one first, so that a change does not move the others.
  for (const { range } of request.references) {
    if (range === undefined) continue;
    const [start, end] = range;
    const name = text.slice(start, end).replace(/^#[\w.-]*:?/, "");
    text = text.slice(0, start) + name + text.slice(end);
  }
  return text.trim();
}

/** The turns with this participant, oldest first. */
export function ownHistory(context: vscode.ChatContext): Turn[] {
  const turns: Turn[] = [];
  for (const turn of context.history.slice(-MOST_TURNS)) {
    if (turn.participant !== PARTICIPANT) continue;
    if (turn instanceof vscode.ChatRequestTurn) {
      if (turn.prompt.trim() !== "") turns.push({ role: "user", text: turn.prompt.slice(0, LONGEST_TURN) });
    } else if (turn.command === undefined) {
      // The numbers of earlier answers mean other passages.
      const text = withoutMarks(answerText(turn));
      if (text !== "") turns.push({ role: "assistant", text: text.slice(0, LONGEST_TURN) });
    }
  }
  return turns;
}

/** The last question that was asked, for a command that comes without one. */
export function lastQuestion(context: vscode.ChatContext): string {
  return ownHistory(context).findLast((turn) => turn.role === "user")?.text ?? "";
}

/** What is set for the place where people work. */
export function askOptions(): AskOptions {
  const resource = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const settings = vscode.workspace.getConfiguration("ragAssistant", resource);
  const collection = settings.get<string>("collection", "").trim();
  return { ...(collection === "" ? {} : { collection }), topK: settings.get<number>("answer.passages", 5) };
}

function answerText(turn: vscode.ChatResponseTurn): string {
  const answer: unknown = turn.result.metadata?.["answer"];
  if (typeof answer === "string") return answer;
  return turn.response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ""))
    .join("");
}
