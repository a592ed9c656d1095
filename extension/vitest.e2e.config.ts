import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONGEST = "one-window.test.ts";

/** The longest file first, so that all others run beside it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(LONGEST);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

// tests/e2e/one-window.test.ts starts one editor for most suites, the other files an editor each that is set up otherwise.
// Two files at a time, as they mostly wait, and time enough for a slow machine.
export default defineConfig({
  test: {
    include: ["tests/contract/*.test.ts", "tests/e2e/*.test.ts"],
    environment: "node",
    globalSetup: ["tests/e2e/harness/globalSetup.ts"],
    setupFiles: ["tests/e2e/harness/onFailure.ts"],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 900_000,
    hookTimeout: 600_000,
    retry: 0,
    reporters: ["verbose"],
  },
});
