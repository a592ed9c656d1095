// Writes src/core/api/api.gen.ts, the types of the daemon's REST interface, from the OpenAPI description that the daemon's code prints.
//
//   npm run api               writes the file
//   npm run api -- --check    changes nothing; fails when the file is not what would be written
//
// The Python is the checkout's .venv/, or the one that RAG_PYTHON names.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import openapiTS, { astToString } from "openapi-typescript";

const HEADER = `/**
 * The daemon's REST interface, written by \`npm run api\` from the description that the daemon's code prints.
 * Change the daemon's schemas and run it again; do not change this file.
 */

`;
const DESCRIPTION = ["-m", "ragd.api.openapi"];
const MOST_BYTES = 64 * 1024 * 1024;

const extension = fileURLToPath(new URL("..", import.meta.url));
const root = path.dirname(path.resolve(extension));
const target = path.join(extension, "src", "core", "api", "api.gen.ts");
const inEnvironment = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];

class Problem extends Error {}

async function description() {
  const python = process.env.RAG_PYTHON || path.join(root, ".venv", ...inEnvironment);
  const options = { cwd: root, env: { ...process.env, PYTHONUTF8: "1" }, maxBuffer: MOST_BYTES };
  try {
    return JSON.parse((await promisify(execFile)(python, DESCRIPTION, options)).stdout);
  } catch (error) {
    if (error.code === "ENOENT") {
      throw new Problem(`There is no Python at ${python}. Run \`python3 scripts/quickstart.py\`, or let RAG_PYTHON name one.`);
    }
    throw new Problem(`\`${python} ${DESCRIPTION.join(" ")}\` did not print the description.\n${error.stderr || error.message}`);
  }
}

const types = async () => HEADER + astToString(await openapiTS(await description()));

const held = () =>
  readFile(target, "utf8").catch((error) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });

try {
  const wanted = await types();
  const current = (await held()) === wanted;
  const shown = path.relative(process.cwd(), target);
  if (process.argv.includes("--check")) {
    if (!current) throw new Problem(`${shown} is not what the daemon's interface gives. Run \`npm run api\` in extension/.`);
    console.log(`${shown} agrees with the daemon's interface`);
  } else {
    if (!current) await writeFile(target, wanted);
    console.log(`${shown} ${current ? "was up to date" : "is written"}`);
  }
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
