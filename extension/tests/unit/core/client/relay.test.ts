import { expect, it } from "vitest";

import { relayedPath } from "../../../../src/core/client/relay";

it.each(["/api/status", "/api/traces?text=a%20b&only=slow", "/api/documents/d1/pages/2?width=800&chunk_id=c1"])(
  "%s is asked as it stands",
  (path) => {
    expect(relayedPath(path)).toBe(path);
  },
);

it.each([
  "/api/keys",
  "/api/keys/k1/rotate",
  "/api/stop",
  "/api/documents/../stop",
  "/api/x/%2e%2e/backup",
  "/api/dashboard-link",
  "/mcp",
  "/v1/chat/completions",
  "//elsewhere.example/api/status",
  "http://elsewhere.example/api/status",
])("%s is refused", (path) => {
  expect(() => relayedPath(path)).toThrow(/does not ask/);
});
