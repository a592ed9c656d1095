import { basename } from "node:path";
import { readFileSync } from "node:fs";
import type { FrameLocator, Locator } from "playwright-core";

import { PATIENCE_MS, until } from "./wait.ts";
import type { Window } from "./window.ts";

/** A daemon loads a model as it starts. */
const START_MS = 300_000;

/** The chat panel of the extension under test, by its `data-testid`s. */
export class Panel {
  readonly frame: FrameLocator;
  private readonly window: Window;

  private constructor(window: Window, frame: FrameLocator) {
    this.window = window;
    this.frame = frame;
  }

  /** Open the view, whatever it shows. */
  static async open(window: Window): Promise<Panel> {
    return new Panel(window, await window.openPanel());
  }

  /** The chat in the editor's tab that is looked at. */
  static async inTab(window: Window): Promise<Panel> {
    const panel = new Panel(window, window.viewer());
    await panel.takesQuestions();
    return panel;
  }

  /** Open the view and wait until it takes questions. */
  static async ready(window: Window, patience = START_MS): Promise<Panel> {
    const panel = await Panel.open(window);
    await panel.takesQuestions(patience);
    return panel;
  }

  /** A chat without a question: the command ends before the view shows it, and its answers are counted from here on. */
  static async newChat(window: Window): Promise<Panel> {
    await window.bridge.execute("ragAssistant.newChat");
    const panel = await Panel.ready(window);
    await until("the chat is empty", async () => (await panel.answers.count()) === 0);
    return panel;
  }

  get composer(): Locator {
    return this.frame.getByTestId("composer");
  }

  get answers(): Locator {
    return this.frame.getByTestId("message-assistant");
  }

  get lastAnswer(): Locator {
    return this.answers.last();
  }

  /** The composer shows, and what can be chosen beside it has come from the daemon. */
  async takesQuestions(patience = START_MS): Promise<void> {
    const picker = this.frame.locator("[data-picker=model]");
    try {
      await until(
        "the panel takes questions",
        async () => (await this.composer.isVisible()) && (await picker.isVisible()),
        patience,
      );
    } catch (error) {
      throw new Error(`The panel shows: ${await this.frame.locator("body").innerText()}`, { cause: error });
    }
  }

  /** Choose in one of the composer's pickers: collection, strategy or model. */
  async choose(picker: "collection" | "strategy" | "model", label: string): Promise<void> {
    await this.frame.locator(`[data-picker=${picker}]`).click();
    await this.frame.getByRole("menuitemradio", { name: label }).click();
  }

  async send(text: string): Promise<void> {
    const before = await this.answers.count();
    await this.composer.fill(text);
    await this.composer.press("Enter");
    await until("the question is taken", async () => (await this.answers.count()) > before);
  }

  /** Ask, and wait for the end of the answer. */
  async ask(text: string, patience = PATIENCE_MS): Promise<Locator> {
    await this.send(text);
    await this.finished(patience);
    return this.lastAnswer;
  }

  /** Ask the last question once more, by the button of its failed answer, and wait for the end of the new answer. */
  async tryAgain(): Promise<Locator> {
    await this.lastAnswer.getByRole("button", { name: "Try Again", exact: true }).click();
    const state = (): Promise<string | null> => this.lastAnswer.getAttribute("data-state");
    await until("the question is taken again", async () => (await state()) !== "failed");
    await this.finished();
    return this.lastAnswer;
  }

  async finished(patience = PATIENCE_MS): Promise<void> {
    const state = (): Promise<string | null> => this.lastAnswer.getAttribute("aria-busy");
    await until("the answer ends", async () => (await state()) === "false", patience);
  }

  /** Open the last answer's passage at this place of this source, by the list of passages. */
  async openPassage(source: string, place: string): Promise<void> {
    const list = this.lastAnswer.locator("details.passages");
    if ((await list.getAttribute("open")) === null) await list.locator("summary").click();
    await list.locator(`button[title="${source}"]`).filter({ hasText: place }).first().click();
  }

  /** Drop files from outside the editor onto the panel. */
  async drop(...paths: readonly string[]): Promise<void> {
    const files = paths.map((path) => ({ name: basename(path), base64: readFileSync(path).toString("base64") }));
    const body = this.frame.locator("body");
    const dataTransfer = await body.evaluateHandle((_body, given) => {
      const transfer = new DataTransfer();
      for (const { name, base64 } of given) {
        transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      }
      return transfer;
    }, files);
    await body.dispatchEvent("dragenter", { dataTransfer });
    await this.frame.getByTestId("drop-zone").waitFor({ state: "visible" });
    await body.dispatchEvent("drop", { dataTransfer });
  }

  async screenshot(name: string): Promise<string> {
    return await this.window.screenshot(name);
  }
}
