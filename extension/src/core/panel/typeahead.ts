/** Search as you type: what completes the text, and passages that answer it so far. Only the newest text is worked on. */

import * as l10n from "@vscode/l10n";

import type { ToExtension, ToWebview } from "../../protocol/chat";
import type { AskOptions } from "../../protocol/session";
import type { Citation } from "../api/types";
import { RagError, isCancelled } from "../common/errors";
import { filtersOf } from "../answer/searchRequest";
import type { ClientProvider } from "../client/reachable";

const PASSAGES = 3;
const SUGGESTIONS = 5;
const QUESTIONS = 2;
/** The daemon takes no longer text for a completion. */
const LONGEST = 200;

type Found = ToWebview["typed.found"];

export class Typeahead {
  private calls: AbortController | undefined;
  private citations: readonly Citation[] = [];

  /** `asked` gives questions of this editor's own chats that hold a text. */
  constructor(
    private readonly daemon: ClientProvider,
    private readonly asked: (text: string) => Promise<string[]>,
    private readonly send: (found: Found) => void,
  ) {}

  /** Calls off what was typed before. Resolves when all has been sent; an empty text sends nothing. */
  async typed({ number, text, options }: ToExtension["typed"]): Promise<void> {
    this.calls?.abort();
    this.calls = undefined;
    const sought = text.trim();
    if (sought === "") return;
    const calls = (this.calls = new AbortController());
    try {
      await Promise.all([
        this.complete(number, sought, options, calls.signal),
        this.search(number, sought, options, calls.signal),
      ]);
    } catch (error) {
      // The other half is of no use alone.
      calls.abort();
      if (!isCancelled(error)) throw error;
    }
  }

  /** A passage that was sent last. Throws `RagError` CITATION_GONE. */
  citation(chunkId: string): Citation {
    const found = this.citations.find(({ chunk_id }) => chunk_id === chunkId);
    if (!found) throw new RagError("CITATION_GONE", l10n.t("This passage is not shown any more."));
    return found;
  }

  private async complete(number: number, text: string, options: AskOptions, signal: AbortSignal): Promise<void> {
    const client = await this.daemon.client();
    const names =
      text.length > LONGEST ? [] : (await client.suggest(text, options.collection, SUGGESTIONS, signal)).items;
    const questions = (await this.asked(text)).slice(0, QUESTIONS);
    if (signal.aborted) return;
    const suggestions: NonNullable<Found["suggestions"]> = [
      ...questions.map((question) => ({ text: question, kind: "question" as const })),
      ...names,
    ];
    this.send({ number, suggestions: suggestions.filter((one) => one.text !== text) });
  }

  private async search(number: number, text: string, options: AskOptions, signal: AbortSignal): Promise<void> {
    const client = await this.daemon.client();
    const { collection, scope = [], strategy } = options;
    const answer = await client.query(
      {
        query: text,
        rerank: false,
        top_k: PASSAGES,
        ...(collection && scope.length === 0 ? { collection } : {}),
        ...filtersOf(options),
        ...(strategy ? { strategy } : {}),
      },
      signal,
    );
    if (signal.aborted) return;
    this.citations = answer.citations;
    this.send({ number, passages: answer.citations });
  }
}
