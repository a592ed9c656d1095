/** Pieces of an answer, sent together: a webview that gets every piece of a fast model for itself only draws, and never rests. */

const INTERVAL_MS = 34;

export class Deltas {
  private pieces: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private sentAt = -Infinity;

  constructor(
    private readonly send: (text: string) => void,
    private readonly interval = INTERVAL_MS,
  ) {}

  /** The first piece goes at once, later ones at most every `interval` ms. */
  push(text: string): void {
    this.pieces.push(text);
    const due = this.sentAt + this.interval - performance.now();
    if (due <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), due);
  }

  flush(): void {
    const text = this.pieces.join("");
    this.clear();
    if (text === "") return;
    this.sentAt = performance.now();
    this.send(text);
  }

  /** What was not sent yet is void, or was sent by other means. */
  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pieces = [];
  }
}
