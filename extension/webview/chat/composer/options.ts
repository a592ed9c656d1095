/** What the next question is asked with: choices as menus, and how they are named. */

import * as l10n from "@vscode/l10n";

import type { Choices } from "../../../src/protocol/chat";
import { strategyLabel } from "../../../src/protocol/stages";

import type { MenuItem, MenuSection } from "../controls/menu";
import type { AskOptions, AssistantMessage } from "../types";

type Choice = "collection" | "strategy" | "model";

/** `options` with one of them changed; undefined takes it away. */
export function withOption<Key extends keyof AskOptions>(
  options: AskOptions,
  key: Key,
  value: AskOptions[Key] | undefined,
): AskOptions {
  const changed = { ...options };
  Reflect.deleteProperty(changed, key);
  if (value !== undefined) changed[key] = value;
  return changed;
}

export function choiceTitle(choice: Choice): string {
  const titles = { collection: l10n.t("Collection"), strategy: l10n.t("Strategy"), model: l10n.t("Model") };
  return titles[choice];
}

/** How the chosen value, or the default, is named. */
export function choiceLabel(choice: Choice, options: AskOptions, choices: Choices): string {
  const value = options[choice] ?? choices.defaults[choice];
  if (choice === "collection") return value === undefined || value === "" ? l10n.t("All collections") : value;
  if (choice === "strategy") return value === undefined ? l10n.t("Default") : strategyLabel(value);
  return choices.models.find((model) => model.id === value)?.label ?? choices.models[0]?.label ?? l10n.t("Automatic");
}

export function choiceItems(
  choice: Choice,
  current: string | undefined,
  choices: Choices,
  choose: (value?: string) => void,
): MenuItem[] {
  const item = (value: string | undefined, label: string, detail?: string): MenuItem => ({
    label,
    ...(detail === undefined ? {} : { detail }),
    checked: current === value,
    run: () => choose(value),
  });
  switch (choice) {
    case "collection":
      return [
        ...collectionDefaults(choices).map(([value, label]) => item(value, label)),
        ...choices.collections
          .filter(({ name, status }) => status === "enabled" && name !== choices.defaults.collection)
          .map(({ name, document_count }) => item(name, name, String(document_count))),
      ];
    case "strategy":
      return [item(undefined, l10n.t("Default")), ...choices.strategies.map((name) => item(name, strategyLabel(name)))];
    case "model":
      return choices.models.map(({ id, label }, index) => ({
        label,
        checked: current === undefined ? id === (choices.defaults.model ?? choices.models[0]?.id) : current === id,
        run: () => choose(index === 0 && choices.defaults.model === undefined ? undefined : id),
      }));
  }
}

/** Nothing chosen, and all: the same, unless a setting names a collection. */
function collectionDefaults({ defaults }: Choices): [string | undefined, string][] {
  const all = l10n.t("All collections");
  if (defaults.collection === undefined || defaults.collection === "") return [[undefined, all]];
  return [
    [undefined, defaults.collection],
    ["", all],
  ];
}

/** The menu of "try again": every other way to ask the same. `chosen`: what the composer is set to now. */
export function retrySections(
  message: AssistantMessage,
  choices: Choices,
  chosen: AskOptions,
  retry: (options: AskOptions) => void,
): MenuSection[] {
  const { options } = message;
  const section = (choice: Choice): MenuSection => ({
    title: choiceTitle(choice),
    items: choiceItems(choice, options[choice], choices, (value) => retry(withOption(options, choice, value))),
  });
  const more: MenuItem[] = [];
  if (options.rerank !== false)
    more.push({ label: l10n.t("Without reranking"), run: () => retry({ ...options, rerank: false }) });
  else more.push({ label: l10n.t("With reranking"), run: () => retry(withOption(options, "rerank", undefined)) });
  if (options.filters)
    more.push({ label: l10n.t("Without filters"), run: () => retry(withOption(options, "filters", undefined)) });
  if (chosen.filters && JSON.stringify(chosen.filters) !== JSON.stringify(options.filters)) {
    more.push({
      label: l10n.t("With the filters chosen below"),
      run: () => retry(withOption(options, "filters", chosen.filters)),
    });
  }
  return [{ items: more }, section("strategy"), section("collection"), section("model")];
}
