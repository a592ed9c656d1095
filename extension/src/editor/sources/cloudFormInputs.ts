/** The form's steps as quick inputs of the editor: with a way back, and left by Escape. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { InputQuestion, PickQuestion } from "../../core/sources/cloudQuestions";
import type { Reply, ShownStep } from "../../core/sources/runCloudForm";

const CANCELLED: Reply = { kind: "cancel" };
const BACK: Reply = { kind: "back" };

interface Item extends vscode.QuickPickItem {
  id: string;
}

export function askStep(shown: ShownStep, title: string): Promise<Reply> {
  return shown.question.type === "input" ? input(shown, shown.question, title) : pick(shown, shown.question, title);
}

function input(shown: ShownStep, question: InputQuestion, title: string): Promise<Reply> {
  const box = vscode.window.createInputBox();
  box.prompt = question.prompt;
  box.placeholder = question.placeholder;
  box.value = question.value;
  box.password = question.password ?? false;
  if (shown.problem !== "") box.validationMessage = shown.problem;
  const changed = box.onDidChangeValue(() => (box.validationMessage = undefined));
  return answer(box, shown, title, [changed], () => {
    box.validationMessage = question.check(box.value);
    return box.validationMessage === undefined ? box.value : undefined;
  });
}

function pick(shown: ShownStep, question: PickQuestion, title: string): Promise<Reply> {
  const box = vscode.window.createQuickPick<Item>();
  const items = question.options.map(({ id, label, description = "", detail }) => ({
    ...{ id, label, description, ...(detail ? { detail } : {}) },
  }));
  box.placeholder = question.placeholder;
  box.canSelectMany = question.several;
  box.matchOnDescription = true;
  box.items = items;
  const picked = items.filter(({ id }) => question.picked.includes(id));
  if (question.several) box.selectedItems = picked;
  else box.activeItems = picked;
  // A list has no place for a sentence of its own.
  if (shown.problem !== "") void vscode.window.showErrorMessage(shown.problem);
  return answer(box, shown, title, [], () => box.selectedItems.map(({ id }) => id));
}

/** `read` gives what was answered; undefined when it can't be taken yet. */
function answer(
  box: vscode.InputBox | vscode.QuickPick<Item>,
  { number, total, canGoBack }: ShownStep,
  title: string,
  listeners: vscode.Disposable[],
  read: () => string | readonly string[] | undefined,
): Promise<Reply> {
  box.title = title;
  box.step = number;
  box.totalSteps = total;
  box.ignoreFocusOut = true;
  box.buttons = canGoBack ? [vscode.QuickInputButtons.Back] : [];
  return new Promise<Reply>((resolve) => {
    const end = (reply: Reply) => {
      resolve(reply);
      vscode.Disposable.from(...listeners, box).dispose();
    };
    listeners.push(
      box.onDidAccept(() => {
        const given = read();
        if (given !== undefined) end({ kind: "answer", answer: given });
      }),
      box.onDidTriggerButton(() => end(BACK)),
      box.onDidHide(() => end(CANCELLED)),
    );
    box.show();
  });
}

/** While the site is asked. Throws `RagError` CANCELLED through the signal when it is called off. */
export function whileTesting<T>(work: (signal: AbortSignal) => Promise<T>): Thenable<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress(
    { location, title: l10n.t("Testing the connection"), cancellable: true },
    async (_, token) => {
      const calledOff = new AbortController();
      const listener = token.onCancellationRequested(() => calledOff.abort());
      try {
        return await work(calledOff.signal);
      } finally {
        listener.dispose();
      }
    },
  );
}
