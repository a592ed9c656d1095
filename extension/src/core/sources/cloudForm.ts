/** What the form for a Confluence or Jira source holds, which steps it has, and what it becomes when it is sent. */

import type { CloudConfig, CloudPreview, NewSource, Source, SourceChange } from "../api/types";
import { storedToken } from "../client/sourceTokens";
import { RagError } from "../common/errors";

export type Product = "confluence" | "jira";
export type Deployment = "cloud" | "data_center";
export type AuthKind = CloudConfig["auth"]["kind"];
/** Who may see what was read: see `accessOf`. */
export type Access = "live" | "cached" | "public";

export type Step =
  | "address"
  | "deployment"
  | "kind"
  | "tokenStore"
  | "email"
  | "token"
  | "reference"
  | "containers"
  | "parts"
  | "access"
  | "schedule"
  | "cron"
  | "collection"
  | "summary";

/** The word in place of a token's reference: the token comes with each request. */
export const FROM_REQUEST = "request";
export const OTHER_SCHEDULE = "other";

export interface CloudForm {
  product: Product;
  /** The source that is edited; left out: a new one. */
  source?: Source;
  address: string;
  deployment: Deployment | undefined;
  kind: AuthKind | undefined;
  /** `editor`: VS Code keeps the token; `daemon`: it reads a reference. */
  tokenStore: "editor" | "daemon";
  email: string;
  /** As it was typed; empty in an edited form: the one that is kept stays. */
  token: string;
  /** The token that is kept for the edited source. */
  stored: string;
  reference: string;
  /** Of all that the token may read; undefined until address and token were tested. */
  found?: CloudPreview | undefined;
  /** Keys of spaces or projects; empty: all. */
  chosen: string[];
  attachments: boolean;
  comments: boolean;
  access: Access;
  /** As the daemon writes it; empty: as its settings say. */
  schedule: string;
  collections: string[];
  collection: string;
  /** Of what was chosen. */
  preview?: CloudPreview | undefined;
}

export function newForm(product: Product, collections: string[]): CloudForm {
  return {
    ...{
      product,
      address: "",
      deployment: undefined,
      kind: undefined,
      tokenStore: "editor",
      email: "",
      token: "",
      stored: "",
    },
    ...{ reference: "", chosen: [], attachments: true, comments: true, access: "live", schedule: "" },
    ...{ collections, collection: collections.includes("default") ? "default" : (collections[0] ?? "default") },
  };
}

/** The form of a source that is there; `stored` is its token, empty where none is kept. */
export function formOf(source: Source, stored: string): CloudForm {
  const config = source.config as Partial<CloudConfig>;
  const token = config.auth?.token ?? FROM_REQUEST;
  const product = source.type === "jira" ? "jira" : "confluence";
  return {
    ...newForm(product, [source.collection]),
    source,
    address: config.base_url ?? "",
    deployment: config.deployment ?? undefined,
    kind: config.auth?.kind,
    tokenStore: token === FROM_REQUEST ? "editor" : "daemon",
    email: config.auth?.email ?? "",
    stored,
    reference: token === FROM_REQUEST ? "" : token,
    chosen: (product === "jira" ? config.projects : config.spaces) ?? [],
    attachments: config.attachments ?? true,
    comments: config.comments ?? true,
    access: accessIn(source),
    schedule: source.schedule ?? "",
  };
}

/** What the address alone tells; undefined: it has to be asked. */
export function deploymentOf(address: string): Deployment | undefined {
  const text = address.includes("://") ? address : `https://${address}`;
  if (!URL.canParse(text)) return undefined;
  const { hostname } = new URL(text);
  return hostname.endsWith(".atlassian.net") || hostname === "api.atlassian.com" ? "cloud" : undefined;
}

export function deployment(form: CloudForm): Deployment {
  return deploymentOf(form.address) ?? form.deployment ?? "data_center";
}

/** All steps of the form as it is filled in now. */
export function steps(form: CloudForm): Step[] {
  const asksSchedule = form.schedule === OTHER_SCHEDULE;
  return [
    "address",
    ...when(deploymentOf(form.address) === undefined, "deployment"),
    ...(["kind", "tokenStore"] as const),
    ...when(form.kind === "api_token", "email"),
    form.tokenStore === "editor" ? "token" : "reference",
    ...(["containers", "parts", "access", "schedule"] as const),
    ...when(asksSchedule, "cron"),
    ...when(form.source === undefined && form.collections.length > 1, "collection"),
    "summary",
  ];
}

function when(condition: boolean, step: Step): Step[] {
  return condition ? [step] : [];
}

export function stepAfter(form: CloudForm, step: Step): Step {
  const all = steps(form);
  return all[indexOf(all, step) + 1] ?? "summary";
}

/** Undefined before the first one. */
export function stepBefore(form: CloudForm, step: Step): Step | undefined {
  const all = steps(form);
  return all[indexOf(all, step) - 1];
}

function indexOf(all: readonly Step[], step: Step): number {
  // Once a time was written, the step for it is gone.
  return all.indexOf(step === "cron" && !all.includes("cron") ? "schedule" : step);
}

const FIELDS: [prefix: string, step: Step][] = [
  ["config.base_url", "address"],
  ["config.deployment", "deployment"],
  ["config.auth.email", "email"],
  ["config.auth.token", "token"],
  ["config.auth", "kind"],
  ["config.spaces", "containers"],
  ["config.projects", "containers"],
  ["config.cql", "containers"],
  ["config.jql", "containers"],
  ["config.attachments", "parts"],
  ["config.comments", "parts"],
  ["schedule", "schedule"],
  ["live", "access"],
  ["public", "access"],
  ["collection", "collection"],
];

/** The step that a failure is about, and what to say there. Undefined: about none of them. */
export function stepOfFailure(form: CloudForm, error: unknown): { step: Step; message: string } | undefined {
  if (!(error instanceof RagError)) return undefined;
  const all = steps(form);
  for (const { field, message } of error.details) {
    const named = FIELDS.find(([prefix]) => field === prefix || field.startsWith(`${prefix}.`))?.[1];
    if (named === undefined) continue;
    const step = named === "token" && form.tokenStore === "daemon" ? "reference" : named;
    if (all.includes(step)) return { step, message };
    // The address decides what is not asked: the deployment, the kind of e-mail.
    return { step: step === "email" ? "kind" : "address", message };
  }
  return undefined;
}

/** What a request brings as the source's token; empty: the daemon reads its reference. */
export function secret(form: CloudForm): string {
  if (form.tokenStore === "daemon") return "";
  return form.token.trim() === "" ? form.stored : storedToken(form.kind ?? "pat", form.email.trim(), form.token);
}

/** `chosen`: keys of spaces or projects, in place of those in the form. */
export function configOf(form: CloudForm, chosen: readonly string[] = form.chosen): CloudConfig {
  const email = form.kind === "api_token" ? form.email.trim() : "";
  const reference = form.reference.trim();
  return {
    // Filters that were written by hand stay as they are.
    ...(form.source?.config as Partial<CloudConfig> | undefined),
    base_url: form.address.trim(),
    deployment: deployment(form),
    auth: {
      kind: form.kind ?? "pat",
      ...(email === "" ? {} : { email }),
      token: form.tokenStore === "editor" ? FROM_REQUEST : reference,
    },
    [form.product === "jira" ? "projects" : "spaces"]: [...chosen],
    attachments: form.attachments,
    comments: form.comments,
  } as CloudConfig;
}

/** What each way to let people see it means to the daemon. */
export function accessOf(access: Access): { live: Source["live"]; public: boolean } {
  switch (access) {
    case "live":
      return { live: "live", public: false };
    case "cached":
      return { live: "cached", public: false };
    case "public":
      return { live: "off", public: true };
  }
}

function accessIn(source: Source): Access {
  if (source.public) return "public";
  return source.live === "cached" ? "cached" : "live";
}

export function newSource(form: CloudForm): NewSource {
  return {
    type: form.product,
    collection: form.collection,
    config: configOf(form),
    ...(form.schedule === "" ? {} : { schedule: form.schedule }),
    ...accessOf(form.access),
  };
}

/** Only what is not as it was: an access or a schedule that this form can't say stays as it is. */
export function sourceChange(form: CloudForm, source: Source): SourceChange {
  return {
    config: configOf(form),
    ...(form.schedule === "" || form.schedule === source.schedule ? {} : { schedule: form.schedule }),
    ...(form.access === accessIn(source) ? {} : accessOf(form.access)),
  };
}
