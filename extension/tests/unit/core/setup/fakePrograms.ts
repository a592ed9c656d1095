/** Stand-ins for Python, the bootstrap and `rag`: shell scripts that do what the test says. */

import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { Log } from "../../../../src/core/common/log";
import type { Machine } from "../../../../src/core/daemon/directories";

export class FakeMachine {
  readonly folder = mkdtempSync(path.join(tmpdir(), "rag-setup-"));
  readonly bin = path.join(this.folder, "bin");
  readonly lines: string[] = [];
  readonly log: Log;
  readonly machine: Machine;

  constructor() {
    mkdirSync(this.bin);
    const keep = (line: string): void => void this.lines.push(line);
    this.log = { debug: keep, info: keep, warn: keep, error: keep };
    const env = { ...process.env, PATH: `${this.bin}:relative:/usr/bin:/bin`, FOLDER: this.folder };
    this.machine = { platform: process.platform, env, home: this.folder, cwd: this.folder };
  }

  /** A program on PATH; returns its path. */
  program(name: string, script: string): string {
    const file = path.join(this.bin, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** A program that answers the probe like such a Python, and else runs `script`. */
  python(
    name: string,
    found: { version?: string; bits?: number; venv?: boolean; installer?: boolean } = {},
    script = "",
  ): string {
    const executable = path.join(this.bin, name);
    const description = JSON.stringify({
      executable,
      version: "3.12.1",
      bits: 64,
      venv: true,
      installer: true,
      ...found,
    });
    return this.program(name, `[ "$1" = -I ] && { echo '${description}'; exit; }\n${script}`);
  }
}

/** A shell command that prints this event. */
export function prints(event: object): string {
  return `echo '${JSON.stringify(event)}'`;
}
