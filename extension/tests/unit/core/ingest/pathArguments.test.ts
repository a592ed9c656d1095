import { describe, expect, it } from "vitest";

import { splitPaths } from "../../../../src/core/ingest/pathArguments";

describe("paths behind a command", () => {
  it("stay together in quotes", () => {
    expect(splitPaths(`"my notes/a.md" docs '~/b c.pdf' \`x y\``)).toEqual(["my notes/a.md", "docs", "~/b c.pdf", "x y"]);
    expect(splitPaths("  ")).toEqual([]);
  });
});
