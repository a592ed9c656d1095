/** The language model that a person has added: what the daemon is started with, and how it is kept. */

import { parseRecord } from "../common/json";

export const PROVIDERS = ["ollama", "openai_compatible", "openai", "anthropic", "deepseek"] as const;

export type ModelProvider = (typeof PROVIDERS)[number];

export interface DaemonModel {
  provider: ModelProvider;
  /** Base URL; empty: the provider's own. */
  url: string;
  /** As the service names it. */
  model: string;
  /** Empty where the service wants none. */
  key: string;
}

/** Outside of `RAG_SECRET_`, whose variables a source may name: no source can have this key sent anywhere. */
const KEY_VARIABLE = "ASSISTANT_LANGUAGE_MODEL_KEY";

/** Variables for a daemon: its settings hold a reference, and the key stands in a variable of that process alone. */
export function modelEnvironment(model: DaemonModel | undefined): Record<string, string> {
  if (model === undefined) return {};
  return {
    RAG_LLM__PROVIDER: model.provider,
    RAG_LLM__MODEL: model.model,
    ...(model.url === "" ? {} : { RAG_LLM__URL: model.url }),
    ...(model.key === "" ? {} : { RAG_LLM__API_KEY: `env:${KEY_VARIABLE}`, [KEY_VARIABLE]: model.key }),
  };
}

/** What was kept, or undefined for anything that we would not have kept. */
export function readModel(kept: string | undefined): DaemonModel | undefined {
  const fields = kept === undefined ? undefined : parseRecord(kept);
  if (fields === undefined) return undefined;
  const { provider, url, model, key } = fields;
  const known = PROVIDERS.find((name) => name === provider);
  if (known === undefined || typeof url !== "string" || typeof model !== "string" || typeof key !== "string")
    return undefined;
  return model === "" ? undefined : { provider: known, url, model, key };
}
