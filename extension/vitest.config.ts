import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/unit/**/*.test.ts"],
    // A view's tests ask for a page by `// @vitest-environment jsdom` in their first line.
    environment: "node",
    restoreMocks: true,
  },
});
