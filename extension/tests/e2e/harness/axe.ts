import { readFileSync } from "node:fs";
import type { Frame, FrameLocator } from "playwright-core";

import { AXE } from "./paths.ts";

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** What axe-core objects to in a webview: the rule, and each element that breaks it. */
export async function violations(view: FrameLocator, behind: "sideBar-background" | "editor-background"): Promise<string[]> {
  const frame = await contentFrame(view);
  // Webviews are transparent; what the workbench shows behind them, axe-core can't see.
  await frame.evaluate(`document.documentElement.style.backgroundColor = "var(--vscode-${behind})"`);
  // As an expression of the debugger: the page's content security policy would refuse a script of ours.
  await frame.evaluate(readFileSync(AXE, "utf8"));
  const options = {
    resultTypes: ["violations"],
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  };
  const result = await frame.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`);
  return result.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 300)}\n${failureSummary ?? ""}`),
  );
}

async function contentFrame(view: FrameLocator): Promise<Frame> {
  const element = await view.owner().elementHandle();
  const frame = await element.contentFrame();
  if (!frame) throw new Error("The webview has no frame.");
  return frame;
}

/** What reaches beyond the sides of a page and can't be scrolled to, by its words; texts that end in … by themselves are none of it. */
export async function cutOff(frame: FrameLocator): Promise<string[]> {
  return await frame.locator("body").evaluate((body) => {
    const isReached = (element: Element): boolean => {
      for (let at: Element | null = element; at && at !== body; at = at.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(at);
        if (textOverflow === "ellipsis" || (at !== element && /auto|scroll/.test(overflowX))) return true;
      }
      return false;
    };
    return [...body.querySelectorAll("a, button, h1, h2, h3, h4, input, label, li, p, summary, svg, textarea")]
      .filter((element) => {
        const { left, right, width, height } = element.getBoundingClientRect();
        return width > 1 && height > 1 && (right > innerWidth + 1 || left < -1) && !isReached(element);
      })
      .map((element) => `${element.tagName} ${element.textContent.trim().slice(0, 60) || element.getAttribute("aria-label")}`);
  });
}
