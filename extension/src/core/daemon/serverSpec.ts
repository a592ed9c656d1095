/** Which server to use, as a value: resolved from the settings, and compared with the one in use. */

import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import * as l10n from "@vscode/l10n";

import type { Connection } from "../client/connection";
import type { Transport } from "../client/ragClient";
import { RagError } from "../common/errors";
import { type DaemonModel, modelEnvironment } from "./languageModel";
import { type PictureAgreement, pictureEnvironment } from "./pictureAgreement";
import { type Machine, dataDirectory, expandUser, pathsOf } from "./directories";

/** Values of settings as this machine's user gave them; a workspace has no say in them. Empty: not set. */
export interface ServerSettings {
  url: string;
  executable: string;
  pythonPath: string;
  indexUrl: string;
  modelSource: string;
  /** The editor's own `http.proxy`. */
  proxy: string;
  transport: Transport;
}

/** The environment that the set-up made for the wheel that comes with the extension. */
export interface ManagedServer {
  executable: string;
  version: string;
}

/** How to run a `rag` of this machine. */
export interface LocalServer {
  kind: "executable" | "managed";
  command: string;
  /** Put over the extension host's environment; undefined takes a variable out. */
  env: Record<string, string | undefined>;
  dataDir: string;
  /** What the program is; known before it runs for ours only. */
  version?: string;
  transport: Transport;
}

export type ServerSpec =
  | ({ kind: "url"; transport: Transport } & Connection)
  | LocalServer
  /** `updated`: it was set up, but for another version of the extension. */
  | { kind: "setupNeeded"; reason: "new" | "updated" };

export interface ServerInputs {
  settings: ServerSettings;
  /** Of the server at `settings.url`. */
  token: string;
  managed: ManagedServer | "new" | "updated";
  machine: Machine;
  /** The language model that was added; left out: none was. */
  model?: DaemonModel | undefined;
  /** That the editor's model describes pictures; left out: nobody has agreed to that. */
  pictures?: PictureAgreement | undefined;
}

/** Throws `RagError` (SETTING_INVALID) that names the setting and what it may be. */
export function resolveServer({ settings, token, managed, machine, model, pictures }: ServerInputs): ServerSpec {
  const { transport } = settings;
  if (settings.url) return { kind: "url", url: serverUrl(settings.url), token, transport };
  const local = {
    env: {
      ...networkVariables(settings, machine.env),
      ...modelVariables(settings.modelSource, machine),
      ...modelEnvironment(model),
      ...pictureEnvironment(pictures),
      ...(transport === "mcp" ? { RAG_MCP__ENABLED: "true" } : {}),
    },
    dataDir: dataDirectory(machine),
    transport,
  };
  if (settings.executable) return { kind: "executable", command: executable(settings.executable, machine), ...local };
  if (typeof managed === "string") return { kind: "setupNeeded", reason: managed };
  // Ours runs in its own environment: what is set for another Python would only break it.
  const env = { ...local.env, PYTHONPATH: undefined, PYTHONHOME: undefined };
  return { kind: "managed", command: managed.executable, version: managed.version, ...local, env };
}

export function isLocal(server: ServerSpec): server is LocalServer {
  return server.kind === "executable" || server.kind === "managed";
}

export function sameServer(one: ServerSpec, other: ServerSpec): boolean {
  return isDeepStrictEqual(one, other);
}

/** Whether a token would travel unencrypted over a network. */
export function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !["http:", "https:"].includes(url.protocol) ||
    url.username ||
    url.password ||
    url.search ||
    url.hash
  ) {
    throw invalid(
      "ragAssistant.server.url",
      l10n.t("It must be an http or https address, such as https://rag.example.com, without a password in it."),
    );
  }
  return url.href.replace(/\/+$/, "");
}

function executable(text: string, machine: Machine): string {
  const path = expandUser(text, machine);
  if (!pathsOf(machine).isAbsolute(path)) {
    throw invalid("ragAssistant.server.executable", l10n.t("It must be the full path of the program “rag”."));
  }
  if (!existsSync(path)) throw invalid("ragAssistant.server.executable", l10n.t("There is no file {0}.", path));
  return path;
}

/** The proxy for a program of ours; this machine's own addresses are reached without it. */
export function networkVariables(
  { proxy }: Pick<ServerSettings, "proxy">,
  env: Machine["env"],
): Record<string, string> {
  if (!proxy) return {};
  const direct = [env["NO_PROXY"] ?? env["no_proxy"] ?? "", "localhost,127.0.0.1,::1"].filter(Boolean).join(",");
  // Both spellings: which one a library prefers differs, and the setting wins over either.
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: direct,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: direct,
  };
}

/** Where models come from: an address is a mirror of the model hub, a path is a folder that holds models. */
export function modelVariables(source: string, machine: Machine): Record<string, string> {
  if (!source) return {};
  if (/^https?:\/\//i.test(source)) {
    if (!URL.canParse(source)) throw invalid("ragAssistant.model.source", l10n.t("This is no address."));
    return { HF_ENDPOINT: source.replace(/\/+$/, "") };
  }
  const folder = expandUser(source, machine);
  if (!pathsOf(machine).isAbsolute(folder)) {
    throw invalid(
      "ragAssistant.model.source",
      l10n.t("It must be the address of a mirror of the model hub, or the full path of a folder that holds models."),
    );
  }
  if (!existsSync(folder)) throw invalid("ragAssistant.model.source", l10n.t("There is no folder {0}.", folder));
  return { RAG_EMBEDDING__MODEL_FOLDERS: JSON.stringify([folder]) };
}

function invalid(setting: string, why: string): RagError {
  return new RagError(
    "SETTING_INVALID",
    l10n.t("The setting {0} is wrong. {1}", setting, why),
    l10n.t("Correct it in the settings."),
  );
}
