import { defineConfig } from "vitest/config";

// Each file starts an editor of its own: one at a time, and time enough for a slow machine.
export default defineConfig({
  test: {
    include: ["tests/contract/**/*.test.ts", "tests/e2e/**/*.test.ts"],
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
