import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { nearestLanguage } from "../../../../server/ragd/api/dashboard/app/lib/text.js";
import { APP } from "./fixtures";

const names = readdirSync(fileURLToPath(APP), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
// The same pages inside the editor have a frame of their own.
const files = [
  ...names.map((name) => new URL(name.replaceAll("\\", "/"), APP)),
  new URL("../../../webview/dashboard/main.ts", import.meta.url),
];
const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
const used = new Set([...code.matchAll(/\bt\(\s*("(?:[^"\\]|\\.)*")/g)].map(([, text = ""]) => JSON.parse(text) as string));
const placeholders = (text: string) => [...new Set(text.match(/\{\d\}/g))].sort();

describe.each(["ja", "zh-cn"])("the dashboard in %s", (language) => {
  const texts = JSON.parse(readFileSync(new URL(`l10n/${language}.json`, APP), "utf8")) as Record<string, string>;

  it("has a translation of each text, and none of a text that is gone", () => {
    expect(Object.keys(texts).sort()).toEqual([...used].sort());
  });

  it("fills in the same values", () => {
    for (const [text, translation] of Object.entries(texts)) expect(placeholders(translation), text).toEqual(placeholders(text));
  });
});

it("every text is a literal, so that it can be found", () => {
  expect([...code.matchAll(/[^.\w]t\(\s*([^"\s)])/g)].map(([whole]) => whole)).toEqual([" t(t"]);
});

it.each([
  [["ja-JP", "en"], "ja"],
  [["zh-Hans-CN"], "zh-cn"],
  [["fr", "en-GB"], "en"],
  [["fr"], "en"],
])("of %j the nearest language is %s", (wanted, nearest) => {
  expect(nearestLanguage(wanted)).toBe(nearest);
});
