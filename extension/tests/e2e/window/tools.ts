import { expect, test } from "vitest";

import { Chat } from "../harness/chat.ts";
import { modelRequests } from "../harness/modelLog.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

suite("the language-model tools", () => {
  test("rag_search gives numbered passages with document ids, rag_read_document reads on", async () => {
    const { bridge } = editor.window;
    const found = (await bridge.invokeTool("rag_search", { query: QUESTIONS.english.text })).join("\n");
    expect(found).toContain(QUESTIONS.english.source);
    const id = /doc_id="?([\w-]+)|document (?:id )?([\w-]{8,})/i.exec(found);
    const docId = id?.[1] ?? id?.[2];
    expect(docId).toBeDefined();
    const read = (await bridge.invokeTool("rag_read_document", { doc_id: docId, max_chars: 2000 })).join("\n");
    expect(read).toContain("Runbook: leader loss and failover");
  });

  test("rag_list and rag_outline lead from a name to the section that is read, and to the file itself", async () => {
    const { bridge } = editor.window;
    const call = async (tool: string, input: object) => (await bridge.invokeTool(tool, input)).join("\n");
    expect(await call("rag_list", {})).toContain("- samples: 37 documents");
    expect(await call("rag_list", { collection: "samples" })).toContain("- folder operations/:");
    const listed = await call("rag_list", { text: "runbook-failover" });
    expect(listed).toMatch(/uri file:\/\/\/\S+runbook-failover\.md/);
    const docId = /doc_id ([\w-]+)/.exec(listed)?.[1];
    const outline = await call("rag_outline", { doc_id: docId });
    const heading = /^ +- (.+) \(offset \d+\)$/m.exec(outline)?.[1];
    expect(heading).toBeDefined();
    expect(await call("rag_read_document", { doc_id: docId, section: heading })).toContain(heading);
    expect(await call("rag_search", { query: QUESTIONS.english.text })).toMatch(/Confidence .*: [01]\.\d\d \(enough/);
  });

  test("a search for what no document says finds nothing, and says so", async () => {
    const filters = { path_prefix: "no/such/folder/" };
    const found = (await editor.window.bridge.invokeTool("rag_search", { query: "failover", filters })).join("\n");
    expect(found).toMatch(/nothing|no passage|not found/i);
  });

  test("agent mode calls the search by itself and answers from it", async () => {
    const chat = new Chat(editor.window);
    await chat.open("echo", "agent");
    await chat.startAnew();
    const before = modelRequests(editor.server.modelLog).length;
    const answer = await chat.ask(QUESTIONS.english.text);
    const requests = modelRequests(editor.server.modelLog).slice(before);
    expect(requests[0]?.tools).toEqual(expect.arrayContaining(["rag_search", "rag_read_document"]));
    expect(requests).toHaveLength(2);
    expect(answer).toContain("[1]");
    await editor.window.screenshot("agent-mode");
  });
});
