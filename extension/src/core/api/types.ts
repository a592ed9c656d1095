/** The daemon's requests and answers. `api.gen.ts` is made from its OpenAPI; here they get the names the rest uses. */

import type { components } from "./api.gen";

type Schemas = components["schemas"];

export type QueryRequest = Partial<Omit<Schemas["QuestionBody"], "evaluation">> & { query: string };
/** `extractive`: no language model takes part, also where the daemon has one. */
export type ChatRequest = QueryRequest & { extractive?: boolean };
export type PromptRequest = QueryRequest & Partial<Pick<Schemas["PromptBody"], "attachments" | "max_tokens">>;
export type PromptAnswer = Schemas["PromptAnswer"];
export type PromptMessage = Schemas["PromptMessage"];
export type Attachment = Schemas["AttachmentBody"];
export type QueryAnswer = Schemas["QueryAnswer"];
export type Citation = Schemas["Citation"];
export type Suggestion = Schemas["Suggestion"];
export type SuggestionList = Schemas["SuggestionList"];
export type LiveCounts = Schemas["LiveCounts"];
export type Result = Schemas["Result"];
export type Explained = Schemas["Explained"];
export type Image = Schemas["Image"];
/** What a window is to ask the model that it lends. */
export type LentRequest = Schemas["LentRequest"];
export type LentRequests = Schemas["LentRequests"];
export type PictureDescription = Schemas["PictureDescription"];
export type Status = Schemas["Status"];
export type Collection = Schemas["Collection"];
export type Document = Schemas["Document"];
export type DocumentDetail = Schemas["DocumentDetail"];
export type DocumentGuide = Schemas["DocumentGuide"];
export type CollectionGuide = Schemas["CollectionGuide"];
export type Folder = Schemas["Folder"];
export type DocumentContent = Schemas["DocumentContent"];
export type Section = Schemas["Section"];
export type Chunk = Schemas["Chunk"];
export type OutlinePlace = Schemas["OutlinePlace"];
export type SheetRows = Schemas["SheetRows"];
export type SheetRowPlace = Schemas["SheetRow"];
export type MergedTableCells = Schemas["MergedTableCells"];
export type MergedTableCell = Schemas["MergedTableCell"];
export type SlidePlaces = Schemas["SlidePlaces"];
export type AssetDetails = Schemas["AssetDetails"];
export type PageContent = Schemas["PageContent"];
export type PageText = Schemas["PageText"];
export type Source = Schemas["Source"];
export type SourcePreview = Schemas["SourcePreview"];
export type NewSource = Schemas["SourceCreate"];
export type SourceChange = Schemas["SourceChange"];
export type CloudConfig = Extract<NewSource["config"], { auth: unknown }>;
export type CloudPreview = Schemas["CloudPreview"];
export type Container = Schemas["Container"];
export type SourceLedger = Schemas["SourceLedger"];
export type LedgerCycle = Schemas["LedgerCycle"];
export type LedgerItem = Schemas["LedgerItem"];
export type SkippedItem = Schemas["SkippedItem"];
export type Job = Schemas["Job"];
export type JobResult = Schemas["JobResult"];
export type TraceRow = Schemas["TraceRow"];
export type ErrorInfo = Schemas["ErrorInfo"];
export type Filters = NonNullable<QueryRequest["filters"]>;
export type Turn = NonNullable<QueryRequest["history"]>[number];

/** One verified sentence of an answer; `start` and `end` count code points, not UTF-16 units. */
export type Support = Schemas["Support"];
export type VerifiedAnswer = Schemas["VerifiedAnswer"];
export type ChatDone = Schemas["ChatDone"];
/** The event `state` of `/api/events`. */
export type DaemonState = Schemas["DaemonState"];

/** What a stream sends, by the names of its events; a failure is thrown instead. */
type EventsOf<Events> = { [Name in Exclude<keyof Events, "error">]: { event: Name; data: Events[Name] } }[Exclude<
  keyof Events,
  "error"
>];
export type ChatEvent = EventsOf<Schemas["ChatEvents"]>;

/** One trace, as far as it is used here. */
export interface TraceDetail {
  trace_id: string;
  /** Of kind `degraded`: `payload.stage` was left out, `payload.code` says why. */
  events: { kind: string; payload: Record<string, unknown> }[];
}

export interface FeedbackRequest {
  question: string;
  verdict: "up" | "down";
  collection?: string;
  filters?: Filters;
  history?: Turn[];
  chunk_ids: string[];
  answer?: string;
  comment?: string;
  trace_id?: string;
}

export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  page_size: number;
}
