import { describe, expect, it } from "vitest";

import { Emitter } from "../../../../src/core/common/events";
import { EditorSourceTokens } from "../../../../src/editor/sources/editorSourceTokens";
import { TOKEN } from "../../fixtures/sources";

describe("the tokens that the editor keeps", () => {
  /** A secret storage as several windows share it. */
  function storage(begin: Record<string, string> = {}) {
    const stored = new Map(Object.entries(begin));
    const changes = new Emitter<{ key: string }>();
    const set = (key: string, value: string | undefined) => {
      if (value === undefined) stored.delete(key);
      else stored.set(key, value);
      changes.fire({ key });
      return Promise.resolve();
    };
    const secrets = {
      keys: () => Promise.resolve([...stored.keys()]),
      get: (key: string) => Promise.resolve(stored.get(key)),
      store: (key: string, value: string) => set(key, value),
      delete: (key: string) => set(key, undefined),
      onDidChange: changes.event,
    };
    return { secrets, stored };
  }

  it("are of sources alone, and seen by other windows at once", async () => {
    const { secrets, stored } = storage({ "ragAssistant.serverToken": "daemon" });
    const [mine, other] = [new EditorSourceTokens(secrets), new EditorSourceTokens(secrets)];
    expect([...(await mine.all())]).toEqual([]);
    const changed: string[] = [];
    mine.onDidChange((id) => changed.push(id));
    await other.store("s1", TOKEN);
    expect([...(await mine.all())]).toEqual([["s1", TOKEN]]);
    await other.forget("s1");
    expect([...(await mine.all())]).toEqual([]);
    expect(changed).toEqual(["s1", "s1"]);
    expect([...stored]).toEqual([["ragAssistant.serverToken", "daemon"]]);
  });

  it("are read again after a failure", async () => {
    const { secrets } = storage({ "ragAssistant.sourceToken.s1": TOKEN });
    let isLocked = true;
    const keys = () => (isLocked ? Promise.reject(new Error("locked")) : secrets.keys());
    const mine = new EditorSourceTokens({ ...secrets, keys });
    await expect(mine.all()).rejects.toThrow("locked");
    isLocked = false;
    expect((await mine.all()).get("s1")).toBe(TOKEN);
  });
});
