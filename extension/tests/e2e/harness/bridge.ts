import { existsSync, rmSync } from "node:fs";
import { request } from "node:http";
import { basename, join } from "node:path";

import { until } from "./wait.ts";

export interface ToolInfo {
  name: string;
  description: string;
  tags: string[];
  inputSchema: unknown;
}

export interface ExtensionInfo {
  active: boolean;
  path: string;
  manifest: Record<string, unknown>;
}

/** Asks the extension host of one window directly, by the test kit `models`. */
export class Bridge {
  private readonly socket: string;

  constructor(folder: string, workspace: string) {
    this.socket = join(folder, `${basename(workspace)}.sock`);
  }

  async ready(): Promise<void> {
    await until("the test kit's bridge listens", () => existsSync(this.socket));
  }

  /** Before the window is loaded anew: what listens now will be gone. */
  forget(): void {
    rmSync(this.socket, { force: true });
  }

  /** Attach a file to the next message in the editor's chat. */
  async attachToChat(path: string): Promise<void> {
    await this.call("attach", { path });
  }

  async execute(command: string, ...args: unknown[]): Promise<unknown> {
    return await this.call("execute", { command, args });
  }

  /** Begin a command that asks the person something; the window may close before it ends. */
  begin(command: string, ...args: unknown[]): void {
    this.execute(command, ...args).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
    });
  }

  async commands(): Promise<string[]> {
    return (await this.call("commands")) as string[];
  }

  async tools(): Promise<ToolInfo[]> {
    return (await this.call("tools")) as ToolInfo[];
  }

  async invokeTool(name: string, input: unknown): Promise<string[]> {
    return (await this.call("invokeTool", { name, input })) as string[];
  }

  /** All language models that the editor knows. */
  async models(): Promise<{ id: string; name: string; vendor: string }[]> {
    return (await this.call("models")) as { id: string; name: string; vendor: string }[];
  }

  async language(): Promise<string> {
    return (await this.call("language")) as string;
  }

  async extension(id: string): Promise<ExtensionInfo | null> {
    return (await this.call("extension", { id })) as ExtensionInfo | null;
  }

  async setting(key: string, value: unknown): Promise<void> {
    await this.call("setting", { key, value });
  }

  /** The file that is being edited, and the first line of the selection, from 1. */
  async activeEditor(): Promise<{ uri: string; line: number } | null> {
    return (await this.call("editor")) as { uri: string; line: number } | null;
  }

  async tabs(): Promise<{ label: string; active: boolean }[]> {
    return (await this.call("tabs")) as { label: string; active: boolean }[];
  }

  async clipboard(): Promise<string> {
    return (await this.call("clipboard")) as string;
  }

  private async call(method: string, argument: Record<string, unknown> = {}): Promise<unknown> {
    const body = JSON.stringify({ method, ...argument });
    const text = await new Promise<string>((resolve, reject) => {
      const asking = request({ socketPath: this.socket, method: "POST", path: "/" }, (response) => {
        let received = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (received += chunk)).on("end", () => resolve(received));
      });
      asking.once("error", reject).end(body);
    });
    const { value, error } = JSON.parse(text) as { value?: unknown; error?: string };
    if (error !== undefined) throw new Error(`In the extension host: ${error}`);
    return value;
  }
}
