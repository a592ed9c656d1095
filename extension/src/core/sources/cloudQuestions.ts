/** What each step of the form asks, and what an answer makes of the form. */

import * as l10n from "@vscode/l10n";

import type { Container } from "../api/types";
import { tokenProblem } from "../client/sourceTokens";
import { OTHER_SCHEDULE, deployment, type AuthKind, type CloudForm, type Step } from "./cloudForm";

export interface Option {
  id: string;
  label: string;
  description?: string;
  detail?: string;
}

export interface InputQuestion {
  type: "input";
  prompt: string;
  placeholder: string;
  value: string;
  password?: boolean;
  /** Why a value can't be taken; undefined when it can. */
  check(value: string): string | undefined;
}

export interface PickQuestion {
  type: "pick";
  placeholder: string;
  options: Option[];
  /** Ids that are chosen as it begins. */
  picked: string[];
  several: boolean;
}

export type Question = InputQuestion | PickQuestion;

/** Stands for all spaces or projects, also those that are made later. */
export const ALL = "*";
export const SAVE = "save";

export function question(form: CloudForm, step: Step): Question {
  switch (step) {
    case "address":
      return {
        ...{ type: "input", value: form.address, check: (value) => required(value, l10n.t("Enter the address.")) },
        prompt: l10n.t("The address in the browser, up to where the site begins. Any page of it will do."),
        placeholder: form.product === "jira" ? "https://example.atlassian.net" : "https://example.atlassian.net/wiki",
      };
    case "email":
      return {
        ...{ type: "input", value: form.email, placeholder: "name@example.com" },
        prompt: l10n.t("E-mail of the account that the API token belongs to."),
        check: (value) => (/^[^\s@:,]+@[^\s@:,]+$/.test(value.trim()) ? undefined : l10n.t("Enter an e-mail address.")),
      };
    case "token":
      return {
        ...{ type: "input", value: form.token, password: true },
        prompt:
          form.stored === ""
            ? l10n.t("VS Code keeps it in its secret storage and sends it to the daemon of this machine only.")
            : l10n.t("Leave it empty to keep the token that is set."),
        placeholder: form.kind === "api_token" ? l10n.t("API token") : l10n.t("Token"),
        check: (value) => (value.trim() === "" && form.stored !== "" ? undefined : tokenProblem(value)),
      };
    case "reference":
      return {
        ...{ type: "input", value: form.reference, placeholder: "env:RAG_SECRET_WIKI" },
        prompt: l10n.t("Where the daemon finds the token: env:NAME, file:PATH or keyring:NAME."),
        check: (value) =>
          /^(env|file|keyring):\S/.test(value.trim())
            ? undefined
            : l10n.t("Write env:NAME, file:PATH or keyring:NAME."),
      };
    case "cron":
      return {
        ...{ type: "input", value: "", placeholder: "15 7-19 * * 1-5" },
        prompt: l10n.t("Such as “every 45m”, or a cron line of five fields."),
        check: (value) => required(value, l10n.t("Enter when it is to be read.")),
      };
    case "deployment":
    case "kind":
    case "tokenStore":
    case "containers":
    case "parts":
    case "access":
    case "schedule":
    case "collection":
    case "summary":
      return pick(form, step);
  }
}

type PickStep = Exclude<Step, "address" | "email" | "token" | "reference" | "cron">;

function pick(form: CloudForm, step: PickStep): PickQuestion {
  const one = (placeholder: string, options: Option[], picked: string | undefined): PickQuestion => ({
    ...{ type: "pick", placeholder, options, picked: picked === undefined ? [] : [picked], several: false },
  });
  switch (step) {
    case "deployment":
      return one(l10n.t("Which kind of site is it?"), deployments(), form.deployment ?? "data_center");
    case "kind":
      return one(l10n.t("How do you sign in?"), kinds(form), form.kind);
    case "tokenStore":
      return one(l10n.t("Where is the token for reading kept?"), tokenStores(), form.tokenStore);
    case "containers":
      return {
        ...{ type: "pick", several: true, picked: form.chosen.length === 0 ? [ALL] : form.chosen },
        placeholder: form.product === "jira" ? l10n.t("Which projects are read?") : l10n.t("Which spaces are read?"),
        options: containers(form),
      };
    case "parts":
      return {
        ...{ type: "pick", several: true, options: parts(form), placeholder: l10n.t("What is read besides the text?") },
        picked: [...(form.attachments ? ["attachments"] : []), ...(form.comments ? ["comments"] : [])],
      };
    case "access":
      return one(l10n.t("Who may see what was read?"), accesses(), form.access);
    case "schedule":
      return one(l10n.t("When is it read again?"), schedules(form), form.schedule);
    case "collection":
      return one(
        l10n.t("Into which collection?"),
        form.collections.map((id) => ({ id, label: id })),
        form.collection,
      );
    case "summary":
      return one(l10n.t("This would be read. Choose a line to change it."), summary(form), SAVE);
  }
}

/** The form with an answer: the text, or the ids that were chosen. */
export function answered(form: CloudForm, step: Step, answer: string | readonly string[]): CloudForm {
  const text = typeof answer === "string" ? answer.trim() : (answer[0] ?? "");
  const ids = typeof answer === "string" ? [answer] : answer;
  switch (step) {
    case "address":
      return text === form.address ? form : { ...untested(form), address: text };
    case "deployment":
      return withDeployment(form, text === "cloud" ? "cloud" : "data_center");
    case "kind":
      return { ...untested(form), kind: text as AuthKind };
    case "tokenStore":
      return { ...untested(form), tokenStore: text === "daemon" ? "daemon" : "editor" };
    case "email":
      return { ...untested(form), email: text };
    case "token":
      return { ...untested(form), token: text };
    case "reference":
      return { ...untested(form), reference: text };
    case "containers":
      return { ...form, chosen: ids.includes(ALL) ? [] : [...ids], preview: undefined };
    case "parts":
      return {
        ...form,
        attachments: ids.includes("attachments"),
        comments: ids.includes("comments"),
        preview: undefined,
      };
    case "access":
      return { ...form, access: text === "cached" || text === "public" ? text : "live" };
    case "schedule":
    case "cron":
      return { ...form, schedule: text };
    case "collection":
      return { ...form, collection: text };
    case "summary":
      return form;
  }
}

/** What is asked next depends on it: a kind of sign-in that the other deployment has is none here. */
function withDeployment(form: CloudForm, chosen: "cloud" | "data_center"): CloudForm {
  const fits = form.kind === undefined || form.kind === "oauth" || (form.kind === "api_token") === (chosen === "cloud");
  return { ...untested(form), deployment: chosen, kind: fits ? form.kind : undefined };
}

function untested(form: CloudForm): CloudForm {
  return { ...form, found: undefined, preview: undefined };
}

function required(value: string, message: string): string | undefined {
  return value.trim() === "" ? message : undefined;
}

function deployments(): Option[] {
  return [
    { id: "cloud", label: l10n.t("Cloud"), detail: l10n.t("Run by Atlassian, under an address of your own.") },
    { id: "data_center", label: l10n.t("Data Center or Server"), detail: l10n.t("Run by your company.") },
  ];
}

function kinds(form: CloudForm): Option[] {
  const oauth = {
    id: "oauth",
    label: l10n.t("OAuth access token"),
    detail: l10n.t("For those whose company hands them out."),
  };
  const own =
    deployment(form) === "cloud"
      ? {
          id: "api_token",
          label: l10n.t("API token"),
          detail: l10n.t("Made in the account's security settings; needs its e-mail."),
        }
      : { id: "pat", label: l10n.t("Personal access token"), detail: l10n.t("Made in your profile on the site.") };
  return [own, oauth];
}

function tokenStores(): Option[] {
  return [
    {
      id: "editor",
      label: l10n.t("Kept by VS Code"),
      detail: l10n.t("You enter it next. The site is read while VS Code runs; your questions use the token, too."),
    },
    {
      id: "daemon",
      label: l10n.t("A reference that the daemon can read"),
      detail: l10n.t("A variable, a file or a key ring entry. The site is read without VS Code as well."),
    },
  ];
}

function containers(form: CloudForm): Option[] {
  const found = form.found?.containers ?? [];
  const all = form.product === "jira" ? l10n.t("All projects") : l10n.t("All spaces");
  const known = new Set(found.map(({ key }) => key));
  const missing = form.chosen.filter((key) => !known.has(key));
  return [
    { id: ALL, label: all, detail: l10n.t("Also those that are made later.") },
    ...found.map((one) => ({ id: one.key, label: one.name || one.key, description: described(one) })),
    ...missing.map((key) => ({ id: key, label: key, description: l10n.t("not found with this token") })),
  ];
}

function described({ key, name, items }: Container): string {
  const count = items === null ? "" : l10n.t("{0} items", items);
  return [name === "" || name === key ? "" : key, count].filter((part) => part !== "").join(" · ");
}

function parts(form: CloudForm): Option[] {
  const comments = form.product === "jira" ? l10n.t("Comments of issues") : l10n.t("Comments, footer and inline");
  return [
    {
      id: "attachments",
      label: l10n.t("Attachments"),
      detail: l10n.t("PDF, Office files and all else that can be read."),
    },
    { id: "comments", label: l10n.t("Comments"), detail: comments },
  ];
}

export function accessLabel(access: CloudForm["access"]): string {
  switch (access) {
    case "live":
      return l10n.t("Those who may read it there, in its current text");
    case "cached":
      return l10n.t("Those who may read it there, in the text that was indexed");
    case "public":
      return l10n.t("Everybody who uses this daemon");
  }
}

function accesses(): Option[] {
  return [
    {
      ...{ id: "live", label: accessLabel("live") },
      detail: l10n.t("Each question asks the site, with your own token. The usual choice."),
    },
    {
      ...{ id: "cached", label: accessLabel("cached") },
      detail: l10n.t("The site is asked for access only: faster, but as old as the last reading."),
    },
    {
      ...{ id: "public", label: accessLabel("public") },
      detail: l10n.t("Nobody is asked. Only for what is open to everybody anyway."),
    },
  ];
}

export function scheduleLabel(schedule: string): string {
  switch (schedule) {
    case "":
      return l10n.t("As the daemon's settings say");
    case "every 15m":
      return l10n.t("Every 15 minutes");
    case "every 1h":
      return l10n.t("Every hour");
    case "every 6h":
      return l10n.t("Every 6 hours");
    case "every 1d":
      return l10n.t("Every day");
    case "off":
      return l10n.t("Only when you ask for it");
    default:
      return schedule;
  }
}

const SCHEDULES = ["every 15m", "every 1h", "every 6h", "every 1d", "off"];

function schedules({ source, schedule }: CloudForm): Option[] {
  // The daemon can't go back from a schedule to its settings'.
  const first = source && source.schedule !== null ? [] : [""];
  const own = schedule === "" || schedule === OTHER_SCHEDULE || SCHEDULES.includes(schedule) ? [] : [schedule];
  return [
    ...[...first, ...own, ...SCHEDULES].map((id) => ({ id, label: scheduleLabel(id) })),
    { id: OTHER_SCHEDULE, label: l10n.t("Another time…") },
  ];
}

const MOST_NAMES = 5;

function summary(form: CloudForm): Option[] {
  const { preview } = form;
  const shown = (preview?.containers ?? []).filter(({ key }) => form.chosen.length === 0 || form.chosen.includes(key));
  const counted = shown.reduce((sum, { items }) => sum + (items ?? 0), 0);
  const what = form.product === "jira" ? l10n.t("Projects") : l10n.t("Spaces");
  const keys = shown.map(({ key }) => key).join(", ");
  const both = [...(form.attachments ? [l10n.t("Attachments")] : []), ...(form.comments ? [l10n.t("Comments")] : [])];
  const save = form.source ? l10n.t("Save") : l10n.t("Save and begin to read");
  const line = (id: Step, label: string, value: string): Option => ({ id, label: l10n.t("{0}: {1}", label, value) });
  return [
    {
      ...{ id: SAVE, label: save, description: counted > 0 ? l10n.t("about {0} items", counted) : "" },
      detail: (preview?.names ?? []).slice(0, MOST_NAMES).join(" · "),
    },
    ...(preview?.warnings ?? []).map((warning) => ({ id: "containers", label: l10n.t("Note: {0}", warning) })),
    line("address", l10n.t("Address"), form.address),
    line("kind", l10n.t("Read as"), preview?.account ?? ""),
    line("containers", what, form.chosen.length === 0 ? l10n.t("all ({0})", shown.length) : keys),
    line("parts", l10n.t("Also"), both.length === 0 ? l10n.t("nothing") : both.join(l10n.t(", "))),
    line("access", l10n.t("Seen by"), accessLabel(form.access)),
    line("schedule", l10n.t("Read again"), scheduleLabel(form.schedule)),
    ...(form.source ? [] : [line("collection", l10n.t("Collection"), form.collection)]),
  ];
}
