import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

import { Bridge } from "./bridge.ts";
import { stopDaemon } from "./daemon.ts";
import { type Kit, packKit } from "./kits.ts";
import { browserPath, vsixUnderTest } from "./paths.ts";
import { CodeServer, type ServerOptions } from "./server.ts";
import { PATIENCE_MS } from "./wait.ts";
import { Window, screenshot } from "./window.ts";

export type Theme = "dark" | "light" | "high-contrast" | "high-contrast-light";

export interface EditorOptions extends ServerOptions {
  /** Folder to open; an empty one by default. */
  workspace?: string;
  theme?: Theme;
  kits?: readonly Kit[];
  /** Install the extension under test; true by default. */
  extension?: boolean;
  /** Width and height of the window. */
  size?: readonly [number, number];
  /** What the workbench is told in its address, beside the folder. */
  payload?: (server: CodeServer) => readonly (readonly [string, string])[];
  /** Functions that the workbench may call. */
  expose?: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

const THEMES: Record<Theme, string> = {
  dark: "Dark Modern",
  light: "Light Modern",
  "high-contrast": "Default High Contrast",
  "high-contrast-light": "Default High Contrast Light",
};

// The second line closes the browser's network: names are not resolved, whatever asks for them.
const BROWSER_FLAGS = [
  ..."--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split(" "),
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
  "--disable-component-update",
  "--disable-sync",
];

/** A real VS Code: a server with the extension under test installed, and a browser that shows its windows. */
export class Editor {
  /** Those that this process has open. */
  static readonly open = new Set<Editor>();

  readonly server: CodeServer;
  /** Requests to other hosts than this one: there must be none. */
  readonly foreignRequests: string[] = [];
  private readonly options: EditorOptions;
  private readonly browser: Browser;
  private readonly context: BrowserContext;
  private first: Window | undefined;

  private constructor(server: CodeServer, options: EditorOptions, browser: Browser, context: BrowserContext) {
    this.server = server;
    this.options = options;
    this.browser = browser;
    this.context = context;
    context.on("request", (request) => {
      if (isForeign(request.url())) this.foreignRequests.push(request.url());
    });
  }

  static async launch(options: EditorOptions = {}): Promise<Editor> {
    const kits = await Promise.all((options.kits ?? ["models"]).map(packKit));
    const vsix = [...(options.extension === false ? [] : [vsixUnderTest()]), ...kits, ...(options.vsix ?? [])];
    const theme = THEMES[options.theme ?? "dark"];
    const settings = { "workbench.colorTheme": theme, "window.autoDetectColorScheme": false, ...options.settings };
    const server = await CodeServer.start({ ...options, vsix, settings });
    let browser: Browser | undefined;
    try {
      browser = await chromium.launch({ executablePath: browserPath(), args: BROWSER_FLAGS });
      const [width, height] = options.size ?? [1400, 900];
      // What moves is drawn by the processor here, sixty times a second.
      const look = { viewport: { width, height }, reducedMotion: "reduce" } as const;
      const context = await browser.newContext({ ...look, locale: options.locale ?? "en-US" });
      context.setDefaultTimeout(PATIENCE_MS);
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
      const editor = new Editor(server, options, browser, context);
      editor.first = await editor.openWindow(options.workspace);
      Editor.open.add(editor);
      return editor;
    } catch (error) {
      const logs = server.logs();
      await browser?.close();
      await server.stop();
      throw new Error(`The editor did not open a window.\n${logs}`, { cause: error });
    }
  }

  get window(): Window {
    if (this.first === undefined) throw new Error("The editor has no window.");
    return this.first;
  }

  /** Another window on another folder, with an extension host of its own. */
  async openWindow(workspace?: string): Promise<Window> {
    const folder = workspace ?? join(this.server.folder, "workspace");
    mkdirSync(folder, { recursive: true });
    const page = await this.context.newPage();
    const window = new Window(page, new Bridge(this.server.bridgeDir, folder), folder);
    for (const [name, call] of Object.entries(this.options.expose ?? {})) await page.exposeFunction(name, call);
    const payload = this.options.payload?.(this.server) ?? [];
    const query = new URLSearchParams({ folder, ...(payload.length > 0 ? { payload: JSON.stringify(payload) } : {}) });
    await page.goto(`${this.server.url}/?${query.toString()}`);
    await window.ready();
    return window;
  }

  /** Pictures of the windows, and the ends of the logs. */
  async report(name: string): Promise<string> {
    const pages = this.context.pages();
    const pictures = await Promise.all(pages.map((page, index) => screenshot(page, index === 0 ? name : `${name}-${index + 1}`)));
    return [...pictures, this.server.logs()].join("\n");
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.window.bridge.setting("workbench.colorTheme", THEMES[theme]);
    const kind = { dark: "vs-dark", light: "vs", "high-contrast": "hc-black", "high-contrast-light": "hc-light" }[theme];
    await this.window.page.locator(`.monaco-workbench.${kind}`).waitFor();
  }

  /** Close all, the daemon too; an error when a foreign host was asked. */
  async close(): Promise<void> {
    Editor.open.delete(this);
    try {
      await Promise.all(this.context.pages().map((page) => page.close()));
    } finally {
      await this.browser.close();
      await this.server.stop();
      await stopDaemon(this.server.dataDir);
      this.server.removeFolder();
    }
    if (this.foreignRequests.length > 0) throw new Error(`The editor asked foreign hosts:\n${this.foreignRequests.join("\n")}`);
  }
}

/** Files of webviews have an address on this host by which a service worker of the editor knows them: it answers, nobody else. */
const ANSWERED_HERE = /^(127\.0\.0\.1|localhost|.*\.vscode-resource\.vscode-cdn\.net)$/;

function isForeign(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return /^(https?|wss?):$/.test(protocol) && !ANSWERED_HERE.test(hostname);
}
