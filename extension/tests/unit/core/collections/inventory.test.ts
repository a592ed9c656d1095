import { describe, expect, it } from "vitest";

import type { Collection, Document, Source } from "../../../../src/core/api/types";
import { inventoryMarkdown, matching, type Inventory } from "../../../../src/core/collections/inventory";

describe("what is indexed", () => {
  const document = (source: string, status: Document["status"], more: Partial<Document> = {}) =>
    ({ id: source, collection: "default", source, title: "", status, ...more }) as Document;
  const inventory: Inventory = {
    collections: [{ name: "default", status: "disabled", document_count: 3, chunk_count: 9, description: "" } as Collection],
    sources: [
      {
        name: "notes",
        type: "folder",
        collection: "default",
        config: { path: "/notes" },
        state: "watching",
        enabled: true,
        document_count: 2,
        last_error: null,
        notice: null,
      } as unknown as Source,
      {
        name: "gone",
        type: "folder",
        collection: "default",
        config: {},
        state: "error",
        enabled: true,
        document_count: 0,
        last_error: "The folder is gone.",
        notice: null,
      } as unknown as Source,
    ],
    failed: [document("scan.pdf", "failed", { error: { code: "EMPTY", message: "No text was found." } })],
    documents: [document("guide.md", "ready", { title: "Guide" })],
    total: 3,
  };

  const link = ({ id }: Document, name: string) => `[${name}](open:${id})`;

  it("begins with what failed and why", () => {
    const text = inventoryMarkdown(inventory, link);
    expect(text.startsWith("### Failed\n\n- **[scan\\.pdf](open:scan.pdf)** (default): No text was found\\. \\(EMPTY\\)")).toBe(
      true,
    );
    expect(text.indexOf("**gone**")).toBeLessThan(text.indexOf("**notes**"));
    expect(text).toContain("failed · documents\\: 0 · The folder is gone\\.");
    expect(text).toContain("**default**: documents\\: 3 · passages\\: 9 · switched off");
    expect(text).toContain("- **[Guide](open:guide.md)**: guide\\.md · default\n- 2 more");
  });

  it("can be looked through by name", () => {
    const text = inventoryMarkdown(matching(inventory, "GUIDE"), link);
    expect(text).toBe("### Documents\n\n- **[Guide](open:guide.md)**: guide\\.md · default");
    expect(inventoryMarkdown(matching(inventory, "nothing like it"), link)).toBe("Nothing is there that matches.");
  });
});
