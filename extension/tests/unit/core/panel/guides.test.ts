import { describe, expect, it } from "vitest";

import type { CollectionGuide, DocumentGuide, Status } from "../../../../src/core/api/types";
import type { DaemonClient } from "../../../../src/core/client/daemonClient";
import { loadGuide } from "../../../../src/core/panel/guides";
import type { Guide } from "../../../../src/protocol/chat";
import type { ScopeItem } from "../../../../src/protocol/session";

const asked = (...texts: string[]) => texts.map((text) => ({ text, kind: "heading" }));

async function guides(scope: ScopeItem[], provider = "none", collection?: string) {
  const client = {
    status: () => Promise.resolve({ llm: { provider, model: "m" } } as Status),
    collections: () =>
      Promise.resolve([
        { name: "a", status: "enabled", document_count: 2 },
        { name: "b", status: "enabled", document_count: 2 },
        { name: "empty", status: "enabled", document_count: 0 },
        { name: "off", status: "disabled", document_count: 2 },
      ]),
    collectionGuide: (name: string) =>
      Promise.resolve({ topics: [name], questions: asked(`${name} 1`, "both", `${name} 3`) } as CollectionGuide),
    documentGuide: (id: string, byModel: boolean) =>
      Promise.resolve({
        ...{ title: id, summary: byModel ? "written" : "extracted", by: byModel ? "model" : "rules", topics: [] },
        ...{ outline: [{ title: "One", level: 1 }], questions: asked("why") },
      } as unknown as DocumentGuide),
  };
  const given: (Guide | null)[] = [];
  const daemon = { client: () => Promise.resolve(client as unknown as DaemonClient) };
  await loadGuide(daemon, scope, collection, (guide) => given.push(guide));
  return given;
}

const DOCUMENT: ScopeItem = { kind: "document", id: "d1", label: "d1.md" };

describe("the guide before the first question", () => {
  it("is of every collection that holds something, in turn, where nothing is chosen", async () => {
    const [guide] = await guides([]);
    expect(guide?.questions).toEqual(["a 1", "b 1", "both", "a 3", "b 3"]);
    expect(guide?.topics).toEqual(["a", "b"]);
    expect((await guides([], "none", "b"))[0]?.topics).toEqual(["b"]);
  });

  it("of one document is what the rules found, and then what the daemon's model wrote", async () => {
    expect((await guides([DOCUMENT])).map((guide) => guide?.summary)).toEqual(["extracted"]);
    expect((await guides([DOCUMENT], "ollama")).map((guide) => guide?.summary)).toEqual(["extracted", "written"]);
  });

  it("of a folder is none", async () => {
    expect(await guides([{ kind: "folder", id: "x/", label: "x/" }])).toEqual([null]);
  });
});
