/** What a viewer tab showed before the window was loaded anew. */

import type { ViewerTarget } from "../../protocol/viewer";
import { readCitationArgument } from "../places/citationLink";

/** Reads the state that a webview has kept; undefined when it is of no use (an older version's, or damaged). */
export function readViewerTarget(state: unknown): ViewerTarget | undefined {
  const target = field(state, "target");
  const title = field(target, "title");
  if (typeof title !== "string") return undefined;
  if (field(target, "kind") === "image") {
    const assetId = field(target, "assetId");
    return typeof assetId === "string" && /^[\w-]{1,128}$/.test(assetId)
      ? { kind: "image", assetId, title }
      : undefined;
  }
  const note = field(target, "note");
  try {
    const place = readCitationArgument({
      doc_id: field(target, "docId"),
      chunk_ids: field(target, "chunkIds"),
      content: field(target, "content"),
      sentences: field(target, "sentences"),
      ...asObject(field(target, "place")),
    });
    return { kind: "document", title, note: typeof note === "string" ? note : "", ...place };
  } catch {
    // It names no place in a document, so there is nothing to bring back.
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return asObject(value)[name];
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
