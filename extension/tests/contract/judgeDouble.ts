/** A language model that judges: an OpenAI-compatible service on this machine that says YES to everything. */

import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";

const REPLY = "REASON: The passage says so.\nVERDICT: YES";

export class JudgeDouble {
  /** How often it was asked. */
  asked = 0;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        this.asked += 1;
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        const said = { index: 0, delta: { content: REPLY }, finish_reason: null };
        for (const choice of [said, { index: 0, delta: {}, finish_reason: "stop" }])
          response.write(`data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", choices: [choice] })}\n\n`);
        response.end("data: [DONE]\n\n");
      });
    });
  }

  static async start(): Promise<JudgeDouble> {
    const made = new JudgeDouble();
    await new Promise<void>((resolve) => made.server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
