/** The connection between a webview and the extension. */

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

/** Messages are `{type, …payload}`, by the maps in `src/protocol`. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a webview names its two maps once, here
export class Host<Out, In extends { type: string }, State> {
  private readonly api = acquireVsCodeApi();

  send<Type extends keyof Out & string>(type: Type, payload: Out[Type]): void {
    this.api.postMessage({ type, ...payload });
  }

  /** From now on, and first those that came before this script. */
  onMessage(listener: (message: In) => void): void {
    window.onmessage = null;
    for (const message of (globalThis as { early?: In[] }).early?.splice(0) ?? []) listener(message);
    window.addEventListener("message", (event: MessageEvent<In>) => listener(event.data));
  }

  /** What `saveState` was last given; it lasts while the webview is hidden or the window reloads. */
  savedState(): State | undefined {
    return this.api.getState() as State | undefined;
  }

  saveState(state: State): void {
    this.api.setState(state);
  }
}
