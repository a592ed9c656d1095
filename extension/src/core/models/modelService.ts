/** Language model services: looks for Ollama on this machine, lists the models of a service, and tries one out. */

import * as l10n from "@vscode/l10n";

import { RagError } from "../common/errors";
import { masked } from "../common/masking";
import type { DaemonModel, ModelProvider } from "../daemon/languageModel";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

type Service = Pick<DaemonModel, "provider" | "url" | "key">;

const OLLAMA = "http://127.0.0.1:11434";
const LOOK_MS = 1_500;
const LIST_MS = 15_000;
/** A model on this machine is loaded first. */
const TRY_MS = 120_000;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_MODELS = 500;
const LONGEST_REASON = 300;

const ADDRESSES: Record<ModelProvider, string> = {
  ollama: `${OLLAMA}/v1`,
  openai_compatible: "",
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  deepseek: "https://api.deepseek.com",
};

/** Whether a service wants a key in any case. */
export function needsKey(provider: ModelProvider): boolean {
  return provider !== "ollama" && provider !== "openai_compatible";
}

/** What is wrong with an address that was typed; undefined when it can be asked. */
export function addressProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.hostname === "")
    return l10n.t("Write the base URL of the service, such as https://models.example.com/v1.");
  if (url.username || url.password || url.search || url.hash)
    return l10n.t("Write the address alone, without a name, password or query. The key is asked for next.");
  return undefined;
}

/** What is wrong with a key that was typed: it goes into a header. */
export function keyProblem(text: string): string | undefined {
  return /^[\x21-\x7e]*$/.test(text.trim())
    ? undefined
    : l10n.t("A key has only printable ASCII characters, without blanks.");
}

/**
 * Where Ollama listens on this machine: its usual address, or the one of its own variable OLLAMA_HOST as long as that is this
 * machine, too. No other host is asked.
 */
export function ollamaAddress(env: Readonly<Record<string, string | undefined>>): string {
  const given = env["OLLAMA_HOST"]?.trim() ?? "";
  if (given === "") return OLLAMA;
  const text = given.includes("://") ? given : `http://${given}`;
  if (!URL.canParse(text)) return OLLAMA;
  const { protocol, hostname, port } = new URL(text);
  // 0.0.0.0 is how it is told to listen everywhere: here it is this machine.
  const isHere = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1\])$/.test(hostname);
  if (protocol !== "http:" || !isHere) return OLLAMA;
  return `http://${hostname === "0.0.0.0" ? "127.0.0.1" : hostname}:${port || "11434"}`;
}

/** The models of an Ollama on this machine; none when none answers. */
export async function findOllama(address: string, fetch: Fetch, signal: AbortSignal): Promise<string[]> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
    const response = await fetch(`${address}/api/tags`, { redirect: "error", signal: limit });
    if (!response.ok) return [];
    const { models } = (await json(response)) as { models?: unknown };
    return names(models, "name").filter((name) => !/embed/i.test(name));
  } catch {
    signal.throwIfAborted();
    // Nothing listens there, or something else does: then there is no Ollama to offer.
    return [];
  }
}

/** The models that a service offers. Throws `RagError` MODEL_SERVICE that says what to correct. */
export async function listModels(service: Service, fetch: Fetch, signal: AbortSignal): Promise<string[]> {
  const response = await send(service, "/models", undefined, LIST_MS, fetch, signal);
  const { data } = (await answerOf(service, response)) as { data?: unknown };
  return names(data, "id");
}

/** Has the model say a word. Throws `RagError` MODEL_SERVICE that says what to correct. */
export async function tryModel(model: DaemonModel, fetch: Fetch, signal: AbortSignal): Promise<void> {
  const messages = [{ role: "user", content: "Reply with the word: ready" }];
  const isAnthropic = model.provider === "anthropic";
  const limit = model.provider === "openai" ? { max_completion_tokens: 16 } : { max_tokens: 16 };
  const body = { model: model.model, messages, ...limit };
  const path = isAnthropic ? "/messages" : "/chat/completions";
  const response = await send(model, path, body, TRY_MS, fetch, signal);
  const answer = (await answerOf(model, response)) as { choices?: unknown; content?: unknown };
  if (!Array.isArray(isAnthropic ? answer.content : answer.choices)) throw unreadable(model);
}

function baseUrl({ provider, url }: Service): string {
  const base = (url || ADDRESSES[provider]).replace(/\/+$/, "");
  // Their interface stands below /v1; the daemon's own clients add it, too.
  const bare = provider === "ollama" || provider === "anthropic";
  return bare && !base.endsWith("/v1") ? `${base}/v1` : base;
}

async function send(
  service: Service,
  path: string,
  body: object | undefined,
  limitMs: number,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<Response> {
  const { provider, key } = service;
  const auth = provider === "anthropic" ? { "x-api-key": key } : { Authorization: `Bearer ${key}` };
  const headers = {
    Accept: "application/json",
    ...(key === "" ? {} : auth),
    ...(provider === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  try {
    // A redirect would carry the key to another host.
    return await fetch(`${baseUrl(service)}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw failed(l10n.t("{0} can't be reached: {1}", baseUrl(service), reasonOf(error, service)));
  }
}

async function answerOf(service: Service, response: Response): Promise<unknown> {
  const address = baseUrl(service);
  if (response.status === 401 || response.status === 403)
    throw failed(l10n.t("{0} refused the key (status {1}).", address, response.status));
  if (response.status === 404)
    throw failed(
      l10n.t("{0} does not know this address or model (status 404). The base URL often ends in /v1.", address),
    );
  if (!response.ok) {
    const said = await saidBy(service, response);
    throw failed(l10n.t("{0} answered with status {1}. {2}", address, response.status, said).trim());
  }
  let answer: unknown;
  try {
    answer = await json(response);
  } catch {
    throw unreadable(service);
  }
  if (typeof answer !== "object" || answer === null) throw unreadable(service);
  return answer;
}

/** The service's own words, where it writes errors as such services do. */
async function saidBy(service: Service, response: Response): Promise<string> {
  try {
    const { error } = (await json(response)) as { error?: unknown };
    const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
    return typeof message === "string" ? cleaned(message, service) : "";
  } catch {
    return "";
  }
}

/** A body of bounded size. Throws when it is larger, or no JSON. */
async function json(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error("The answer is too large.");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

function names(rows: unknown, field: string): string[] {
  if (!Array.isArray(rows)) return [];
  const found = rows.flatMap((row: unknown) => {
    const name = typeof row === "object" && row !== null ? (row as Record<string, unknown>)[field] : undefined;
    return typeof name === "string" && /^[\x21-\x7e]{1,200}$/.test(name) ? [name] : [];
  });
  return [...new Set(found)].sort().slice(0, MOST_MODELS);
}

function reasonOf(error: unknown, service: Service): string {
  if (error instanceof Error && error.name === "TimeoutError") return l10n.t("it did not answer in time");
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cleaned(cause instanceof Error ? cause.message : String(cause), service);
}

function cleaned(text: string, { key }: Service): string {
  return masked(text, key === "" ? [] : [key])
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_REASON);
}

function unreadable(service: Service): RagError {
  return failed(
    l10n.t(
      "{0} answered something else than a service of language models does. The base URL often ends in /v1.",
      baseUrl(service),
    ),
  );
}

function failed(message: string): RagError {
  return new RagError("MODEL_SERVICE", message, l10n.t("Correct it and try again."));
}
