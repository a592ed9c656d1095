/** The set-up as the other features see it. */

import type { SetupProgress } from "../../protocol/setup";
import type { Event } from "../common/events";

export interface SetupService {
  readonly progress: SetupProgress;
  readonly onDidChange: Event<SetupProgress>;
  /** Runs all steps that are not done yet, then starts the daemon; resolves whether it came to its end. */
  run(): Promise<boolean>;
  cancel(): void;
  choosePython(): Promise<void>;
}
