/** What a viewer's picture asks for beside its bytes: what is known of it, another description, the places where it stands. */

import { asRagError } from "../../core/common/errors";
import type { DaemonClient } from "../../core/client/daemonClient";
import type { DocumentTarget, ViewerMessageToExtension, ViewerMessageToWebview } from "../../protocol/viewer";

type Asked = Extract<ViewerMessageToExtension, { type: "picture.details" | "picture.again" }>;

/** Answers by `post`; failures are part of the answer. */
export async function answerAboutPicture(
  client: () => Promise<DaemonClient>,
  { type, assetId }: Asked,
  signal: AbortSignal,
  post: (message: ViewerMessageToWebview) => void,
): Promise<void> {
  try {
    const { pictures } = await client();
    if (type === "picture.details") {
      const details = await pictures.details(assetId, signal);
      if (!signal.aborted) post({ type: "picture.details", assetId, details, problem: "" });
    } else {
      const { job_id } = await pictures.describeAgain(assetId);
      if (!signal.aborted) post({ type: "picture.again", assetId, isQueued: job_id !== null, problem: "" });
    }
  } catch (error) {
    if (signal.aborted) return;
    const problem = asRagError(error).message;
    if (type === "picture.details") post({ type, assetId, details: null, problem });
    else post({ type, assetId, isQueued: false, problem });
  }
}

/** The document of a passage that shows a picture, with the passage marked. */
export function placeOfPicture(docId: string, chunkId: string, title: string): DocumentTarget {
  const chunkIds = chunkId === "" ? [] : [chunkId];
  return {
    kind: "document",
    docId,
    title,
    chunkIds,
    place: { section_path: [] },
    content: "",
    sentences: [],
    note: "",
  };
}
