// Collects the texts that people see into l10n/bundle.l10n.json, and holds the translations against them.
//
//   npm run l10n              writes the English bundle, drops translations of texts that are gone, lists what is missing
//   npm run l10n -- --check   changes nothing; fails when something is missing, gone, or has other placeholders
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { getL10nJson } from "@vscode/l10n-dev";

const LANGUAGES = ["ja", "zh-cn"];
const root = fileURLToPath(new URL("..", import.meta.url));
const check = process.argv.includes("--check");
const problems = [];

const readJson = async (file) => JSON.parse(await readFile(path.join(root, file), "utf8"));
const writeJson = (file, value) => writeFile(path.join(root, file), `${JSON.stringify(value, null, 2)}\n`);
const sorted = (record) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

async function sources(folder) {
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && entry.name !== "api.gen.ts");
  return Promise.all(
    files.map(async (entry) => ({
      extension: ".ts",
      contents: await readFile(path.join(entry.parentPath, entry.name), "utf8"),
    })),
  );
}

const placeholders = (text) =>
  [...new Set(text.match(/\{\w+\}|%[^%\s]+%|\$\([\w~-]+\)|\(command:[^)]*\)/g) ?? [])].sort().join(" ");

/** The translation of one file without what is gone; what is wrong goes to `problems`. */
function held(english, translated, name) {
  for (const key of Object.keys(translated)) {
    if (!(key in english) && check) problems.push(`${name}: no such text any more: ${key}`);
  }
  for (const [key, text] of Object.entries(english)) {
    const translation = translated[key];
    if (typeof translation !== "string" || translation === "") problems.push(`${name}: missing: ${key}`);
    else if (placeholders(translation) !== placeholders(text)) problems.push(`${name}: other placeholders: ${key}`);
  }
  return Object.fromEntries(Object.entries(translated).filter(([key]) => key in english));
}

const found = await getL10nJson((await Promise.all(["src", "webview"].map(sources))).flat());
const english = sorted(Object.fromEntries(Object.entries(found).map(([key, value]) => [key, value.message ?? value])));
const named = await readJson("package.nls.json");
const manifest = await readFile(path.join(root, "package.json"), "utf8");
const asked = new Set([...manifest.matchAll(/"%([^%"]+)%"/g)].map((match) => match[1]));
for (const key of asked) if (!(key in named)) problems.push(`package.nls.json: missing: ${key}`);
for (const key of Object.keys(named)) if (!asked.has(key)) problems.push(`package.nls.json: not used: ${key}`);

if (!check) await writeJson("l10n/bundle.l10n.json", english);
else if (JSON.stringify(await readJson("l10n/bundle.l10n.json")) !== JSON.stringify(english)) {
  problems.push("l10n/bundle.l10n.json differs from the sources");
}
for (const language of LANGUAGES) {
  for (const [file, texts] of [
    [`l10n/bundle.l10n.${language}.json`, english],
    [`package.nls.${language}.json`, named],
  ]) {
    const kept = held(texts, await readJson(file), file);
    if (!check) await writeJson(file, file.startsWith("l10n/") ? sorted(kept) : kept);
  }
}

for (const problem of problems) console.error(problem);
console.log(
  `${Object.keys(english).length} texts in the code, ${Object.keys(named).length} in the manifest, ${problems.length} problems`,
);
if (problems.length > 0) {
  console.error("Translate what is missing in l10n/ and package.nls.*.json, then run: npm run l10n");
  process.exitCode = 1;
}
