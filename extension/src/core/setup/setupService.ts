/** The set-up as the other features see it. */

import type { SetupView } from "../../protocol/setup";
import type { Event } from "../common/events";

export interface SetupService {
  readonly view: SetupView;
  readonly onDidChange: Event<SetupView>;
  /** Runs all steps that are not done yet, then starts the daemon; resolves whether it came to its end. */
  run(): Promise<boolean>;
  cancel(): void;
  choosePython(): Promise<void>;
}
