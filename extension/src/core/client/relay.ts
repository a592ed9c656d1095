/** What the dashboard inside the editor may ask of the daemon: what the same pages may ask in a browser. */

import { RagError } from "../common/errors";

/** What a page has no use for, and a foreign script in it would have; the daemon refuses these to a browser's session, too. */
const NOT_FOR_PAGES = [
  "/api/browser-link",
  "/api/dashboard-link",
  "/api/keys",
  "/api/backup",
  "/api/stop",
  "/api/captions",
];

/** The address and parameters as they are sent. Throws `RagError` (FORBIDDEN_PATH) for all that is not below `/api/`. */
export function relayedPath(path: string): string {
  const { origin, pathname, search } = new URL(path, "http://daemon");
  const isWithin = (folder: string) => pathname === folder || pathname.startsWith(`${folder}/`);
  if (origin !== "http://daemon" || !pathname.startsWith("/api/") || NOT_FOR_PAGES.some(isWithin))
    throw new RagError("FORBIDDEN_PATH", `The dashboard does not ask for ${pathname}.`);
  return pathname + search;
}
