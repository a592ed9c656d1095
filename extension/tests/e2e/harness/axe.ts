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
