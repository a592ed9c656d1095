import { describe, expect, it } from "vitest";

import { pictureEnvironment, readAgreement } from "../../../../src/core/daemon/pictureAgreement";

const AGREED = { vendor: "copilot", id: "sees-1", name: "Sees 1", maxPerDay: 100 };

describe("an agreement about pictures", () => {
  it("has the daemon take descriptions of the editor's model, within its limit, and none of a service", () => {
    expect(pictureEnvironment(AGREED)).toEqual({
      RAG_CAPTIONS__PROVIDER: "editor",
      RAG_CAPTIONS__MAX_PER_DAY: "100",
      RAG_CAPTIONS__MODEL: "",
      RAG_CAPTIONS__URL: "",
      RAG_CAPTIONS__API_KEY: "",
    });
  });

  it("is needed: without one the daemon is started as its settings say", () => {
    expect(pictureEnvironment(undefined)).toEqual({});
  });

  it("outlasts being kept", () => {
    expect(readAgreement(JSON.stringify(AGREED))).toEqual(AGREED);
  });

  it.each([undefined, "", "null", "[]", "{", "true", ...without()])("is none when what was kept is %s", (kept) => {
    expect(readAgreement(kept)).toBeUndefined();
  });
});

function without(): string[] {
  const lacking = Object.keys(AGREED).map((name) => ({ ...AGREED, [name]: undefined }));
  return [...lacking, { ...AGREED, maxPerDay: -1 }, { ...AGREED, maxPerDay: 1.5 }].map((value) => JSON.stringify(value));
}
