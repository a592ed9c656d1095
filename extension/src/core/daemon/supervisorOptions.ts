/** What a window's supervisor of the daemon needs. */

import type { ConnectContext } from "./connectContext";
import type { ServerSpec } from "./serverSpec";
import type { StopMark } from "./stopMark";

export interface SupervisorOptions extends ConnectContext {
  /** The server to use now. Throws `RagError` for settings that are wrong. */
  resolve(): Promise<ServerSpec>;
  stopMark: StopMark;
  /** Milliseconds before a further try; shorter in tests. */
  delayAfter?: (failures: number) => number;
}
