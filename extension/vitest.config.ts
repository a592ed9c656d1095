import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // The editor gives its API to extensions by this name; here it is one in memory.
  resolve: { alias: { vscode: fileURLToPath(new URL("tests/unit/fixtures/vscode.ts", import.meta.url)) } },
  test: {
    include: ["tests/unit/**/*.test.ts"],
    // A view's tests ask for a page by `// @vitest-environment jsdom` in their first line.
    environment: "node",
    setupFiles: ["tests/unit/fixtures/patience.ts", "tests/unit/fixtures/lastTurns.ts"],
    testTimeout: 60_000,
    restoreMocks: true,
  },
});
