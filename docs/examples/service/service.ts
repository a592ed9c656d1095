/**
 * A knowledge base from its making to its end, by the service contract. Nothing but Node.js is needed:
 *
 *     RAG_URL=http://127.0.0.1:8765 RAG_TOKEN=… node --experimental-strip-types service.ts tender.pdf "When is the bid due?"
 *
 * Every failure has the same shape, with a code that programs can rely on: {"error": {"code", "message", "request_id", "details"}}.
 */

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

interface KnowledgeBase {
  id: string;
}
interface Document {
  id: string;
  filename: string;
  status: "processing" | "completed" | "failed" | "deleted";
  error_message: string | null;
  chunk_count: number;
}
interface Hit {
  chunk_text: string;
  score: number;
  filename: string;
  chunk_index: number;
}
interface CleanupTask {
  status: "pending" | "running" | "completed" | "failed";
  progress: { processed: number; total: number | null; percentage: number | null };
}

const { RAG_URL, RAG_TOKEN } = process.env;
const [file = "", question = ""] = process.argv.slice(2);
const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** What the daemon answers. 503 is worth another try, after as many seconds as it says; nothing else is. */
async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const form = body instanceof FormData;
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${RAG_URL}${path}`, {
      method,
      headers: { Authorization: `Bearer ${RAG_TOKEN}`, ...(body && !form ? { "Content-Type": "application/json" } : {}) },
      body: form ? body : body && JSON.stringify(body),
    });
    if (answer.status === 503 && attempt < 5) {
      await sleep(Number(answer.headers.get("Retry-After") ?? 1));
    } else if (answer.ok) {
      return (answer.status === 204 ? undefined : await answer.json()) as T;
    } else {
      const { error } = (await answer.json()) as { error: { code: string; message: string; request_id: string } };
      throw new Error(`${error.code}: ${error.message} (request ${error.request_id})`);
    }
  }
}

/** The resource, once its status is one of these. */
async function until<T extends { status: string }>(path: string, ...done: T["status"][]): Promise<T> {
  for (;;) {
    const found = await call<T>("GET", path);
    if (done.includes(found.status)) return found;
    await sleep(0.2);
  }
}

const kb = await call<KnowledgeBase>("POST", "/knowledge_bases", { name: `Customer of ${process.hrtime.bigint()}` });
const form = new FormData();
form.append("file", new Blob([await readFile(file)]), basename(file));
const { document_id } = await call<{ document_id: string }>("POST", `/knowledge_bases/${kb.id}/documents`, form);
const document = await until<Document>(`/documents/${document_id}`, "completed", "failed");
if (document.status === "failed") throw new Error(`${document.filename} can't be read: ${document.error_message}`);
console.log(`${document.filename}: ${document.chunk_count} chunks`);
for (const hit of await call<Hit[]>("POST", "/search", { query: question, knowledge_base_id: kb.id, top_k: 3 })) {
  const text = hit.chunk_text.replace(/\s+/g, " ").slice(0, 100);
  console.log(`${hit.score.toFixed(2)}  ${hit.filename}#${hit.chunk_index}  ${text}`);
}
await call("DELETE", `/documents/${document.id}`);
const { cleanup_task_id } = await call<{ cleanup_task_id: string }>("DELETE", `/knowledge_bases/${kb.id}`);
const task = await until<CleanupTask>(`/cleanup_tasks/${cleanup_task_id}`, "completed", "failed");
console.log(`clean-up ${task.status}, ${task.progress.processed} documents`);
