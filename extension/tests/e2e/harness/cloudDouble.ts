import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

import { ragExecutable } from "./paths.ts";
import { Program } from "./processes.ts";
import { until } from "./wait.ts";

/** What the double tells of itself; `title` is the page that alone has the `answer` to the `question`. */
export interface CloudDoubleInfo {
  confluence: string;
  jira: string;
  token: string;
  pages: number;
  question: string;
  answer: string;
  title: string;
}

/** Confluence and Jira as the tests of the daemon know them, on this machine. */
export class CloudDouble {
  readonly info: CloudDoubleInfo;
  private readonly program: Program;

  private constructor(program: Program, info: CloudDoubleInfo) {
    this.program = program;
    this.info = info;
  }

  static async start(): Promise<CloudDouble> {
    const script = join(import.meta.dirname, "cloud_double.py");
    const program = new Program(pythonOfDaemon(), [script], process.env, import.meta.dirname);
    try {
      const line = await until("the double of Confluence answers", () => {
        if (program.hasEnded) throw new Error(program.output);
        return program.output.split("\n").find((one) => one.startsWith("{"));
      });
      return new CloudDouble(program, JSON.parse(line) as CloudDoubleInfo);
    } catch (error) {
      await program.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }
}

/** RAG_TEST_PYTHON, else the Python beside the tests' `rag`: it has the packages that the double needs. */
function pythonOfDaemon(): string {
  const beside = join(dirname(ragExecutable()), "python");
  return process.env["RAG_TEST_PYTHON"] ?? (existsSync(beside) ? beside : "python3");
}
