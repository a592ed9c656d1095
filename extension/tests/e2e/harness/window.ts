import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";

import type { Bridge } from "./bridge.ts";
import { PATIENCE_MS, until } from "./wait.ts";

/** One window of the editor as a person uses it: keys, clicks, and what can be read on the screen. */
export class Window {
  readonly page: Page;
  readonly bridge: Bridge;
  readonly workspace: string;

  constructor(page: Page, bridge: Bridge, workspace: string) {
    this.page = page;
    this.bridge = bridge;
    this.workspace = workspace;
  }

  async ready(): Promise<void> {
    await this.page.locator(".monaco-workbench .statusbar").waitFor({ timeout: PATIENCE_MS });
  }

  /** Load the window anew: its extension host ends, and another starts. */
  async reload(): Promise<void> {
    this.bridge.forget();
    await this.page.reload();
    await this.ready();
    await this.bridge.ready();
  }

  /** Close it as a user does: its extension host ends. A page that just vanishes is waited for, as if its network had failed. */
  async close(): Promise<void> {
    await this.page.goto("about:blank");
    await this.page.close();
  }

  /** Run a command by its title in the command palette. */
  async command(title: string): Promise<void> {
    await this.openPalette();
    await this.pick(title);
  }

  async openPalette(): Promise<void> {
    const input = this.page.locator(".quick-input-widget input");
    await until("the command palette opens", async () => {
      await this.page.keyboard.press("F1");
      return await input.isVisible();
    });
  }

  /** Type into the open quick pick and take the first entry that contains the text. */
  async pick(text: string): Promise<void> {
    const widget = this.page.locator(".quick-input-widget:visible");
    const input = widget.locator("input").first();
    const typed = (await input.inputValue()).startsWith(">") ? `>${text}` : text;
    await input.fill(typed);
    await widget.locator(".monaco-list-row").filter({ hasText: text }).first().click({ timeout: PATIENCE_MS });
  }

  /** Fill in the open input box and confirm it. */
  async answer(text: string): Promise<void> {
    await this.page.locator(".quick-input-widget:visible input").first().fill(text);
    await this.page.keyboard.press("Enter");
  }

  async notification(text: string | RegExp, patience = PATIENCE_MS): Promise<Locator> {
    const toast = this.page.locator(".notifications-toasts .notification-list-item").filter({ hasText: text }).first();
    await toast.waitFor({ timeout: patience });
    return toast;
  }

  async dialog(text: string | RegExp): Promise<Locator> {
    const box = this.page.locator(".monaco-dialog-box").filter({ hasText: text });
    await box.waitFor({ timeout: PATIENCE_MS });
    return box;
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item").filter({ hasText: text }).first();
  }

  /** Show the extension's view container and give its chat panel. */
  async openPanel(): Promise<FrameLocator> {
    await this.bridge.execute("ragAssistant.chat.focus");
    const panel = this.panel();
    await panel.locator("body *").first().waitFor({ state: "attached", timeout: PATIENCE_MS });
    return panel;
  }

  /** Drags the edge of the side bar, as a person does who wants more room for the editor. */
  async widenSideBar(width: number): Promise<void> {
    const { x = 0, y = 0, width: before = 0 } = (await this.page.locator(".part.sidebar").boundingBox()) ?? {};
    const { mouse } = this.page;
    await mouse.move(x + before, y + 200);
    await mouse.down();
    await mouse.move(x + width, y + 200, { steps: 8 });
    await mouse.up();
  }

  /** The webview in a side bar. */
  panel(): FrameLocator {
    return inside(this.page, '[src*="purpose=webviewView"]');
  }

  /** The webview in an editor tab. */
  viewer(): FrameLocator {
    return inside(this.page, ':not([src*="purpose=webviewView"])');
  }

  treeRow(text: string | RegExp): Locator {
    return this.page.locator(".pane-body .monaco-list-row").filter({ hasText: text }).first();
  }

  /** Choose something in the context menu of a row. */
  async chooseInMenu(row: Locator, label: string): Promise<void> {
    await row.click({ button: "right" });
    const entry = this.page.locator(".context-view .action-label").filter({ hasText: label });
    await entry.waitFor();
    // A click that comes within a moment of the menu counts for nothing there.
    await until(`${label} is chosen`, async () => {
      if (await entry.isVisible()) await entry.click();
      return await entry.waitFor({ state: "hidden", timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
  }

  async screenshot(name: string): Promise<string> {
    return await screenshot(this.page, name);
  }
}

/** Take a picture into RAG_SCREENSHOTS, or a temporary folder; its path. */
export async function screenshot(page: Page, name: string): Promise<string> {
  const folder = process.env["RAG_SCREENSHOTS"] ?? join(tmpdir(), "rag-assistant-screenshots");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  return path;
}

function inside(page: Page, which: string): FrameLocator {
  return page.frameLocator(`iframe.webview.ready${which}`).frameLocator("iframe#active-frame");
}
