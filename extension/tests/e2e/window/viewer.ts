import { expect, test } from "vitest";

import { Panel } from "../harness/panel.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, suite } from "./shared.ts";

suite("the document viewer", () => {
  test("a citation of a PDF opens its page, drawn, with the passage marked", async () => {
    const { text, source, title, page } = QUESTIONS.pdf;
    const panel = await Panel.ready(editor.window);
    await panel.ask(text);
    await panel.openPassage(source, `page ${page}`);
    await editor.window.page.locator(".tab.active").filter({ hasText: title }).waitFor();
    const viewer = editor.window.viewer();
    const picture = viewer.getByRole("img", {
      name: new RegExp(`^Page ${page} of \\d+, with the cited passage marked`),
    });
    await picture.waitFor();
    expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBeGreaterThan(
      400,
    );
    await editor.window.screenshot("viewer-pdf");
  });
});
