/** How a daemon is reached. */

export interface Connection {
  /** Without a slash at its end. */
  url: string;
  token: string;
}

/** Whether a daemon at this address reads the files of this machine. */
export function isOnThisMachine(daemonUrl: string): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(daemonUrl).hostname);
}
