/** Lines of a file, opened in the editor with the passage marked until the next click or for some seconds. */

import * as vscode from "vscode";

import { findPassage, findSentences, type Lines } from "../../core/places/passageLines";

const MARKED_MS = 8000;

export class PassageHighlight implements vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.findMatchHighlightBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.findMatchForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  private readonly sentence = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.findMatchBackground"),
    fontWeight: "600",
  });
  private unmark: (() => void) | undefined;

  /** Resolves to whether the passage stands where it was read. `content` is empty when it is not known. */
  async open(
    uri: vscode.Uri,
    named: Lines,
    { content, sentences }: { content: string; sentences: readonly string[] },
    encoding?: string,
  ): Promise<"there" | "moved" | "lost"> {
    const document = await openText(uri, encoding);
    const { lines, state } = findPassage(document.getText(), named, content);
    const range = document.validateRange(new vscode.Range(lines[0] - 1, 0, lines[1] - 1, Number.MAX_SAFE_INTEGER));
    const editor = await vscode.window.showTextDocument(document, { preview: true });
    // The cursor stands at its beginning, from where people read on.
    editor.selection = new vscode.Selection(range.end, range.start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.mark(editor, range, sentences);
    return state;
  }

  dispose(): void {
    this.unmark?.();
    this.decoration.dispose();
    this.sentence.dispose();
  }

  private mark(editor: vscode.TextEditor, range: vscode.Range, sentences: readonly string[]): void {
    this.unmark?.();
    editor.setDecorations(this.decoration, [range]);
    const { document } = editor;
    const start = document.offsetAt(range.start);
    const found = findSentences(document.getText(range), sentences).map(
      ([from, to]) => new vscode.Range(document.positionAt(start + from), document.positionAt(start + to)),
    );
    editor.setDecorations(this.sentence, found);
    const timer = setTimeout(() => this.unmark?.(), MARKED_MS);
    const clicked = vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
      // Setting the selection above is told, too: without a kind, or as a command.
      const isUsers =
        kind === vscode.TextEditorSelectionChangeKind.Mouse || kind === vscode.TextEditorSelectionChangeKind.Keyboard;
      if (textEditor === editor && isUsers) this.unmark?.();
    });
    this.unmark = () => {
      clearTimeout(timer);
      clicked.dispose();
      editor.setDecorations(this.decoration, []);
      editor.setDecorations(this.sentence, []);
      this.unmark = undefined;
    };
  }
}

async function openText(uri: vscode.Uri, encoding: string | undefined): Promise<vscode.TextDocument> {
  const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  return encoding === undefined || isOpen
    ? vscode.workspace.openTextDocument(uri)
    : vscode.workspace.openTextDocument(uri, { encoding });
}
