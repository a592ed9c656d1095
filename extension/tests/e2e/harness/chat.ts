import type { Locator } from "playwright-core";

import { PATIENCE_MS, until } from "./wait.ts";
import type { Window } from "./window.ts";

/** The editor's own chat view. */
export class Chat {
  private readonly window: Window;
  private readonly session: Locator;

  constructor(window: Window) {
    this.window = window;
    this.session = window.page.locator(".interactive-session").first();
  }

  get responses(): Locator {
    return this.session.locator(".interactive-response");
  }

  get lastResponse(): Locator {
    return this.responses.last();
  }

  /** The first link of the last answer that names this file. */
  anchor(file: string): Locator {
    return this.lastResponse.locator("a, .chat-inline-anchor-widget").filter({ hasText: file }).first();
  }

  private get input(): Locator {
    return this.session.locator(".chat-input-container .monaco-editor").first();
  }

  async stop(): Promise<void> {
    await this.window.bridge.execute("workbench.action.chat.cancel");
  }

  /** Open the view and choose one of the test kit's models. */
  async open(model = "echo", mode: "ask" | "agent" = "ask"): Promise<void> {
    await this.openWith({ vendor: "rag-test", id: model }, `RAG test ${model}`, mode);
  }

  /** Open the view and choose a model by its vendor and id. */
  async openWith(modelSelector: { vendor: string; id: string }, label: string, mode: "ask" | "agent" = "ask"): Promise<void> {
    await this.window.bridge.execute("workbench.action.chat.open", { mode, modelSelector });
    await this.showsModel(label);
  }

  /** Open the view as people do, with the model that the editor chooses by itself. */
  async openAsItIs(label: string): Promise<void> {
    await this.window.bridge.execute("workbench.action.chat.open", { mode: "ask" });
    await this.showsModel(label);
  }

  private async showsModel(label: string): Promise<void> {
    await this.session.locator(".chat-input-toolbars").getByText(label).first().waitFor({ timeout: PATIENCE_MS });
  }

  /** Begin a conversation that knows nothing of the last one, not even its participant. */
  async startAnew(): Promise<void> {
    await this.window.bridge.execute("workbench.action.chat.newChat");
    await until("the chat is empty", async () => (await this.responses.count()) === 0);
    await this.input.click({ timeout: PATIENCE_MS });
    for (const key of ["Control+A", "Delete"]) await this.window.page.keyboard.press(key);
  }

  /** Type and send a message; don't wait for what comes. */
  async send(text: string): Promise<void> {
    await this.input.click({ timeout: PATIENCE_MS });
    const keyboard = this.window.page.keyboard;
    // What names a participant replaces what is there; anything else is typed behind the sticky participant.
    await keyboard.press(text.startsWith("@") ? "Control+A" : "Control+End");
    await keyboard.type(text, { delay: 5 });
    await keyboard.press("Escape"); // the suggestions would take the Enter
    await keyboard.press("Enter");
  }

  /** Send a message; the text of the finished answer. */
  async ask(text: string): Promise<string> {
    const before = await this.responses.count();
    await this.send(text);
    await until("an answer begins", async () => (await this.responses.count()) > before);
    await this.finished();
    return (await this.lastResponse.innerText()).trim();
  }

  async finished(): Promise<void> {
    const busy = this.session.locator(".interactive-response.chat-response-loading");
    await until("the answer ends", async () => (await busy.count()) === 0 && (await this.responses.count()) > 0);
  }
}
