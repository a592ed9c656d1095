/** What `bootstrap.py` and `rag models pull --progress json` print: one JSON object a line. */

export type BootstrapStep = "check" | "environment" | "packages" | "verify";

export type BootstrapEvent =
  | { event: "step"; step: BootstrapStep; title: string }
  | { event: "status"; text: string; seconds: number }
  | { event: "note"; text: string }
  /** `cause`: the line of the installer that says most; `index`: the package index that was asked. Each may be empty. */
  | { event: "failed"; code: string; message: string; advice: string; log: string[]; cause: string; index: string }
  | { event: "done"; python: string; executable: string; version: string };

export type ModelEvent =
  | { event: "progress"; text: string; fraction: number | null }
  | { event: "done"; model: string; folder: string; revision: string };

type Fields = Record<string, unknown>;

const STEPS: readonly unknown[] = ["check", "environment", "packages", "verify"] satisfies BootstrapStep[];

/** undefined for a line that is no event, whatever else it is: it belongs into the log. */
export function parseBootstrapEvent(line: string): BootstrapEvent | undefined {
  const value = parseObject(line);
  if (value === undefined) return undefined;
  switch (value["event"]) {
    case "step":
      return STEPS.includes(value["step"]) && hasTexts(value, "title")
        ? (value as unknown as BootstrapEvent)
        : undefined;
    case "status":
      return hasTexts(value, "text") && typeof value["seconds"] === "number"
        ? (value as unknown as BootstrapEvent)
        : undefined;
    case "note":
      return hasTexts(value, "text") ? (value as unknown as BootstrapEvent) : undefined;
    case "failed":
      return hasTexts(value, "code", "message", "advice", "cause", "index") && isTexts(value["log"])
        ? (value as unknown as BootstrapEvent)
        : undefined;
    case "done":
      return hasTexts(value, "python", "executable", "version") ? (value as unknown as BootstrapEvent) : undefined;
    default:
      return undefined;
  }
}

/** undefined for a line that is no event. */
export function parseModelEvent(line: string): ModelEvent | undefined {
  const value = parseObject(line);
  if (value === undefined) return undefined;
  switch (value["event"]) {
    case "progress":
      return hasTexts(value, "text") && isFraction(value["fraction"]) ? (value as unknown as ModelEvent) : undefined;
    case "done":
      return hasTexts(value, "model", "folder", "revision") ? (value as unknown as ModelEvent) : undefined;
    default:
      return undefined;
  }
}

function parseObject(line: string): Fields | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Fields;
  } catch {
    return undefined; // a brace at the start of another program's words
  }
}

function hasTexts(value: Fields, ...names: string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isFraction(value: unknown): boolean {
  return value === null || (typeof value === "number" && value >= 0 && value <= 1);
}
