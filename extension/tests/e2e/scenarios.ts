import { Chat } from "./harness/chat.ts";
import type { EditorOptions } from "./harness/editor.ts";
import { firstPath, firstPathOptions } from "./firstPath.ts";
import { Panel } from "./harness/panel.ts";
import { until } from "./harness/wait.ts";
import type { Window } from "./harness/window.ts";
import { QUESTIONS } from "./questions.ts";

/** A state of the extension worth a picture. */
export interface Scenario {
  /** Nothing is set up yet. */
  bare?: boolean;
  /** In place of the samples, the test models and so on. */
  options?(): EditorOptions;
  show(window: Window, inJapanese: boolean): Promise<void>;
}

function question(inJapanese: boolean): string {
  return inJapanese ? QUESTIONS.japanese.text : QUESTIONS.english.text;
}

async function answered(window: Window, inJapanese: boolean): Promise<Panel> {
  const panel = await Panel.ready(window);
  await panel.ask(question(inJapanese));
  return panel;
}

export const SCENARIOS: Record<string, Scenario> = {
  welcome: {
    bare: true,
    async show(window) {
      const panel = await Panel.open(window);
      await panel.frame.getByTestId("setup").waitFor();
    },
  },
  empty: {
    async show(window) {
      await Panel.ready(window);
    },
  },
  answer: {
    async show(window, inJapanese) {
      const panel = await answered(window, inJapanese);
      await panel.lastAnswer.getByTestId("citation").first().click();
      await until("the file opens", async () => (await window.bridge.activeEditor()) !== null);
    },
  },
  passage: {
    async show(window, inJapanese) {
      const panel = await answered(window, inJapanese);
      await panel.lastAnswer.getByTestId("citation").first().hover();
      await panel.frame.locator("#passage-card").waitFor({ state: "visible" });
    },
  },
  why: {
    async show(window, inJapanese) {
      const panel = await answered(window, inJapanese);
      await panel.lastAnswer.locator(".why-button").click();
    },
  },
  history: {
    async show(window, inJapanese) {
      const panel = await answered(window, inJapanese);
      await panel.frame.getByTestId("history").getByRole("button").first().click();
      await panel.frame.locator(".history-open").first().waitFor();
    },
  },
  viewer: {
    async show(window, inJapanese) {
      const { text, source, page } = QUESTIONS.pdf;
      const panel = await Panel.ready(window);
      await panel.ask(text);
      await panel.openPassage(source, inJapanese ? `${page} ページ` : `page ${page}`);
      await window.viewer().locator("img").first().waitFor();
    },
  },
  chat: {
    async show(window, inJapanese) {
      const chat = new Chat(window);
      await chat.open();
      await chat.ask(`@rag ${question(inJapanese)}`);
    },
  },
  "first-3-answer": { bare: true, options: firstPathOptions, show: firstPath },
  tab: {
    async show(window, inJapanese) {
      await answered(window, inJapanese);
      await window.bridge.execute("ragAssistant.openChatInEditor");
      await Panel.inTab(window);
    },
  },
  "chat-search": {
    async show(window, inJapanese) {
      const chat = new Chat(window);
      await chat.open();
      await chat.ask(`@rag /search ${question(inJapanese)}`);
    },
  },
};
