import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";

import { daemonApi } from "../harness/daemon.ts";
import { PATIENCE_MS, until } from "../harness/wait.ts";
import { editor, suite } from "./shared.ts";

suite("the tree of collections, once a file could not be read", () => {
  test("says why, also where nothing else is in its collection", async () => {
    const { window } = editor;
    const api = await daemonApi(editor.server.dataDir);
    await api("POST", "/api/collections", { name: "broken" });
    onTestFinished(() => api("DELETE", "/api/collections/broken"));
    const path = join(editor.server.folder, "cut-off.pdf");
    writeFileSync(path, "%PDF-1.7\n1 0 obj\n<< /Type /Catalog");
    await api("POST", "/api/ingest", { paths: [path], collection: "broken" });
    const failed = (): Promise<{ total: number }> => api("GET", "/api/documents?collection=broken&status=failed");
    await until("the file is refused", async () => (await failed()).total === 1, 2 * PATIENCE_MS);
    await window.bridge.execute("ragAssistant.collections.focus");
    await window.treeRow(/^broken/).click();
    await window.treeRow(/cut-off\.pdf.*damaged/).waitFor();
    await window.screenshot("tree-failed");
  });
});
