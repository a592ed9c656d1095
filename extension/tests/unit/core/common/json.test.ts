import { expect, test } from "vitest";

import { parseRecord } from "../../../../src/core/common/json";

test("an object gives its fields", () => {
  expect(parseRecord('{"pid": 7, "url": null}')).toEqual({ pid: 7, url: null });
});

test.each(["", "{", '{"pid": 7', "null", "7", '"text"', "[]", "[{}]"])("%j is no object", (text) => {
  expect(parseRecord(text)).toBeUndefined();
});
