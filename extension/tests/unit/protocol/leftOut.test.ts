import { describe, expect, it } from "vitest";

import { leftOut, withoutRepeats } from "../../../src/protocol/leftOut";

describe("leftOut", () => {
  const none = { checked: 3, refreshed: 1, forbidden: 0, gone: 0, unverified: 0, no_token: 0 };

  it("says nothing when nothing was left out", () => {
    expect([leftOut(none), leftOut(null), leftOut(undefined)]).toEqual([undefined, undefined, undefined]);
  });

  it("counts by reason, and says whether a token would help", () => {
    expect(leftOut({ ...none, no_token: 2, forbidden: 1 })).toEqual({
      text: "3 passages from Confluence or Jira were left out: 2 need your token, 1 you may not read.",
      needsToken: true,
    });
    expect(leftOut({ ...none, unverified: 1 })).toMatchObject({ needsToken: false });
  });

  it("takes the place of what the daemon says in English, but for what it alone knows", () => {
    const said = "2 passages were left out: no token for 'Wiki' came with the question.";
    const alone = "1 passage was left out: your token for 'Wiki' was refused. Give another one.";
    expect(withoutRepeats([said, alone, "Cut."], { ...none, no_token: 2, forbidden: 1 })).toEqual([alone, "Cut."]);
    expect(withoutRepeats([said], undefined)).toEqual([said]);
  });
});
