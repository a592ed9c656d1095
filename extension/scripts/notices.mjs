// Writes dist/THIRD-PARTY-NOTICES.txt: the npm packages that the bundles hold, with their licences.
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";

// Licences that go with Apache-2.0 in what we ship. EPL-2.0 and MPL-2.0 ask to say where the source is, so each notice does.
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "EPL-2.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "Unlicense",
]);
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const CODE_FILE = /\.[cm]?[jt]s$/;

/** What a package carries inside its own files, with the licence that its manifest does not name. */
const CARRIED = {
  "@modelcontextprotocol/client": [
    "It holds content-type 1.0.5 (MIT), https://github.com/jshttp/content-type, unchanged:",
    "",
    "(The MIT License)",
    "",
    "Copyright (c) 2015 Douglas Christopher Wilson",
    "",
    "Permission is hereby granted, free of charge, to any person obtaining",
    "a copy of this software and associated documentation files (the",
    "'Software'), to deal in the Software without restriction, including",
    "without limitation the rights to use, copy, modify, merge, publish,",
    "distribute, sublicense, and/or sell copies of the Software, and to",
    "permit persons to whom the Software is furnished to do so, subject to",
    "the following conditions:",
    "",
    "The above copyright notice and this permission notice shall be",
    "included in all copies or substantial portions of the Software.",
    "",
    "THE SOFTWARE IS PROVIDED 'AS IS', WITHOUT WARRANTY OF ANY KIND,",
    "EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF",
    "MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.",
    "IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY",
    "CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,",
    "TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE",
    "SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.",
  ].join("\n"),
};

/** The folder of the package that a bundled file belongs to, or undefined for our own files. */
export function packageFolder(file) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/** Whether an SPDX expression lets us ship the package: one of its alternatives holds only licences of the list. */
export function isAllowed(expression) {
  return expression
    .replace(/[()]/g, " ")
    .split(/ OR /)
    .some((alternative) => alternative.split(/ AND /).every((licence) => ALLOWED.has(licence.trim())));
}

/** What the package says; where its manifest is silent, a licence file of the well-known words. */
function licenceOf(manifest, texts) {
  const said = manifest.license?.type ?? manifest.license;
  return said ?? (texts.some((text) => text.includes("Permission is hereby granted, free of charge")) ? "MIT" : "none");
}

async function notice(root, folder) {
  const manifest = JSON.parse(await readFile(path.join(root, folder, "package.json"), "utf8"));
  const files = (await readdir(path.join(root, folder)))
    .filter((name) => LICENCE_FILE.test(name) && !CODE_FILE.test(name))
    .sort();
  const texts = await Promise.all(files.map((name) => readFile(path.join(root, folder, name), "utf8")));
  const licence = licenceOf(manifest, texts);
  if (!isAllowed(licence)) {
    throw new Error(
      `${manifest.name} ${manifest.version} has the licence ${licence}, which is not in the list of scripts/notices.mjs.`,
    );
  }
  const title = `${manifest.name} ${manifest.version} (${licence})`;
  const source =
    manifest.repository?.url ?? manifest.repository ?? manifest.homepage ?? `the npm package ${manifest.name}`;
  if (texts.length === 0)
    texts.push(`The package has no licence file. Author: ${manifest.author?.name ?? manifest.author ?? "not named"}.`);
  if (manifest.name in CARRIED) texts.push(CARRIED[manifest.name]);
  const body = texts.map((text) => text.trim().replaceAll("\r\n", "\n"));
  return `${title}\n${"-".repeat(title.length)}\n\nSource, unchanged: ${source}\n\n${body.join("\n\n")}`;
}

/** `metafiles` are those of esbuild, their paths relative to `root`. */
export async function writeNotices(root, metafiles) {
  const files = metafiles.flatMap((metafile) =>
    Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs)),
  );
  const folders = [...new Set(files.map(packageFolder).filter(Boolean))];
  const notices = await Promise.all(folders.map((folder) => notice(root, folder)));
  // The same release may lie in several folders.
  const text = `This extension holds code of the following packages.\n\n${[...new Set(notices)].sort().join("\n\n\n")}\n`;
  await writeFile(path.join(root, "dist", "THIRD-PARTY-NOTICES.txt"), text);
}
