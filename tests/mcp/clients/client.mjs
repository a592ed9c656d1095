// Does with the official TypeScript client what agents do, and prints as JSON what it was given.
//
//   node client.mjs '{"server": {"url", "token"} | {"command", "args", "env"}, "mode": "legacy" | "auto", …}'

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const { server, mode, question, folder, many, collection } = JSON.parse(process.argv[2]);

const transport =
  server.url === undefined
    ? new StdioClientTransport(server)
    : new StreamableHTTPClientTransport(new URL(server.url), {
        requestInit: { headers: { Authorization: `Bearer ${server.token}` } },
      });
const client = new Client({ name: "tests", version: "1" }, mode === "auto" ? { versionNegotiation: { mode } } : {});
await client.connect(transport);

// Once tools are listed, the client holds every result against the tool's outputSchema.
const { tools } = await client.listTools();
const call = (name, args, options) => client.callTool({ name, arguments: args }, options);

const refusal = async (asked) => {
  try {
    return { answered: await asked };
  } catch (error) {
    return { code: error.code, message: error.message, data: error.data };
  }
};

const found = await call("query_knowledge_hub", { query: question, top_k: 2 });
const uri = `doc://${found.structuredContent.citations[0].doc_id}`;

const progress = [];
const ingested = await call("ingest", { paths: [folder], collection }, { onprogress: (event) => progress.push(event) });

const cancelling = new AbortController();
const cancelled = await refusal(
  call(
    "ingest",
    { paths: [many], collection, force: true },
    { signal: cancelling.signal, onprogress: () => cancelling.abort("no longer wanted") },
  ),
);

const outcome = {
  protocol: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  tools: tools.map((tool) => ({ name: tool.name, typed: tool.outputSchema !== undefined, ...tool.annotations })),
  query: { text: found.content[0].text, fields: found.structuredContent },
  refused: await call("query_knowledge_hub", { query: ["not a text"] }),
  unknown: await refusal(call("no_such_tool", {})),
  ingested: { progress, fields: ingested.structuredContent },
  cancelled,
  resources: (await client.listResources()).resources.map((resource) => resource.uri),
  templates: (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate),
  document: (await client.readResource({ uri })).contents[0],
  missing: await refusal(client.readResource({ uri: "doc://none" })),
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  prompt: (await client.getPrompt({ name: "answer_with_citations", arguments: { question } })).messages[0].content.text,
  completion: await client.complete({
    ref: { type: "ref/resource", uri: "collection://{name}" },
    argument: { name: "name", value: "def" },
  }),
};
console.log(JSON.stringify(outcome));
await client.close();
