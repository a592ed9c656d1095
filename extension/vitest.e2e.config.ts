import { defineConfig } from "vitest/config";

// tests/e2e/one-window.test.ts starts one editor for most suites, the other files an editor each that is set up otherwise.
// One file at a time, and time enough for a slow machine.
export default defineConfig({
  test: {
    include: ["tests/contract/*.test.ts", "tests/e2e/*.test.ts"],
    environment: "node",
    globalSetup: ["tests/e2e/harness/globalSetup.ts"],
    setupFiles: ["tests/e2e/harness/onFailure.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    retry: 0,
    reporters: ["verbose"],
  },
});
