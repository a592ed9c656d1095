/** What is shown before the first question: what the chosen documents are about, and what can be asked. */

import type { Guide } from "../../protocol/chat";
import type { ScopeItem } from "../../protocol/session";
import type { CollectionGuide, DocumentGuide } from "../api/types";
import type { DaemonService } from "../daemon/status";

const QUESTIONS = 5;
const TOPICS = 10;
/** Each costs a request; more would not fit into the panel. */
const MOST_GUIDES = 3;

/** Gives what the rules found at once, then what the daemon's language model wrote, where it has one. */
export async function loadGuide(
  daemon: Pick<DaemonService, "client">,
  scope: readonly ScopeItem[],
  collection: string | undefined,
  give: (guide: Guide | null) => void,
): Promise<void> {
  const client = await daemon.client();
  const documents = scope.filter(({ kind }) => kind === "document").slice(0, MOST_GUIDES);
  const [only] = documents;
  if (only && scope.length === 1) {
    give(ofDocument(await client.documentGuide(only.id, false)));
    const { llm } = await client.status();
    if (llm.provider !== "none") give(ofDocument(await client.documentGuide(only.id, true)));
    return;
  }
  if (scope.some(({ kind }) => kind === "folder" || kind === "source") && documents.length === 0) {
    give(null);
    return;
  }
  const chosen = scope.filter(({ kind }) => kind === "collection").map(({ id }) => id);
  const names = scope.length > 0 ? chosen : collection ? [collection] : await collectionsOf(client);
  const guides = [
    ...(await Promise.all(documents.map(({ id }) => client.documentGuide(id, false)))),
    ...(await Promise.all(names.slice(0, MOST_GUIDES).map((name) => client.collectionGuide(name)))),
  ];
  give(merged(guides));
}

async function collectionsOf(client: Awaited<ReturnType<DaemonService["client"]>>): Promise<string[]> {
  const all = await client.collections();
  return all.filter(({ status, document_count: count }) => status === "enabled" && count > 0).map(({ name }) => name);
}

function ofDocument({ title, summary, by, topics, outline, questions }: DocumentGuide): Guide {
  return {
    ...{ title, summary, outline, byModel: by === "model", topics: topics.slice(0, TOPICS) },
    questions: questions.map(({ text }) => text).slice(0, QUESTIONS),
  };
}

function merged(guides: readonly (DocumentGuide | CollectionGuide)[]): Guide | null {
  const questions = inTurn(guides.map((guide) => guide.questions.map(({ text }) => text))).slice(0, QUESTIONS);
  if (questions.length === 0) return null;
  const topics = inTurn(guides.map((guide) => guide.topics)).slice(0, TOPICS);
  return { title: "", summary: "", byModel: false, topics, outline: [], questions };
}

/** The first of each list, then the second of each, each once. */
function inTurn(lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const found = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? []));
  return [...new Set(found.flat())];
}
