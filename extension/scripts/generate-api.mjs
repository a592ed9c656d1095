// Writes what the extension takes from the daemon's code:
//
//   src/core/api/api.gen.ts       the types of the REST interface, from the OpenAPI description that the daemon's code prints
//   src/core/api/formats.gen.ts   the kinds of documents, from the server's table of formats
//   package.json                  these kinds again, in the schemas of the editor's tools
//
//   npm run api               writes the files
//   npm run api -- --check    changes nothing; fails when a file is not what would be written
//
// The Python is the checkout's .venv/, or the one that RAG_PYTHON names.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import openapiTS, { astToString } from "openapi-typescript";

const header = (what, change) => `/**
 * ${what}
 * ${change} and run it again; do not change this file.
 */

`;
const TYPES = header(
  "The daemon's REST interface, written by \`npm run api\` from the description that the daemon's code prints.",
  "Change the daemon's schemas",
);
const FORMATS = header(
  "The kinds of documents, written by \`npm run api\` from the server's table of formats.",
  "Change `server/ragd/formats/registry.py`",
);
const MOST_BYTES = 64 * 1024 * 1024;

const extension = fileURLToPath(new URL("..", import.meta.url));
const root = path.dirname(path.resolve(extension));
const inEnvironment = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];

class Problem extends Error {}

async function printed(module, ...words) {
  const python = process.env.RAG_PYTHON || path.join(root, ".venv", ...inEnvironment);
  const options = { cwd: root, env: { ...process.env, PYTHONUTF8: "1" }, maxBuffer: MOST_BYTES };
  try {
    return JSON.parse((await promisify(execFile)(python, ["-m", module, ...words], options)).stdout);
  } catch (error) {
    if (error.code === "ENOENT") {
      throw new Problem(
        `There is no Python at ${python}. Run \`python3 scripts/quickstart.py\`, or let RAG_PYTHON name one.`,
      );
    }
    throw new Problem(`\`${python} -m ${module}\` did not print the description.\n${error.stderr || error.message}`);
  }
}

function formatsModule(formats) {
  const rows = formats.map(({ doc_type, label, icon, shape, needs_program, is_own_text }) => {
    const values = `icon: ${JSON.stringify(icon)}, shape: ${JSON.stringify(shape)}, needsProgram: ${needs_program}`;
    return `  ${doc_type}: { label: () => l10n.t(${JSON.stringify(label)}), ${values}, isOwnText: ${is_own_text} },`;
  });
  return `${FORMATS}import * as l10n from "@vscode/l10n";

export interface Format {
  label: () => string;
  /** A codicon. */
  icon: string;
  /** What a document is made of; text flows. */
  shape: "text" | "pages" | "table" | "slides" | "code" | "picture" | "cells";
  /** The editor itself shows its files as no more than bytes. */
  needsProgram: boolean;
  /** The document's text is its file, word for word. */
  isOwnText: boolean;
}

export const FORMATS = {
${rows.join("\n")}
} as const satisfies Record<string, Format>;

export type DocType = keyof typeof FORMATS;
`;
}

/** The manifest with these kinds as the values of each `doc_type` in it. */
function manifestWith(formats, manifest) {
  const values = formats.map(({ doc_type }) => doc_type);
  const replaced = (key, value) => (key === "doc_type" ? { ...value, items: { ...value.items, enum: values } } : value);
  return `${JSON.stringify(JSON.parse(manifest, replaced), null, 2)}\n`;
}

const held = (target) =>
  readFile(target, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });

async function write(name, wanted) {
  const target = path.join(extension, name);
  const current = (await held(target)) === wanted;
  const shown = path.relative(process.cwd(), target);
  if (process.argv.includes("--check")) {
    if (!current) throw new Problem(`${shown} is not what the daemon's code gives. Run \`npm run api\` in extension/.`);
    console.log(`${shown} agrees with the daemon's code`);
  } else {
    if (!current) await writeFile(target, wanted);
    console.log(`${shown} ${current ? "was up to date" : "is written"}`);
  }
}

try {
  // The routes of the service contract are for other programs.
  const parts = [printed("ragd.api.openapi", "editor"), printed("ragd.formats.registry")];
  const [description, formats] = await Promise.all(parts);
  await write("src/core/api/api.gen.ts", TYPES + astToString(await openapiTS(description)));
  await write("src/core/api/formats.gen.ts", formatsModule(formats));
  await write("package.json", manifestWith(formats, await held(path.join(extension, "package.json"))));
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
