/** The line between a webview and the extension. */

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

/** Messages are `{type, …payload}`, by the maps in `src/protocol`. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a view names its two maps once, here
export class Host<Out, In extends { type: string }, State> {
  private readonly api = acquireVsCodeApi();

  send<Type extends keyof Out & string>(type: Type, payload: Out[Type]): void {
    this.api.postMessage({ type, ...payload });
  }

  onMessage(listener: (message: In) => void): void {
    window.addEventListener("message", (event: MessageEvent<In>) => listener(event.data));
  }

  /** What `keep` was last given; it lasts while the view is hidden or the window reloads. */
  kept(): State | undefined {
    return this.api.getState() as State | undefined;
  }

  keep(state: State): void {
    this.api.setState(state);
  }
}
