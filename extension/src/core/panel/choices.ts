/** What the webview offers: collections, strategies and models, and what is asked with when nothing is chosen. */

import type { Choices, ModelChoice } from "../../protocol/chat";
import type { AskOptions } from "../../protocol/session";
import type { Log } from "../common/log";
import type { DaemonService } from "../daemon/status";
import { logFailure } from "../problems/failures";

/** The ways to search that every daemon knows. Named strategies are files of a daemon, which it does not list. */
const STRATEGIES = ["hybrid", "dense_only", "sparse_only"];

export interface PanelSettings {
  /** Empty: none is set. */
  collection: string;
  model: string;
  passages: number;
}

export class ChoiceLoader {
  private loading = false;
  private again = false;
  private latest: Choices | null = null;

  constructor(
    private readonly daemon: Pick<DaemonService, "status">,
    private readonly models: () => Promise<ModelChoice[]>,
    private readonly settings: () => PanelSettings,
    private readonly changed: (choices: Choices) => void,
    private readonly log: Log,
  ) {}

  /** Null until the daemon was ready once. */
  get choices(): Choices | null {
    return this.latest;
  }

  /** The question's own options, and the defaults where they leave something out. */
  complete(options: AskOptions): AskOptions {
    const { collection, passages } = this.settings();
    return { ...(collection ? { collection } : {}), topK: passages, ...options };
  }

  /** Loads them anew; calls while that goes on are made up for by one more at its end. */
  async refresh(): Promise<void> {
    if (this.loading) {
      this.again = true;
      return;
    }
    this.loading = true;
    try {
      do {
        this.again = false;
        await this.load();
      } while (this.needsAgain());
    } catch (error) {
      // The next change of the daemon brings the next try.
      logFailure(this.log, "Could not load the choices of the panel", error);
    } finally {
      this.loading = false;
    }
  }

  private needsAgain(): boolean {
    return this.again;
  }

  private async load(): Promise<void> {
    const { status } = this.daemon;
    if (status.kind !== "ready") return;
    const [all, models] = await Promise.all([status.client.collections(), this.models()]);
    const collections = all.filter((one) => one.status === "enabled");
    const { collection, model, passages } = this.settings();
    const chosen = models.some(({ id }) => id === model)
      ? model
      : models.find(({ id }) => id.startsWith(`${model}:`))?.id;
    this.latest = {
      collections,
      strategies: STRATEGIES,
      models,
      defaults: { ...(collection ? { collection } : {}), ...(chosen ? { model: chosen } : {}), topK: passages },
    };
    this.changed(this.latest);
  }
}
