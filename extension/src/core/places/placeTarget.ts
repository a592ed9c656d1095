/** Where a place in a document is shown: in the editor, in the browser, or in our own viewer. */

import type { Place } from "../../protocol/places";
import type { DocumentDetail } from "../api/types";

/** Where a document's file is, seen from this machine. `elsewhere`: the daemon runs on another machine. */
export type FileLocation = "here" | "gone" | "elsewhere";

export type PlaceTarget =
  | { kind: "editor"; uri: string; lines: [number, number] }
  | { kind: "browser"; url: string }
  /** `file` says why the file itself is not shown although lines of it are meant. */
  | { kind: "viewer"; file?: "gone" | "elsewhere" };

/** Where to open `place` of a document. `find` is asked only for files. */
export function placeTarget(
  place: Place,
  document: Pick<DocumentDetail, "source_uri">,
  find: (uri: string) => FileLocation,
): PlaceTarget {
  const uri = document.source_uri;
  if (isWebAddress(uri)) return { kind: "browser", url: uri + (place.anchor ?? "") };
  if (!place.line_range || !isFileUri(uri)) return { kind: "viewer" };
  const fileLocation = find(uri);
  if (fileLocation !== "here") return { kind: "viewer", file: fileLocation };
  return { kind: "editor", uri, lines: place.line_range };
}

export function isWebAddress(uri: string): boolean {
  return scheme(uri) === "http:" || scheme(uri) === "https:";
}

export function isFileUri(uri: string): boolean {
  return scheme(uri) === "file:";
}

function scheme(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).protocol : undefined;
}
