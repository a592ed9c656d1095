import { expect, it, onTestFinished, vi } from "vitest";

import { ViewerTab, type TabServices } from "../../../../src/editor/viewer/viewerTab";
import { builtExtension } from "../../fixtures/builtExtension";
import { Panel, Uri } from "../../fixtures/vscode";

it("says nothing to a webview that was closed while the daemon answered, and calls that no failure", async () => {
  const built = builtExtension();
  onTestFinished(() => built.remove());
  let isClosed = false;
  const panel = new Panel("");
  const { webview } = panel;
  Object.defineProperty(panel, "webview", {
    get: () => {
      if (isClosed) throw new Error("Webview is disposed");
      return webview;
    },
  });
  const error = vi.fn();
  let connect: (client: object) => void = () => undefined;
  const client = new Promise((resolve) => (connect = resolve));
  const services = { daemon: { client: () => client }, log: { error, warn: error }, extensionUri: Uri.file(built.folder) };
  new ViewerTab(panel as never, services as unknown as TabServices);
  panel.say({ type: "ready" });
  panel.say({ type: "image.load", assetId: "ab", variant: "raw" } as { type: string });
  isClosed = true;
  panel.close();
  const asset = vi.fn(() => Promise.resolve(new Uint8Array([1])));
  connect({ asset });
  await vi.waitFor(() => expect(asset).toHaveBeenCalled());
  await new Promise(setImmediate);
  expect(error).not.toHaveBeenCalled();
  expect(panel.sent.map(({ type }) => type)).toEqual(["init"]);
});
