import { describe, expect, test } from "vitest";

import { runHostTests } from "./harness/hostTests.ts";

const results = await runHostTests({});

describe("in the extension host", () => {
  for (const { title, milliseconds, error } of results) {
    test(`${title} (${milliseconds} ms)`, () => {
      if (error !== undefined) expect.fail(error);
    });
  }
});
