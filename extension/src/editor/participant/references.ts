/** What was attached to a chat request, read as text. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { Attachment } from "../../core/api/types";
import { clip } from "../../core/sessions/sessionText";
import { shortName } from "../../protocol/places";

const LARGEST_FILE = 5 * 1024 * 1024;
const LONGEST_TEXT = 100_000;
const LONGEST_NAME = 500;
const LOOKED_AT_FOR_BINARY = 8_000;
const MOST_ATTACHMENTS = 20;
/** All together: a request's body may have 2 MB, and a Japanese character takes three bytes of it. */
const LONGEST_TOGETHER = 500_000;

export interface Attached {
  attachments: Attachment[];
  /** What was not read, and why. */
  notices: string[];
}

/** Files, places in files and texts. Nothing fails here: what can't be read is said. */
export async function readReferences(references: readonly vscode.ChatPromptReference[]): Promise<Attached> {
  const attachments: Attachment[] = [];
  const notices: string[] = [];
  let room = LONGEST_TOGETHER;
  // The editor gives them with the last one first.
  for (const reference of references.toReversed()) {
    if (attachments.length === MOST_ATTACHMENTS) {
      notices.push(l10n.t("Only the first {0} attachments were read.", MOST_ATTACHMENTS));
      break;
    }
    const read = await readReference(reference);
    if (typeof read === "string") {
      notices.push(read);
      continue;
    }
    const text = clip(read.text, Math.min(LONGEST_TEXT, room));
    room -= text.length;
    attachments.push({ name: clip(read.name, LONGEST_NAME), text });
    if (text.length < read.text.length) notices.push(l10n.t("Only the beginning of {0} was read.", read.name));
  }
  return { attachments, notices };
}

/** The attachment, or why it was not read. */
async function readReference({ id, value }: vscode.ChatPromptReference): Promise<Attachment | string> {
  if (typeof value === "string") return { name: id, text: value };
  if (value instanceof vscode.Uri) return readFile(value);
  if (value instanceof vscode.Location) return readRange(value);
  return l10n.t("{0} was not read: only files, selections and text are.", id);
}

async function readRange({ uri, range }: vscode.Location): Promise<Attachment | string> {
  const name = shortName(uri.path);
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const [first, last] = [range.start.line + 1, range.end.line + 1];
    const lines = first === last ? l10n.t("line {0}", first) : l10n.t("lines {0}–{1}", first, last);
    return { name: l10n.t("{0}, {1}", name, lines), text: document.getText(range) };
  } catch (error) {
    return unreadable(name, error);
  }
}

async function readFile(uri: vscode.Uri): Promise<Attachment | string> {
  const name = shortName(uri.path);
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  // What people see counts, saved or not.
  if (open) return { name, text: open.getText() };
  try {
    const info = await vscode.workspace.fs.stat(uri);
    if (info.type & vscode.FileType.Directory) {
      return l10n.t("{0} is a folder, which is not read here. Add it with /ingest.", name);
    }
    if (info.size > LARGEST_FILE) return l10n.t("{0} is too large to be read here. Add it with /ingest.", name);
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (bytes.subarray(0, LOOKED_AT_FOR_BINARY).includes(0)) {
      return l10n.t("{0} is not a text file. Add it with /ingest, then ask about it.", name);
    }
    return { name, text: await vscode.workspace.decode(bytes, { uri }) };
  } catch (error) {
    return unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): string {
  return l10n.t("{0} could not be read: {1}", name, error instanceof Error ? error.message : String(error));
}
