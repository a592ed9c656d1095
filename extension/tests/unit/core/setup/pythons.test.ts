import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { findPython, listPythons } from "../../../../src/core/setup/findPython";
import { findProgram, probePython, pythonsOnPath } from "../../../../src/core/setup/pythons";
import { FakeMachine } from "./fakePrograms";

const GOES_ON = new AbortController().signal;
const nothing = () => Promise.resolve([]);

describe("looking for Python", () => {
  it("asks a candidate that is run what it is", async () => {
    const fake = new FakeMachine();
    const command = fake.python("python3.12");
    const probed = await probePython({ command: [command], source: "path" }, fake.machine, GOES_ON);
    expect(probed).toMatchObject({ python: { version: "3.12.1", bits: 64, venv: true, executable: command } });
  });

  it("takes the setting's and no other", async () => {
    const fake = new FakeMachine();
    fake.python("python3.12");
    const chosen = fake.python("mine", { version: "3.11.0" });
    expect(await findPython(chosen, nothing, fake.machine, GOES_ON)).toMatchObject({ executable: chosen });
  });

  it.each([
    ["too old", { version: "3.10.12" }, "It is Python 3.10.12; 3.11 or newer is needed."],
    ["of 32 bits", { bits: 32 }, "It is a 32-bit Python; 64 bits are needed."],
    ["without venv", { venv: false }, "lacks the module venv"],
    ["without pip", { installer: false }, "lacks pip and ensurepip"],
  ])("says why the setting's will not do when it is %s, and passes over none", async (_name, found, why) => {
    const fake = new FakeMachine();
    fake.python("python3.12");
    const chosen = fake.python("mine", found);
    await expect(findPython(chosen, nothing, fake.machine, GOES_ON)).rejects.toThrow(new RegExp(`${chosen}.*${why}`));
  });

  it.each([
    ["is not there", undefined, "There is no such program."],
    ["is no Python", "echo hello", "It is no Python that works."],
    ["fails", "echo 'Python was not found; run without arguments to install' >&2; exit 9", "Python was not found"],
  ])("says that the setting's %s", async (_name, script, why) => {
    const fake = new FakeMachine();
    const chosen = script === undefined ? path.join(fake.bin, "none") : fake.program("mine", script);
    await expect(findPython(chosen, nothing, fake.machine, GOES_ON)).rejects.toThrow(why);
  });

  it("says that a file may not be run", async () => {
    const fake = new FakeMachine();
    const file = path.join(fake.bin, "plain");
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    await expect(findPython(file, nothing, fake.machine, GOES_ON)).rejects.toThrow("It may not be run.");
  });

  it("takes what the editor knows before what PATH has", async () => {
    const fake = new FakeMachine();
    fake.python("python3.12");
    const known = fake.python("known", { version: "3.13.0" });
    const fromEditor = () => Promise.resolve([{ command: [known] as const, source: "environments" as const }]);
    expect((await findPython("", fromEditor, fake.machine, GOES_ON)).executable).toBe(known);
  });

  it("passes over those on PATH that will not do", async () => {
    const fake = new FakeMachine();
    fake.program("python3.14", "exit 127");
    fake.python("python3.13", { version: "3.9.9" });
    const good = fake.python("python3.12");
    expect((await findPython("", nothing, fake.machine, GOES_ON)).executable).toBe(good);
  });

  it("asks uv last", async () => {
    const fake = new FakeMachine();
    const hidden = fake.python("hidden", { installer: false });
    fake.program("uv", `[ "$1 $2" = "python find" ] && echo ${hidden}`);
    const machine = { ...fake.machine, env: { PATH: fake.bin } };
    expect((await findPython("", nothing, machine, GOES_ON)).executable).toBe(hidden);
  });

  it("says what was found, and why none of it will do", async () => {
    const fake = new FakeMachine();
    const old = fake.python("python3", { version: "3.8.1" });
    const machine = { ...fake.machine, env: { PATH: fake.bin } };
    await expect(findPython("", nothing, machine, GOES_ON)).rejects.toThrow(
      `No Python 3.11 or newer was found.\n${old}: It is Python 3.8.1; 3.11 or newer is needed.`,
    );
  });

  it("lists each interpreter once, also those that will not do", async () => {
    const fake = new FakeMachine();
    const good = fake.python("python3.12");
    fake.program("python3", `exec ${good} "$@"`);
    fake.python("python3.11", { bits: 32 });
    const machine = { ...fake.machine, env: { PATH: fake.bin } };
    const found = await listPythons(nothing, machine, GOES_ON);
    expect(found.map(({ problem }) => problem)).toEqual([undefined, "It is a 32-bit Python; 64 bits are needed."]);
  });

  it("never looks into a relative folder of PATH, where a workspace could put a program", () => {
    const fake = new FakeMachine();
    fake.program("python3", "");
    const machine = { ...fake.machine, env: { PATH: `.:bin:${path.basename(fake.bin)}` } };
    expect(findProgram("python3", machine)).toBeUndefined();
    expect(pythonsOnPath(machine)).toEqual([]);
  });

  it("ends a candidate that hangs when it is called off", async () => {
    const fake = new FakeMachine();
    const command = fake.program("hangs", "sleep 60");
    const stop = new AbortController();
    const probing = probePython({ command: [command], source: "path" }, fake.machine, stop.signal);
    stop.abort();
    await expect(probing).rejects.toThrow(/abort/i);
  });
});
