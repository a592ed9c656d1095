import { describe, expect, it } from "vitest";

import { masked, secretsOf } from "../../../../src/core/common/masking";

describe("what is shown", () => {
  it("has no passwords of addresses, and no tokens", () => {
    const secrets = secretsOf(["https://ann:p%40ss99@pypi.example.com/simple", "http://proxy:8080", "no address"]);
    const text = "GET https://ann:p%40ss99@pypi.example.com with p@ss99, Authorization: Bearer abc.def-1";
    expect(masked(text, secrets)).toBe("GET https://****@pypi.example.com with ****, Authorization: Bearer ****");
  });
});
