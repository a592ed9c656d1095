/** The tools that language models of the editor may call: searching, listing, outlining and reading. They only read. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";

import type { DaemonClient } from "../../core/client/daemonClient";
import { throwIfCancelled } from "../../core/common/cancellation";
import { asRagError, isCancelled } from "../../core/common/errors";
import { excerpt } from "../../core/common/safeMarkdown";
import type { DaemonService } from "../../core/daemon/status";
import { whileItAnswers } from "../../core/daemon/watch";
import { collectionsText, documentsText, outlineText } from "../../core/tools/listTexts";
import {
  listInput,
  outlineInput,
  readInput,
  searchInput,
  type ListInput,
  type OutlineInput,
  type ReadInput,
  type SearchInput,
} from "../../core/tools/toolInput";
import { documentText, passagesText, type TokenBudget } from "../../core/tools/toolTexts";
import { signalOf } from "../common/cancellation";

const LONGEST_NAME = 80;
const LISTED = 50;
// Without a budget from the model: about what ten passages take.
const DEFAULT_TOKENS = 8_000;
const CHARS_PER_TOKEN = 3;

type Run<T> = (client: DaemonClient, input: T, room: TokenBudget, signal: AbortSignal) => Promise<string>;

export function registerTools({ daemon }: { daemon: DaemonService }): vscode.Disposable {
  const search = new Tool(daemon, searchInput, runSearch, (input) => {
    const query = named(input, "query");
    return query === "" ? l10n.t("Searching your documents") : l10n.t("Searching your documents for “{0}”", query);
  });
  const read = new Tool(daemon, readInput, runRead, (input) => {
    const section = named(input, "section");
    return section === "" ? l10n.t("Reading a document") : l10n.t("Reading the section “{0}” of a document", section);
  });
  const list = new Tool(daemon, listInput, runList, () => l10n.t("Listing your documents"));
  const outline = new Tool(daemon, outlineInput, runOutline, () => l10n.t("Looking at the headings of a document"));
  return vscode.Disposable.from(
    vscode.lm.registerTool("rag_search", search),
    vscode.lm.registerTool("rag_read_document", read),
    vscode.lm.registerTool("rag_list", list),
    vscode.lm.registerTool("rag_outline", outline),
  );
}

class Tool<T> implements vscode.LanguageModelTool<unknown> {
  constructor(
    private readonly daemon: DaemonService,
    private readonly check: (value: unknown) => T,
    private readonly run: Run<T>,
    private readonly message: (input: unknown) => string,
  ) {}

  prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<unknown>): vscode.PreparedToolInvocation {
    // What is wrong with the input is told when the tool is invoked.
    return { invocationMessage: this.message(input) };
  }

  async invoke(
    { input, tokenizationOptions }: vscode.LanguageModelToolInvocationOptions<unknown>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const signal = signalOf(token);
    try {
      const asked = this.check(input);
      const client = await this.daemon.client();
      throwIfCancelled(signal);
      const room = budgetOf(tokenizationOptions, token);
      const text = await whileItAnswers(this.daemon, signal, (own) => this.run(client, asked, room, own));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
    } catch (error) {
      throw isCancelled(error) ? new vscode.CancellationError() : forModel(error);
    } finally {
      signal.dispose();
    }
  }
}

async function runSearch(
  client: DaemonClient,
  input: SearchInput,
  room: TokenBudget,
  signal: AbortSignal,
): Promise<string> {
  const resource = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const set = vscode.workspace.getConfiguration("ragAssistant", resource).get<string>("collection", "").trim();
  const collection = input.collection ?? set;
  const request = { ...input, ...(collection === "" ? {} : { collection }) };
  return passagesText(input.query, await client.query(request, signal), room);
}

async function runRead(
  client: DaemonClient,
  input: ReadInput,
  room: TokenBudget,
  signal: AbortSignal,
): Promise<string> {
  // Its headings are needed where it begins, and to find one section.
  const wantsSections = input.section !== undefined || !input.offset;
  const [document, content, sections] = await Promise.all([
    client.document(input.doc_id, signal),
    client.content(input.doc_id, signal),
    wantsSections ? client.sections(input.doc_id) : [],
  ]);
  return documentText(document, content.markdown, sections, input, room);
}

/** Without anything: the collections; in one: its folders, and what lies in none; of a folder the same. */
async function runList(
  client: DaemonClient,
  input: ListInput,
  room: TokenBudget,
  signal: AbortSignal,
): Promise<string> {
  const { collection, folder, text, status, page = 1 } = input;
  if (collection === undefined && folder === undefined && text === undefined && status === undefined)
    return collectionsText(await client.collections());
  // Found by a name or a status, they may lie anywhere.
  const here = text === undefined && status === undefined ? (folder ?? "").replace(/\/+$/, "") : undefined;
  const [folders, documents] = await Promise.all([
    here === undefined || page > 1 ? [] : client.folders(collection, here),
    client.listDocuments(
      {
        ...(collection === undefined ? {} : { collection }),
        ...(here === undefined ? {} : { folder: here }),
        ...(text === undefined ? {} : { text }),
        ...(status === undefined ? {} : { status }),
        page,
        page_size: LISTED,
      },
      signal,
    ),
  ]);
  return documentsText(folders, documents, room);
}

async function runOutline(
  client: DaemonClient,
  { doc_id: id }: OutlineInput,
  room: TokenBudget,
  signal: AbortSignal,
): Promise<string> {
  const [document, sections] = await Promise.all([client.document(id, signal), client.sections(id)]);
  return outlineText(document, sections, room);
}

function budgetOf(
  options: vscode.LanguageModelToolTokenizationOptions | undefined,
  token: vscode.CancellationToken,
): TokenBudget {
  if (options === undefined) {
    return { tokens: DEFAULT_TOKENS, count: (text) => Promise.resolve(Math.ceil(text.length / CHARS_PER_TOKEN)) };
  }
  return { tokens: options.tokenBudget, count: async (text) => await options.countTokens(text, token) };
}

/** A text of an input that nobody has checked yet, short enough to be shown. */
function named(input: unknown, field: string): string {
  const value: unknown =
    typeof input === "object" && input !== null ? (input as Record<string, unknown>)[field] : undefined;
  return typeof value === "string" ? excerpt(value, LONGEST_NAME) : "";
}

/** Models read the message alone: it carries the code and what to do. */
function forModel(error: unknown): Error {
  const { code, message, advice } = asRagError(error);
  return new Error([`${code}:`, message, advice].filter((part) => part !== "").join(" "));
}
