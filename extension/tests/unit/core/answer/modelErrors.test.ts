import { describe, expect, it } from "vitest";

import { asModelError } from "../../../../src/core/answer/modelErrors";
import { isCancelled } from "../../../../src/core/common/errors";

describe("what models of the editor throw", () => {
  const thrown = (message: string, code = "") => Object.assign(new Error(message), { code });

  it.each([
    [thrown("The model refuses.", "Blocked"), "MODEL_REFUSED"],
    [thrown("You exceeded your premium requests.", "Blocked"), "MODEL_QUOTA"],
    [thrown("You have exceeded your chat quota."), "MODEL_QUOTA"],
    [thrown("No consent.", "NoPermissions"), "MODEL_REFUSED"],
    [thrown("Gone.", "NotFound"), "MODEL_MISSING"],
    [thrown("Response got filtered."), "MODEL_REFUSED"],
    [thrown("socket hang up"), "MODEL_FAILED"],
    ["a string", "MODEL_FAILED"],
  ])("is told apart: %s", (error, code) => {
    expect(asModelError(error)).toMatchObject({ code });
  });

  it("stays a cancellation when it is one", () => {
    expect(isCancelled(asModelError(Object.assign(new Error("Canceled"), { name: "Canceled" })))).toBe(true);
  });
});
