/** Which daemon was stopped by the user: the other windows must not take that for a crash and start it again. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

export class StopMark {
  constructor(private readonly file: string) {}

  async write(pid: number): Promise<void> {
    await mkdir(path.dirname(this.file), { recursive: true });
    await writeFile(this.file, String(pid));
  }

  async read(): Promise<number | undefined> {
    try {
      return Number(await readFile(this.file, "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}
