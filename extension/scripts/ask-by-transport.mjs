// Asks a running daemon with the extension's own client, by the transport that it is given, and prints what came as JSON.
// For scripts/bench/compare_transports.py, which writes the questions to stdin.
import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";

import esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const asked = JSON.parse(await text(process.stdin));

// Inside the package, where what is not bundled is found.
const folder = await mkdtemp(path.join(root, "node_modules", ".ask-"));
try {
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["src/core/client/daemonClient.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  const { DaemonClient } = await import(pathToFileURL(path.join(folder, "daemonClient.mjs")).href);
  const client = new DaemonClient(asked.connection, undefined, asked.transport);

  const queries = {};
  for (const [name, query] of Object.entries(asked.questions)) queries[name] = await client.query({ query });
  const { job_id } = await client.ingest([asked.folder], undefined);
  let job = await client.job(job_id);
  for await (const state of client.jobProgress(job_id)) job = state;
  job = await client.job(job.job_id);
  await client.deleteDocument(asked.doomed);
  const deleted = await client.document(asked.doomed).then(
    () => "still there",
    (error) => error.code,
  );
  const came = {
    queries,
    verified: await client.verify(asked.answer, asked.citations),
    collections: await client.collections(),
    documents: (await client.documents(undefined, undefined, 1, 20)).items,
    document: await client.document(asked.doc_id),
    content: (await client.content(asked.doc_id)).markdown,
    sections: await client.sections(asked.doc_id),
    picture: Buffer.from(await client.asset(asked.asset_id, "thumb")).toString("base64"),
    job,
    deleted,
  };
  process.stdout.write(JSON.stringify(came), () => process.exit(0));
} finally {
  await rm(folder, { recursive: true, force: true });
}
