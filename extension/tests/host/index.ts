// The editor loads this into the extension host and calls `run`; it writes each test's result to TEST_HOST_RESULTS.
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

type Mocha = typeof import("mocha");

export interface HostResult {
  title: string;
  milliseconds: number;
  error?: string;
}

function needed(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
}

export async function run(): Promise<void> {
  const results = needed("TEST_HOST_RESULTS");
  // By its path: mocha lives with the test editor, not where this file is bundled to.
  const Runner = module.require(needed("TEST_HOST_MOCHA")) as Mocha;
  const mocha = new Runner({ ui: "tdd", timeout: 180_000, reporter: "dot" });
  for (const name of readdirSync(__dirname)) if (name.endsWith(".test.cjs")) mocha.addFile(join(__dirname, name));
  const write = (test: Mocha.Test, error?: Error): void => {
    const result: HostResult = { title: test.fullTitle(), milliseconds: test.duration ?? 0 };
    const written = error === undefined ? result : { ...result, error: error.stack ?? error.message };
    appendFileSync(results, `${JSON.stringify(written)}\n`);
  };
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on("pass", (test) => write(test))
      .on("fail", write);
  });
  if (failures > 0) throw new Error(`${failures} tests failed in the extension host.`);
}
