import { describe, expect, it } from "vitest";

import type { CloudConfig, CloudPreview } from "../../../../src/core/api/types";
import { RagError } from "../../../../src/core/common/errors";
import {
  configOf,
  formOf,
  newForm,
  newSource,
  secret,
  sourceChange,
  stepAfter,
  stepOfFailure,
  steps,
  type CloudForm,
  type Step,
} from "../../../../src/core/sources/cloudForm";
import { ALL, SAVE, answered, question, type PickQuestion } from "../../../../src/core/sources/cloudQuestions";
import { runForm, type FormHost, type Reply, type ShownStep } from "../../../../src/core/sources/runCloudForm";
import { TOKEN, cloudSource, preview } from "../../fixtures/sources";

const say = (answer: string | string[]): Reply => ({ kind: "answer", answer });

/** A host that gives prepared answers, and remembers what it showed. */
class Script implements FormHost {
  readonly shown: ShownStep[] = [];
  readonly asked: { config: CloudConfig; token: string }[] = [];
  saved: CloudForm | undefined;
  private readonly replies: Reply[];

  constructor(
    replies: readonly Reply[],
    private readonly previews: (CloudPreview | Error)[] = [],
    private readonly refusals: Error[] = [],
  ) {
    this.replies = [...replies];
  }

  ask(shown: ShownStep): Promise<Reply> {
    this.shown.push(shown);
    return Promise.resolve(this.replies.shift() ?? { kind: "cancel" });
  }

  preview(config: CloudConfig, token: string): Promise<CloudPreview> {
    this.asked.push({ config, token });
    const next = this.previews.shift() ?? preview();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  }

  save(form: CloudForm): Promise<void> {
    const refusal = this.refusals.shift();
    if (refusal) return Promise.reject(refusal);
    this.saved = form;
    return Promise.resolve();
  }

  get steps(): Step[] {
    return this.shown.map(({ step }) => step);
  }
}

const refused = (field: string, message: string) => new RagError("SOURCE_REFUSED", message, "", "", [{ field, message }]);

const TO_CONTAINERS = [say("https://wiki.example.com"), say(["data_center"]), say(["pat"]), say(["editor"]), say(TOKEN)];
const TO_SUMMARY = [...TO_CONTAINERS, say(["DEV"]), say(["comments"]), say(["cached"]), say(["every 1h"])];

describe("the steps", () => {
  it("ask for the deployment only where the address does not tell it", () => {
    const cloud = {
      ...newForm("confluence", ["default"]),
      address: "https://example.atlassian.net/wiki",
      kind: "api_token" as const,
    };
    expect(steps(cloud)).toEqual([
      "address",
      "kind",
      "tokenStore",
      "email",
      "token",
      "containers",
      "parts",
      "access",
      "schedule",
      "summary",
    ]);
    expect(steps({ ...cloud, address: "wiki.example.com", kind: "pat", tokenStore: "daemon" })).toEqual([
      ...["address", "deployment", "kind", "tokenStore", "reference", "containers", "parts", "access", "schedule", "summary"],
    ]);
  });

  it("ask for a collection only where there is a choice, and not of a source that is there", () => {
    expect(steps(newForm("jira", ["a", "b"]))).toContain("collection");
    expect(steps(formOf(cloudSource(), ""))).not.toContain("collection");
  });

  it("go on behind a time that was written", () => {
    const form = answered(answered(newForm("jira", ["default"]), "schedule", ["other"]), "cron", "every 45m");
    expect(form.schedule).toBe("every 45m");
    expect(stepAfter(form, "cron")).toBe("summary");
  });

  it("forget a way to sign in that the other deployment does not have", () => {
    const form = { ...newForm("jira", ["default"]), kind: "api_token" as const };
    expect(answered(form, "deployment", ["data_center"]).kind).toBeUndefined();
    expect(answered({ ...form, kind: "oauth" }, "deployment", ["data_center"]).kind).toBe("oauth");
  });
});

describe("the form", () => {
  it("goes from the address to a source that is saved", async () => {
    const host = new Script([...TO_SUMMARY, say([SAVE])]);
    const form = await runForm(newForm("confluence", ["default"]), host);
    expect(host.steps).toEqual(form && steps(form));
    expect(host.shown.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(newSource(host.saved as CloudForm)).toEqual({
      ...{ type: "confluence", collection: "default", schedule: "every 1h", live: "cached", public: false },
      config: {
        ...{ base_url: "https://wiki.example.com", deployment: "data_center", auth: { kind: "pat", token: "request" } },
        ...{ spaces: ["DEV"], attachments: false, comments: true },
      },
    });
    // All there is, for the choice; then what was chosen, for the summary.
    expect(host.asked.map(({ config, token }) => [config.spaces, token])).toEqual([
      [[], TOKEN],
      [["DEV"], TOKEN],
    ]);
  });

  it("goes back step by step, keeps what was entered, and tests anew only what was changed", async () => {
    const back: Reply = { kind: "back" };
    const host = new Script([...TO_CONTAINERS, say([ALL]), back, back, say(TOKEN), say([ALL])]);
    await runForm(newForm("jira", ["default"]), host);
    expect(host.steps.slice(5)).toEqual(["containers", "parts", "containers", "token", "containers", "parts"]);
    expect(host.shown.at(-3)?.question).toMatchObject({ value: TOKEN, password: true });
    expect(host.asked).toHaveLength(2);
    expect(host.shown[0]?.canGoBack).toBe(false);
  });

  it("leaves nothing behind when it is called off", async () => {
    const host = new Script(TO_SUMMARY);
    expect(await runForm(newForm("confluence", ["default"]), host)).toBeUndefined();
    expect(host.saved).toBeUndefined();
  });

  it.each<[string, Step]>([
    ["config.base_url", "address"],
    ["config.auth.token", "token"],
    ["config.auth.email", "kind"],
    ["config.auth.kind", "kind"],
    ["config.deployment", "deployment"],
  ])("comes back for %s to the step %s and says why there", async (field, step) => {
    const host = new Script(TO_CONTAINERS, [refused(field, "Write it in another way.")]);
    await runForm(newForm("confluence", ["default"]), host);
    expect(host.shown.at(-1)).toMatchObject({ step, problem: "Write it in another way." });
  });

  it("comes back to the address when the site can't be reached, and to the spaces when only the summary fails", async () => {
    const down = new RagError("SOURCE_UNAVAILABLE", "It does not answer.", "Look at the address.");
    const first = new Script(TO_CONTAINERS, [down]);
    await runForm(newForm("confluence", ["default"]), first);
    expect(first.shown.at(-1)).toMatchObject({ step: "address", problem: "It does not answer. Look at the address." });
    const second = new Script([...TO_SUMMARY], [preview(), down]);
    await runForm(newForm("confluence", ["default"]), second);
    expect(second.shown.at(-1)?.step).toBe("containers");
  });

  it("comes back with what was refused when it was to be saved", async () => {
    const host = new Script([...TO_SUMMARY, say([SAVE])], [], [refused("schedule", "This is no schedule.")]);
    await runForm(newForm("confluence", ["default"]), host);
    expect(host.shown.at(-1)).toMatchObject({ step: "schedule", problem: "This is no schedule." });
  });

  it("lets a line of the summary be changed", async () => {
    const host = new Script([...TO_SUMMARY, say(["access"]), say(["public"])]);
    await runForm(newForm("confluence", ["default"]), host);
    expect(host.steps.slice(-3)).toEqual(["summary", "access", "schedule"]);
  });

  it("takes a refusal of the reference to its step, as there is none for a token", () => {
    const form = { ...newForm("jira", ["default"]), tokenStore: "daemon" as const, reference: "env:NAME" };
    expect(stepOfFailure(form, refused("config.auth.token", "NAME is not set."))?.step).toBe("reference");
    expect(stepOfFailure(form, new RagError("X", "y"))).toBeUndefined();
  });
});

describe("what is sent", () => {
  it("has the e-mail of an API token in both places, and no token in the configuration", () => {
    const form: CloudForm = {
      ...newForm("jira", ["default"]),
      ...{ address: "https://example.atlassian.net", kind: "api_token", email: "aki@example.com", token: TOKEN },
    };
    expect(secret(form)).toBe(`aki@example.com:${TOKEN}`);
    expect(configOf(form).auth).toEqual({ kind: "api_token", email: "aki@example.com", token: "request" });
    expect(JSON.stringify(newSource(form))).not.toContain(TOKEN);
  });

  it("brings no token for a reference that the daemon reads", () => {
    const form: CloudForm = {
      ...newForm("confluence", ["default"]),
      tokenStore: "daemon",
      reference: "env:WIKI",
      token: TOKEN,
    };
    expect(secret(form)).toBe("");
    expect(configOf(form).auth.token).toBe("env:WIKI");
  });

  it("changes only what was changed, and keeps filters that were written by hand", () => {
    const source = cloudSource({ public: true, live: "live", schedule: "every 2h" });
    const change = sourceChange({ ...formOf(source, TOKEN), chosen: ["OPS"] }, source);
    expect(change).toEqual({ config: { ...source.config, spaces: ["OPS"], auth: { kind: "pat", token: "request" } } });
    expect(secret(formOf(source, TOKEN))).toBe(TOKEN);
  });
});

describe("the questions", () => {
  const form: CloudForm = { ...newForm("confluence", ["default"]), found: preview(), chosen: ["GONE"] };

  it("offer all spaces, those that are there with their counts, and those that are not found", () => {
    const { options, picked } = question(form, "containers") as PickQuestion;
    expect(options.map(({ id, description }) => [id, description ?? ""])).toEqual([
      [ALL, ""],
      ["DEV", "DEV · 120 items"],
      ["人事", "人事"],
      ["GONE", "not found with this token"],
    ]);
    expect(picked).toEqual(["GONE"]);
  });

  it("explain each way to let people see it in a line", () => {
    const { options } = question(form, "access") as PickQuestion;
    expect(options.map(({ id, detail }) => [id, (detail ?? "").length > 20])).toEqual([
      ["live", true],
      ["cached", true],
      ["public", true],
    ]);
  });

  it.each<[Step, string, boolean]>([
    ["email", "aki@example.com", true],
    ["email", "aki", false],
    ["reference", "file:/run/secrets/wiki", true],
    ["reference", TOKEN, false],
    ["token", "with a blank", false],
    ["token", "a,b", false],
    ["address", " ", false],
  ])("of %s take %j: %s", (step, value, taken) => {
    const asked = question(form, step);
    expect(asked.type === "input" && asked.check(value) === undefined).toBe(taken);
  });

  it("never show the token outside of its own field", () => {
    const filled = { ...form, token: TOKEN, preview: preview(), chosen: [] };
    for (const step of steps(filled)) {
      if (step !== "token") expect(JSON.stringify(question(filled, step))).not.toContain(TOKEN);
    }
  });
});
