import { describe, expect, it } from "vitest";

import { parseBootstrapEvent, parseModelEvent } from "../../../../src/core/setup/bootstrapEvents";

describe("a line of the bootstrap", () => {
  it.each([
    { event: "step", step: "packages", title: "Installing the packages" },
    { event: "status", text: "Downloading numpy", seconds: 3 },
    { event: "note", text: "uv does not start here" },
    { event: "failed", code: "PROXY", message: "m", advice: "a", log: ["one", "two"], cause: "", index: "" },
    { event: "done", python: "/e/bin/python", executable: "/e/bin/rag", version: "0.1.0" },
  ])("is the event $event", (event) => {
    expect(parseBootstrapEvent(JSON.stringify(event))).toEqual(event);
  });

  it.each([
    "Collecting numpy",
    "",
    "{",
    "{not json}",
    '{"event":"step","step":"dance","title":"t"}',
    '{"event":"status","text":"t","seconds":"3"}',
    '{"event":"failed","code":"X","message":"m","advice":"a","log":"one","cause":"","index":""}',
    '{"event":"done","python":"/p"}',
    '{"event":"other"}',
  ])("is no event: %s", (line) => {
    expect(parseBootstrapEvent(line)).toBeUndefined();
  });
});

describe("a line of the model's progress", () => {
  it("carries a fraction, or none where it can't be told", () => {
    const known = { event: "progress", text: "Converting the model", fraction: 0.6 };
    const unknown = { event: "progress", text: "Fetching the package", fraction: null };
    expect(parseModelEvent(JSON.stringify(known))).toEqual(known);
    expect(parseModelEvent(JSON.stringify(unknown))).toEqual(unknown);
  });

  it.each(['{"event":"progress","text":"t","fraction":7}', '{"event":"progress","text":"t"}', "ready"])(
    "is no event: %s",
    (line) => {
      expect(parseModelEvent(line)).toBeUndefined();
    },
  );
});
