import { vi } from "vitest";

import type { Citation } from "../../../../src/core/api/types";
import type { MessageToWebview, ToExtension, ToWebview } from "../../../../src/protocol/chat";
import type { AssistantMessage, Retrieval, Session, UserMessage } from "../../../../src/protocol/session";
import type { SavedState } from "../../../../webview/chat/types";
import type { Host } from "../../../../webview/shared/host";

const AT = "2026-03-01T10:00:00Z";

/** What jsdom lacks and the chat uses. */
export function stubBrowser(): void {
  vi.stubGlobal("requestIdleCallback", (act: () => void) => setTimeout(act));
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe = vi.fn();
    },
  );
}

export function citation(id: number, more: Partial<Citation> = {}): Citation {
  return {
    ...{ id, chunk_id: `c${id}`, doc_id: `d${id}`, collection: "default", content: `Passage ${id}`, doc_type: "pdf" },
    ...{
      title: `Title ${id}`,
      source: `docs/file${id}.pdf`,
      source_uri: `file:///docs/file${id}.pdf`,
      section_path: [],
    },
    ...{ images: [], page: id, ...more },
  };
}

export const retrieval: Retrieval = {
  ...{ traceId: "t1", query: "how long", confidence: 0.86, latencyMs: 184, timingsMs: { dense: 21, rerank: 141 } },
  effective: { strategy: "hybrid", reranked: true, rerank_scored: 24, degraded: ["sparse"] },
  explanation: [{ chunk_id: "c1", moves: [], stages: { dense: { rank: 2, score: 0.7 }, rerank: { rank: 1, score: 0.9 } } }],
  ...{ scores: { c1: 0.9 }, warnings: ["The question was cut."] },
};

export function question(id: string, text = "How long?"): UserMessage {
  return { id, role: "user", text, options: {}, at: AT };
}

export function answer(id: string, more: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    id,
    role: "assistant",
    text: "",
    at: AT,
    state: "searching",
    notices: [],
    citations: [],
    support: [],
    options: {},
    ...more,
  };
}

export function session(messages: Session["messages"] = [], more: Partial<Session> = {}): Session {
  return { id: "s1", title: "", createdAt: AT, updatedAt: AT, messages, ...more };
}

export function init(more: Partial<ToWebview["init"]> = {}): ToWebview["init"] {
  return {
    ...{ text: {}, language: "en", daemon: { kind: "ready", documents: 3 }, session: session(), ingests: [] },
    choices: {
      collections: [],
      strategies: ["hybrid", "sparse_only"],
      models: [
        { id: "auto", label: "Automatic" },
        { id: "none", label: "Passages only" },
      ],
      defaults: {},
    },
    ...more,
  };
}

type ChatHost = Host<ToExtension, MessageToWebview, SavedState>;
type Sent = { [Type in keyof ToExtension]: { type: Type } & ToExtension[Type] }[keyof ToExtension];

/** The editor's side of the line: what was sent, and what was kept. */
export function fakeHost(kept?: SavedState): { host: ChatHost; sent: Sent[]; keep: ReturnType<typeof vi.fn> } {
  const sent: Sent[] = [];
  const keep = vi.fn();
  const host = {
    send: (type: string, payload: object) => sent.push({ type, ...payload } as Sent),
    savedState: () => kept,
    saveState: keep,
    onMessage: () => undefined,
  };
  return { host: host as unknown as ChatHost, sent, keep };
}

export function find(selector: string, root: ParentNode = document): HTMLElement {
  const element = root.querySelector<HTMLElement>(selector);
  if (element === null) throw new Error(`There is no ${selector}.`);
  return element;
}

export function button(label: string, root: ParentNode = document): HTMLButtonElement {
  const buttons = [...root.querySelectorAll("button")];
  const found = buttons.find((other) => (other.getAttribute("aria-label") ?? other.textContent.trim()) === label);
  if (!found)
    throw new Error(`There is no button “${label}”; there are ${buttons.map((other) => other.textContent).join(", ")}.`);
  return found;
}
