import { describe, expect, it } from "vitest";

import { compareVersions } from "../../../../src/core/common/versions";

describe("versions", () => {
  it("are in the order of their releases", () => {
    const inOrder = [
      "nonsense",
      "0.1.0.dev3",
      "0.1.0a1",
      "0.1.0b2",
      "0.1.0rc1",
      "0.1.0",
      "0.1.0.post1",
      "0.1.1",
      "0.2",
      "0.10.0",
      "1.0",
    ];
    expect([...inOrder].reverse().sort(compareVersions)).toEqual(inOrder);
  });

  it("are equal when only zeros differ", () => {
    expect(compareVersions("1.2", "1.2.0")).toBe(0);
    expect(compareVersions("3.11", "3.11.0")).toBe(0);
  });
});
