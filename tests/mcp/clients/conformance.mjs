// Runs the conformance suite, which can send no token, through a proxy that adds ours.
//
//   MCP_URL=… MCP_TOKEN=… node conformance.mjs ARGUMENTS-OF-THE-SUITE
//
// Nothing else changes on the way, but for the proxy's own address in Host and Origin, which becomes the daemon's.

import { spawn } from "node:child_process";
import { createServer, request } from "node:http";
import { fileURLToPath } from "node:url";

const target = new URL(process.env.MCP_URL);
const suite = fileURLToPath(new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url));

const proxy = createServer((asked, answer) => {
  const own = `localhost:${proxy.address().port}`;
  const headers = asked.rawHeaders.map((value) => value.replace(own, `localhost:${target.port}`));
  const forwarded = request(
    {
      hostname: target.hostname,
      port: target.port,
      path: asked.url,
      method: asked.method,
      headers: [...headers, "Authorization", `Bearer ${process.env.MCP_TOKEN}`],
      setHost: false,
    },
    (response) => {
      answer.writeHead(response.statusCode, response.rawHeaders);
      answer.flushHeaders();
      response.pipe(answer);
    },
  );
  forwarded.on("error", () => answer.destroy());
  answer.on("close", () => forwarded.destroy());
  asked.pipe(forwarded);
});

proxy.listen(0, "localhost", () => {
  const url = `http://localhost:${proxy.address().port}${target.pathname}`;
  const run = spawn(process.execPath, [suite, "server", "--url", url, ...process.argv.slice(2)], { stdio: "inherit" });
  run.on("exit", (code) => process.exit(code ?? 1));
});
