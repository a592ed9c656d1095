import { afterAll, expect, test } from "vitest";

import { violations } from "../harness/axe.ts";
import type { Theme } from "../harness/editor.ts";
import { Panel } from "../harness/panel.ts";
import { until } from "../harness/wait.ts";
import { QUESTIONS } from "../questions.ts";
import { editor, openInViewer, suite } from "./shared.ts";

const THEMES: Theme[] = ["dark", "light", "high-contrast", "high-contrast-light"];

const viewer = () => editor.window.viewer();
const picture = (page: number) => viewer().getByRole("img", { name: new RegExp(`^Page ${page} of \\d+`) });

/** How many hits are marked on the screen. */
async function marked(): Promise<number> {
  const body = viewer().locator("body");
  return await body.evaluate(() => CSS.highlights.get("viewer-hits")?.size ?? 0);
}

suite("the document viewer", () => {
  afterAll(async () => {
    await editor.setTheme("dark");
  });

  test("a citation of a PDF opens its page, drawn, with the passage marked", async () => {
    const { text, source, title, page } = QUESTIONS.pdf;
    const panel = await Panel.ready(editor.window);
    await panel.ask(text);
    await panel.openPassage(source, `page ${page}`);
    await editor.window.page.locator(".tab.active").filter({ hasText: title }).waitFor();
    const drawn = viewer().getByRole("img", {
      name: new RegExp(`^Page ${page} of \\d+, with the cited passage marked`),
    });
    await drawn.waitFor();
    expect(await drawn.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBeGreaterThan(400);
    await viewer().locator(".page-text .passage").first().waitFor();
    await editor.window.screenshot("viewer-pdf");
  });

  test("a page's words lie where they are printed, and are selected as they are read", async () => {
    const layer = viewer().locator(".text-layer");
    await layer.waitFor({ state: "attached" });
    const [first, page] = await Promise.all([layer.locator("span").first().boundingBox(), picture(5).boundingBox()]);
    expect(first && page && first.x > page.x && first.x + first.width < page.x + page.width).toBe(true);
    const selected = await layer.evaluate((element) => {
      const selection = getSelection();
      selection?.selectAllChildren(element);
      const text = selection?.toString() ?? "";
      selection?.removeAllRanges();
      return text.replace(/\s+/g, " ").trim();
    });
    const shown = await viewer().locator(".page-text .printed").allInnerTexts();
    expect(selected).toBe(shown.join(" ").replace(/\s+/g, " ").trim());
    expect(selected.length).toBeGreaterThan(500);
  });

  test("the whole document is searched by the keyboard, and hits lead from page to page", async () => {
    const { page } = editor.window;
    await viewer().locator(".zoom-area").focus();
    await page.keyboard.press("Control+f");
    await viewer().getByRole("searchbox").waitFor();
    await page.keyboard.type("node");
    const count = viewer().locator(".find-count");
    await until("hits are counted", async () => / of (?:[2-9]|\d\d)/.test(await count.innerText()));
    await until("they are marked", async () => (await marked()) > 0);
    await editor.window.screenshot("viewer-search");
    const before = await viewer().locator(".page-number").inputValue();
    await until("a hit on another page is shown", async () => {
      await page.keyboard.press("Enter");
      return (await viewer().locator(".page-number").inputValue()) !== before;
    });
    await until("it is marked", async () => (await marked()) > 0);
    await page.keyboard.press("Escape");
    await until("nothing is marked any more", async () => (await marked()) === 0);
  });

  test("thumbnails and outline lead to their pages, by the keyboard alone", async () => {
    const { page } = editor.window;
    const press = async (name: string) => {
      await viewer().getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    await press("Pages");
    const pages = viewer().getByRole("listbox", { name: "Pages" });
    await pages.locator("img").first().waitFor();
    await pages.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await picture(2).waitFor();
    await editor.window.screenshot("viewer-thumbnails");
    await press("Outline");
    const outline = viewer().getByRole("listbox", { name: "Outline" });
    await outline.getByRole("option").nth(2).waitFor();
    await outline.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await until("the last chapter's page is shown", async () => Number(await viewer().locator(".page-number").inputValue()) > 2);
    await editor.window.screenshot("viewer-outline");
  });

  test("axe-core finds nothing to object to, with everything open", async () => {
    await viewer().getByRole("button", { name: "Find", exact: true }).click();
    for (const theme of THEMES) {
      await editor.setTheme(theme);
      expect.soft(await violations(viewer(), "editor-background"), theme).toEqual([]);
      await editor.window.screenshot(`viewer-accessibility-${theme}`);
    }
    await editor.setTheme("dark");
  });

  test("a workbook has its sheets as tabs, with rows and columns as it counts them", async () => {
    await openInViewer("node-inventory.xlsx", "Node inventory");
    const tabs = viewer().getByRole("tab");
    await tabs.nth(1).waitFor();
    const before = await viewer().locator(".content h1").innerText();
    expect(await viewer().locator(".column-letters th").first().innerText()).toMatch(/^[A-Z]$/);
    expect(Number(await viewer().locator("tbody .row-number").first().innerText())).toBeGreaterThan(1);
    await tabs.first().focus();
    await editor.window.page.keyboard.press("ArrowRight");
    await until("the next sheet is shown", async () => (await viewer().locator(".content h1").innerText()) !== before);
    expect(await violations(viewer(), "editor-background")).toEqual([]);
    await editor.window.screenshot("viewer-sheets");
  });

  test("merged cells are one cell, and a header of two rows has both", async () => {
    const group = viewer().locator("thead th[colspan]").first();
    await viewer().getByRole("tab").first().click();
    await group.waitFor();
    expect(await viewer().locator("thead tr:not(.column-letters)").count()).toBeGreaterThan(1);
    await openInViewer("incident-2026-014.docx", "INC-2026-014");
    const phase = viewer().locator("td[rowspan='2']").filter({ hasText: "Detection" });
    await phase.scrollIntoViewIfNeeded();
    const [cell, below] = await Promise.all([phase.boundingBox(), viewer().getByText("06:44", { exact: true }).boundingBox()]);
    expect(cell && below && cell.y + cell.height > below.y + below.height / 2).toBe(true);
    expect(await violations(viewer(), "editor-background")).toEqual([]);
    await editor.window.screenshot("viewer-merged-cells");
  });

  test("slides show their parts where they stand, and small beside them", async () => {
    await openInViewer("quarterly-review-2026q1.pptx", "Kestrel, first quarter 2026");
    await viewer().locator(".stage .placed").first().waitFor();
    await viewer().getByRole("button", { name: "Slides", exact: true }).click();
    const slides = viewer().getByRole("listbox", { name: "Slides" });
    await slides.locator(".small-slide").first().waitFor();
    await editor.window.screenshot("viewer-slides");
    const places = await viewer()
      .locator(".stage")
      .first()
      .evaluate((stage) => {
        const whole = stage.getBoundingClientRect();
        return [...stage.querySelectorAll(".placed")].map((placed) => {
          const { left, top, right, bottom } = placed.getBoundingClientRect();
          return left >= whole.left - 1 && top >= whole.top - 1 && right <= whole.right + 1 && bottom <= whole.bottom + 1;
        });
      });
    expect(places.length).toBeGreaterThan(0);
    expect(places).not.toContain(false);
    await slides.focus();
    await editor.window.page.keyboard.press("End");
    await editor.window.page.keyboard.press("Enter");
    const last = viewer().locator(".slide").last();
    await until("the last slide is shown", async () => {
      const [box, around] = await Promise.all([last.boundingBox(), viewer().locator(".content").boundingBox()]);
      return box !== null && around !== null && box.y < around.y + around.height;
    });
    await viewer()
      .locator(".content")
      .evaluate((area) => (area.scrollTop = 0));
    await slides.getByRole("option", { name: "Slide 1:", selected: true }).waitFor();
    for (const theme of THEMES) {
      await editor.setTheme(theme);
      expect.soft(await violations(viewer(), "editor-background"), theme).toEqual([]);
      await editor.window.screenshot(`viewer-slides-${theme}`);
    }
    await editor.setTheme("dark");
  });

  test("what was read in a picture can be selected over it, and is framed on demand", async () => {
    await openInViewer("admin-console-queues.png", "admin-console-queues.png", { bbox: [0, 0, 1, 0.2] });
    await viewer().locator(".text-layer span").first().waitFor({ state: "attached" });
    await viewer().getByRole("button", { name: "Show Text Frames" }).click();
    await viewer().locator(".text-frame").first().waitFor();
    await editor.window.screenshot("viewer-picture");
    expect(await violations(viewer(), "editor-background")).toEqual([]);
  });
});
