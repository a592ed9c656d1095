/** Short names for what the parts of the chat webview share. */

import type { MessageToWebview, ToExtension } from "../../src/protocol/chat";
import type { AskOptions } from "../../src/protocol/session";
import type { Host } from "../shared/host";

/** What outlives a hidden webview and a reload of the window: by session id. */
export interface SavedState {
  drafts: Record<string, string>;
  options: Record<string, AskOptions>;
  /** The chat that is shown: a tab comes back with it. */
  session?: string;
}

export type ChatHost = Host<ToExtension, MessageToWebview, SavedState>;
export type Send = ChatHost["send"];
export type {
  AskOptions,
  AssistantMessage,
  AttachedText,
  Message,
  Retrieval,
  ScopeItem,
  Session,
  SessionRow,
  UserMessage,
} from "../../src/protocol/session";
