import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, it } from "vitest";

import { DaemonClient } from "../../../../src/core/client/daemonClient";
import { isAlive } from "../../../../src/core/daemon/daemonInfo";
import type { ServerSettings } from "../../../../src/core/daemon/serverSpec";
import { ProblemError, problem } from "../../../../src/core/problems/problem";
import { SetupRecord } from "../../../../src/core/setup/bundledServer";
import { Setup, type SetupOptions } from "../../../../src/core/setup/setup";
import type { SetupProgress } from "../../../../src/protocol/setup";
import { FakeMachine, prints } from "./fakePrograms";

const NOTHING: ServerSettings = {
  url: "",
  executable: "",
  pythonPath: "",
  indexUrl: "",
  modelSource: "",
  proxy: "",
  transport: "rest",
};
const STEPS = [
  prints({ event: "step", step: "check", title: "Checking" }),
  prints({ event: "step", step: "environment", title: "Making" }),
  prints({ event: "step", step: "packages", title: "Installing" }),
].join("\n");
const MODEL = `${prints({ event: "progress", text: "Converting the model", fraction: 0.6 })}
${prints({ event: "done", model: "small", folder: "/m", revision: "r" })}`;

/** A machine with a Python whose bootstrap does `bootstrap`, and makes a `rag` that fetches a model by `model`. */
class FakeSetup extends FakeMachine {
  readonly views: SetupProgress[] = [];
  readonly serverFolder = path.join(this.folder, "server");
  readonly settings = { ...NOTHING };
  readonly record = new SetupRecord(path.join(this.folder, "storage", "setup.json"), this.serverFolder);
  readonly rag: string;

  constructor(bootstrap?: string, model = MODEL) {
    super();
    this.rag = this.program(
      "rag",
      `[ "$1" = --version ] && { echo "rag 0.1.0"; exit; }\nprintf '%s\\n' "$*" >> $FOLDER/pulls\n${model}`,
    );
    const done = prints({ event: "done", python: "/e/python", executable: this.rag, version: "0.1.0" });
    this.python("python3.14", {}, `printf '%s\\n' "$*" >> $FOLDER/bootstraps\n${bootstrap ?? `${STEPS}\n${done}`}`);
    this.carry("one");
  }

  carry(content: string): void {
    mkdirSync(path.join(this.serverFolder, "setup"), { recursive: true });
    for (const name of ["setup/bootstrap.py", "requirements.lock", "ragd-0.1.0-py3-none-any.whl"]) {
      writeFileSync(path.join(this.serverFolder, name), content);
    }
  }

  setup(startDaemon?: SetupOptions["startDaemon"]): Setup {
    const setup = new Setup({
      machine: this.machine,
      log: this.log,
      serverFolder: this.serverFolder,
      environment: path.join(this.folder, "storage", "environment"),
      record: this.record,
      settings: () => this.settings,
      fromEditor: () => Promise.resolve([]),
      stopForUpdate: () => Promise.resolve(void this.lines.push("made way")),
      startDaemon: startDaemon ?? (() => Promise.resolve(new DaemonClient({ url: "http://127.0.0.1:1", token: "t" }))),
    });
    setup.onDidChange((view) => this.views.push(view));
    return setup;
  }

  /** The command lines of the bootstraps, or of the `rag`s, so far. */
  runs(name: "bootstraps" | "pulls"): string[] {
    const file = path.join(this.folder, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }
}

const states = (view: SetupProgress) => Object.fromEntries(view.steps.map(({ id, state }) => [id, state]));

describe("the set-up", { timeout: 30_000 }, () => {
  it("goes through all steps, and says what happens", async () => {
    const fake = new FakeSetup();
    const setup = fake.setup((onDetail) => {
      onDetail("Opening the model");
      return Promise.resolve(new DaemonClient({ url: "http://127.0.0.1:1", token: "t" }));
    });
    expect(await setup.run()).toBe(true);
    expect(setup.progress.state).toBe("idle");
    expect(new Set(Object.values(states(setup.progress)))).toEqual(new Set(["done"]));
    expect(setup.progress.steps.map(({ note }) => note).slice(2, 4)).toEqual(["Version 0.1.0", "small"]);
    const said = fake.views.map(({ status, fraction }) => `${status} ${fraction ?? ""}`.trim());
    for (const text of ["Looking for Python", "Installing the packages", "Converting the model 0.6", "Opening the model"]) {
      expect(said).toContain(text);
    }
    expect(fake.runs("bootstraps")[0]).toMatch(/^-B .*bootstrap\.py --environment .*storage\/environment$/);
    expect(fake.runs("pulls")).toEqual(["models pull --progress json"]);
    expect(await fake.record.read()).toEqual({ executable: fake.rag, version: "0.1.0" });
  });

  it("does not repeat what is done, until the extension carries another daemon", async () => {
    const fake = new FakeSetup();
    expect(await fake.record.read()).toBe("new");
    await fake.setup().run();
    await fake.setup().run();
    expect(fake.runs("bootstraps")).toHaveLength(1);
    expect(fake.lines).not.toContain("made way");
    fake.carry("two");
    expect(await fake.record.read()).toBe("updated");
    await fake.setup().run();
    expect(fake.runs("bootstraps")).toHaveLength(2);
    expect(fake.lines).toContain("made way");
  });

  it("makes the environment anew when what is in it does not start any more", async () => {
    const fake = new FakeSetup();
    await fake.setup().run();
    fake.program("rag", `[ "$1" = --version ] && exit 1\n${MODEL}`);
    await fake.setup().run();
    expect(fake.runs("bootstraps")).toHaveLength(2);
  });

  it("passes the index and the proxy on, and shows no password of theirs", async () => {
    const fake = new FakeSetup(`echo "Looking at https://ann:geheim99@pypi.example.com" >&2\n${STEPS}\nexit 1`);
    Object.assign(fake.settings, {
      indexUrl: "https://ann:geheim99@pypi.example.com/simple",
      proxy: "http://proxy:8080",
    });
    const setup = fake.setup();
    expect(await setup.run()).toBe(false);
    expect(fake.runs("bootstraps")[0]).toContain(
      "--index-url https://ann:geheim99@pypi.example.com/simple --proxy http://proxy:8080",
    );
    expect(`${fake.lines.join("\n")}${JSON.stringify(fake.views)}`).not.toContain("geheim99");
    expect(setup.progress.problem?.message).toContain("Looking at https://****@pypi.example.com");
  });

  it("says what failed, why, and what to do", async () => {
    const failed = {
      event: "failed",
      code: "INDEX_UNREACHABLE",
      message: "No answer from the index.",
      advice: "English",
      log: ["pip: timed out"],
      cause: "Connection timed out",
      index: "https://mirror.example/simple",
    };
    const fake = new FakeSetup(`${STEPS}\n${prints(failed)}\nexit 3`);
    const setup = fake.setup();
    expect(await setup.run()).toBe(false);
    expect(setup.progress).toMatchObject({
      state: "failed",
      problem: {
        code: "INDEX_UNREACHABLE",
        message: "No answer from the index.\nConnection timed out\nPackage index: https://mirror.example/simple",
      },
    });
    expect(setup.progress.problem?.advice).toContain("ragAssistant.index.url");
    expect(states(setup.progress)).toMatchObject({ environment: "done", packages: "failed", model: "waiting" });
    expect(fake.lines).toContain("pip: timed out");
    expect(await fake.record.read()).toBe("new");
  });

  it("takes a bootstrap that prints garbage for failed, and keeps the garbage in the log", async () => {
    const fake = new FakeSetup('echo \'{"event":"done"}\'\necho Segmentation fault >&2');
    const setup = fake.setup();
    expect(await setup.run()).toBe(false);
    expect(setup.progress.problem).toMatchObject({ code: "SETUP_FAILED" });
    expect(setup.progress.problem?.message).toContain("Segmentation fault");
    expect(fake.lines).toContain('{"event":"done"}');
  });

  it("says why the model could not be had, and goes on from there", async () => {
    const fake = new FakeSetup(undefined, "echo 'Error: The model is not there.' >&2; exit 3");
    const setup = fake.setup();
    expect(await setup.run()).toBe(false);
    expect(setup.progress.problem).toMatchObject({ code: "MODEL_UNAVAILABLE", message: "The model is not there." });
    expect(states(setup.progress)).toMatchObject({ packages: "done", model: "failed", daemon: "waiting" });
    expect(await fake.record.read()).toBe("new");
  });

  it("shows why the daemon does not start", async () => {
    const setup = new FakeSetup().setup(() =>
      Promise.reject(new ProblemError(problem("PORT_TAKEN", "m", "a", "ragAssistant.showLog"))),
    );
    expect(await setup.run()).toBe(false);
    expect(setup.progress.problem?.code).toBe("PORT_TAKEN");
    expect(states(setup.progress)["daemon"]).toBe("failed");
  });

  it("ends the programs that run for it, their children too, when it is cancelled", async () => {
    const fake = new FakeSetup(`${STEPS}\nsleep 60 & echo $! > $FOLDER/child\nwait`);
    const setup = fake.setup();
    const running = setup.run();
    const child = path.join(fake.folder, "child");
    await expect.poll(() => existsSync(child) && readFileSync(child, "utf8").trim(), { timeout: 20_000 }).toMatch(/^\d+$/);
    await setup.cancel();
    expect(await running).toBe(false);
    expect(setup.progress.state).toBe("cancelled");
    expect(setup.progress.problem).toBeUndefined();
    await expect.poll(() => isAlive(Number(readFileSync(child, "utf8"))), { timeout: 20_000 }).toBe(false);
  });

  it("is one run when it is asked for twice", async () => {
    const fake = new FakeSetup();
    const setup = fake.setup();
    await Promise.all([setup.run(), setup.run()]);
    expect(fake.runs("bootstraps")).toHaveLength(1);
  });

  it("needs no environment with a given program, and no model with a server at an address", async () => {
    const fake = new FakeSetup();
    fake.settings.executable = fake.rag;
    const setup = fake.setup();
    expect(setup.progress.steps.map(({ id }) => id)).toEqual(["model", "daemon"]);
    expect(await setup.run()).toBe(true);
    fake.settings.url = "https://rag.example.com";
    setup.settingsChanged();
    expect(setup.progress.steps.map(({ id }) => id)).toEqual(["daemon"]);
    expect(fake.runs("bootstraps")).toEqual([]);
  });

  it("says that the extension is not whole when it carries no daemon", async () => {
    const fake = new FakeSetup();
    writeFileSync(path.join(fake.serverFolder, "ragd-0.2.0-py3-none-any.whl"), "");
    const setup = fake.setup();
    expect(await setup.run()).toBe(false);
    expect(setup.progress.problem?.code).toBe("NOT_CARRIED");
  });
});
