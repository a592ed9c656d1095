/** The whole view while there is nothing to talk to: first set-up, starting, and when something needs attention. */

import * as l10n from "@vscode/l10n";

import type { PanelDaemonState } from "../../../src/protocol/chat";
import type { SetupProgress } from "../../../src/protocol/setup";
import { h } from "../../shared/dom";
import { icon, type IconName } from "../../shared/icons";

import type { Announcer } from "../controls/announcer";
import {
  iconButton,
  noticeLine,
  problemBox,
  progressBar,
  setProgress,
  spinner,
  textButton,
} from "../controls/controls";
import type { Send } from "../types";

type StepState = SetupProgress["steps"][number]["state"];

export class SetupScreen {
  readonly element = h("main", { class: "screen", "aria-label": "RAG Assistant" });
  /** What is built now; the same kind is only brought up to date, so that the focus stays. */
  private built = "";
  private update: (view: PanelDaemonState) => void = () => undefined;

  constructor(
    private readonly send: Send,
    private readonly live: Announcer,
  ) {}

  show(view: PanelDaemonState): void {
    const kind = view.kind === "setup" ? `setup ${view.setup.state}` : view.kind;
    if (kind !== this.built) {
      const hadFocus = this.element.contains(document.activeElement);
      this.built = kind;
      this.build(view);
      if (hadFocus) this.element.querySelector<HTMLElement>("button")?.focus();
    }
    this.update(view);
  }

  private build(view: PanelDaemonState): void {
    this.update = () => undefined;
    if (view.kind === "setup" && view.setup.state === "idle") this.buildWelcome();
    else if (view.kind === "setup") this.buildProgress(view.setup);
    else if (view.kind === "attention") {
      this.live.say(view.problem.message);
      this.fill(heading("warning", l10n.t("RAG Assistant needs your attention")));
      const place = h("div");
      this.element.append(place);
      this.update = (now) => {
        if (now.kind === "attention") place.replaceChildren(problemBox(now.problem, this.send));
      };
    } else this.fill();
  }

  private buildWelcome(): void {
    this.fill(
      heading("book", l10n.t("Ask your own documents")),
      h(
        "p",
        {},
        l10n.t(
          "RAG Assistant answers from your documents and shows the passages that it used. It runs on this machine.",
        ),
      ),
      this.start(l10n.t("Set Up RAG Assistant")),
      h("h2", {}, l10n.t("What will happen")),
      h(
        "ul",
        { class: "plan" },
        point("check", l10n.t("A Python environment of its own is made; yours is not changed.")),
        point("check", l10n.t("A search model is fetched, once. It takes 85 MB on the disk.")),
        point("check", l10n.t("It needs about 1 GB of disk and a few minutes. You can cancel, and go on later.")),
      ),
      h("p", { class: "quiet" }, l10n.t("Needs Python 3.11 or newer, or uv."), " ", this.choosePython()),
    );
  }

  private buildProgress({ state }: SetupProgress): void {
    const title = {
      idle: "",
      running: l10n.t("Setting up RAG Assistant"),
      failed: l10n.t("The set-up did not finish"),
      cancelled: l10n.t("The set-up was cancelled"),
    }[state];
    const bar = progressBar(l10n.t("Progress of this step"), null);
    const status = h("p", { class: "status" });
    const steps = h("ol", { class: "steps", "aria-label": l10n.t("Steps") });
    const problem = h("div");
    const log = iconlessLink(l10n.t("Show Log"), () =>
      this.send("problem.action", { command: "ragAssistant.showLog" }),
    );
    this.fill(heading(state === "failed" ? "warning" : "book", title), steps);
    if (state === "running") {
      this.element.append(
        bar,
        status,
        h(
          "div",
          { class: "buttons" },
          textButton(l10n.t("Cancel"), () => this.send("setup.cancel", {})),
        ),
        log,
      );
    } else if (state === "cancelled") {
      const text = l10n.t("What is done is kept. The set-up goes on where it was.");
      this.element.append(h("p", {}, text), this.start(l10n.t("Continue")), log);
    } else this.element.append(problem, h("p", { class: "quiet" }, this.choosePython()));
    this.live.say(title);
    let announced = "";
    this.update = (view) => {
      if (view.kind !== "setup") return;
      const { setup } = view;
      steps.replaceChildren(...setup.steps.map(stepLine));
      setProgress(bar, setup.fraction);
      status.textContent = setup.status;
      const current = setup.steps.find((step) => step.state === "running")?.title ?? "";
      if (current !== "" && current !== announced) this.live.say((announced = current));
      if (setup.problem && setup.state === "failed") {
        // Which does what "Set Up" would do here, too.
        const actions = setup.problem.actions.filter(({ command }) => command !== "ragAssistant.setup");
        problem.replaceChildren(problemBox({ ...setup.problem, actions }, this.send, this.start(l10n.t("Try Again"))));
      }
    };
  }

  private start(label: string): HTMLElement {
    return textButton(label, () => this.send("setup.start", {}), true, { "data-testid": "setup" });
  }

  private choosePython(): HTMLElement {
    return iconlessLink(l10n.t("Choose a Python…"), () => this.send("setup.choosePython", {}));
  }

  private fill(...children: HTMLElement[]): void {
    this.element.replaceChildren(...children);
  }
}

function heading(name: IconName, text: string): HTMLElement {
  return h("div", { class: "screen-head" }, icon(name), h("h1", {}, text));
}

function point(name: IconName, text: string): HTMLElement {
  return h("li", {}, icon(name), h("span", {}, text));
}

function iconlessLink(label: string, onclick: () => void): HTMLElement {
  return h("button", { type: "button", class: "link", onclick }, label);
}

function stepLine({ title, state, note }: SetupProgress["steps"][number]): HTMLElement {
  const marks: Record<StepState, [IconName, string]> = {
    waiting: ["circle", l10n.t("waiting")],
    running: ["loading", l10n.t("under way")],
    done: ["check", l10n.t("done")],
    failed: ["error", l10n.t("failed")],
  };
  const [name, word] = marks[state];
  return h(
    "li",
    { class: `step ${state}`, "aria-current": state === "running" ? "step" : undefined },
    icon(name),
    h("span", { class: "step-title" }, title, h("span", { class: "unseen" }, `, ${word}`)),
    note !== "" && h("span", { class: "step-note" }, note),
  );
}

/** The same, in a line above the composer, while a conversation is shown. */
export function daemonBanner(view: PanelDaemonState, send: Send): HTMLElement | null {
  if (view.kind === "attention") return h("div", { class: "banner" }, problemBox(view.problem, send));
  if (view.kind === "starting") {
    return h(
      "div",
      { class: "banner" },
      h("p", { class: "notice" }, spinner(), h("span", {}, view.detail || l10n.t("Starting RAG Assistant"))),
    );
  }
  if (view.kind === "setup") return h("div", { class: "banner" }, setupBanner(view.setup, send));
  return null;
}

function setupBanner({ state, status, problem }: SetupProgress, send: Send): HTMLElement {
  if (state === "running") {
    const cancel = iconButton("close", l10n.t("Cancel"), () => send("setup.cancel", {}));
    return h("p", { class: "notice" }, spinner(), h("span", {}, status), cancel);
  }
  if (state === "failed" && problem) return problemBox(problem, send);
  const line = noticeLine(l10n.t("RAG Assistant is not set up yet."));
  const begin = state === "cancelled" ? l10n.t("Continue") : l10n.t("Set Up");
  line.append(textButton(begin, () => send("setup.start", {}), true));
  return line;
}
