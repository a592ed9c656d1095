/** A service of language models on this machine: Ollama's list of models, and chat completions as OpenAI's. */

import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ModelRequest {
  path: string;
  authorization: string;
}

export class ModelDouble {
  /** Those that came, oldest first. */
  readonly requests: ModelRequest[] = [];
  /** When set, requests without it are refused. */
  key = "";
  private readonly models: readonly string[];
  private readonly server: Server;

  private constructor(models: readonly string[]) {
    this.models = models;
    this.server = createServer((request, response) => {
      const { url = "", headers } = request;
      this.requests.push({ path: url, authorization: headers.authorization ?? "" });
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        if (this.key !== "" && headers.authorization !== `Bearer ${this.key}`) {
          response.writeHead(401, { "Content-Type": "application/json" }).end('{"error":{"message":"no"}}');
          return;
        }
        const { type, text } = this.answer(url, body);
        response.writeHead(type === "" ? 404 : 200, { "Content-Type": type }).end(text);
      });
    });
  }

  static async start(...models: string[]): Promise<ModelDouble> {
    const double = new ModelDouble(models);
    await new Promise<void>((resolve) => double.server.listen(0, "127.0.0.1", resolve));
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private answer(path: string, body: string): { type: string; text: string } {
    const type = "application/json";
    if (path === "/api/tags") return { type, text: JSON.stringify({ models: this.models.map((name) => ({ name })) }) };
    if (path === "/v1/models") return { type, text: JSON.stringify({ data: this.models.map((id) => ({ id })) }) };
    if (path !== "/v1/chat/completions") return { type: "", text: "" };
    const asked = JSON.parse(body) as { model: string; stream?: boolean };
    const content = `Written by ${asked.model}: see the first passage [1].`;
    const common = { id: "1", created: 1, model: asked.model };
    if (asked.stream !== true) {
      const message = { role: "assistant", content };
      return { type, text: JSON.stringify({ ...common, object: "chat.completion", choices: [{ index: 0, message }] }) };
    }
    const choices = [
      { index: 0, delta: { role: "assistant", content }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: "stop" },
    ];
    const chunks = choices.map((choice) => JSON.stringify({ ...common, object: "chat.completion.chunk", choices: [choice] }));
    return { type: "text/event-stream", text: [...chunks, "[DONE]"].map((chunk) => `data: ${chunk}\n\n`).join("") };
  }
}
