/** What a person has agreed to: that one model of the editor describes the pictures of their documents. */

import { parseRecord } from "../common/json";

export interface PictureAgreement {
  /** The model, as the editor tells it apart. */
  vendor: string;
  id: string;
  /** As people know it. */
  name: string;
  /** Pictures a day (UTC) at most; 0: no limit. */
  maxPerDay: number;
}

/** Variables for a daemon: lent models describe its pictures, whatever service its settings name. */
export function pictureEnvironment(agreement: PictureAgreement | undefined): Record<string, string> {
  if (agreement === undefined) return {};
  return {
    RAG_CAPTIONS__PROVIDER: "editor",
    RAG_CAPTIONS__MAX_PER_DAY: String(agreement.maxPerDay),
    // Of a service; the daemon refuses them beside a model that is lent.
    RAG_CAPTIONS__MODEL: "",
    RAG_CAPTIONS__URL: "",
    RAG_CAPTIONS__API_KEY: "",
  };
}

/** What was kept, or undefined for anything that we would not have kept: without an agreement nothing is sent. */
export function readAgreement(kept: string | undefined): PictureAgreement | undefined {
  const fields = kept === undefined ? undefined : parseRecord(kept);
  if (fields === undefined) return undefined;
  const { vendor, id, name, maxPerDay } = fields;
  if (typeof vendor !== "string" || typeof id !== "string" || typeof name !== "string") return undefined;
  if (typeof maxPerDay !== "number" || !Number.isSafeInteger(maxPerDay) || maxPerDay < 0) return undefined;
  return { vendor, id, name, maxPerDay };
}
