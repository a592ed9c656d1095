import { existsSync, readFileSync } from "node:fs";

export interface ModelRequest {
  at: number;
  model: string;
  messages: { role: "user" | "assistant"; text: string }[];
  tools: string[];
}

/** A passage as it was written into a prompt. */
export interface GivenPassage {
  id: number;
  title: string;
  source: string;
  place: string;
  text: string;
}

/** What the test models were asked, oldest first. */
export function modelRequests(file: string): ModelRequest[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as ModelRequest);
}

export function lastRequest(file: string): ModelRequest {
  const request = modelRequests(file).at(-1);
  if (request === undefined) throw new Error("No request has reached a test model.");
  return request;
}

/** Passages as the daemon numbers them: `[1] title (source, place)`, then the text between its tags. */
export function passagesIn(request: ModelRequest): GivenPassage[] {
  const text = request.messages.map((message) => message.text).join("\n");
  const blocks = text.matchAll(/^\[(\d+)\] (.*) \(([^(),]+)(?:, (.*))?\)\n<passage>\n([\s\S]*?)\n<\/passage>/gm);
  return [...blocks].map(([, id, title = "", source = "", place = "", body = ""]) => ({
    id: Number(id),
    title,
    source,
    place,
    text: body,
  }));
}
