/** Where the daemon keeps its data, found by the same rules as `rag` itself finds it (`platformdirs`). */

import path from "node:path";

const APP_NAME = "rag-assistant";

/** What the rules look at; a value, so that each platform's rules can be tested on any. */
export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** A relative `RAG_DATA_DIR` is relative to this. */
  cwd: string;
}

/** `RAG_DATA_DIR`, else the platform's user-data folder. */
export function dataDirectory(machine: Machine): string {
  const paths = pathsOf(machine);
  const given = machine.env["RAG_DATA_DIR"];
  if (given) return paths.resolve(machine.cwd, expandUser(given, machine));
  return paths.join(userData(machine), APP_NAME);
}

/** A leading `~` is the home directory. */
export function expandUser(name: string, machine: Pick<Machine, "platform" | "home">): string {
  const isBelowHome = name === "~" || name.startsWith("~/") || (machine.platform === "win32" && name.startsWith("~\\"));
  return isBelowHome ? pathsOf(machine).join(machine.home, name.slice(1)) : name;
}

export function pathsOf({ platform }: Pick<Machine, "platform">): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}

function userData({ platform, env, home }: Machine): string {
  if (platform === "win32") {
    const chosen = env["WIN_PD_OVERRIDE_LOCAL_APPDATA"]?.trim();
    if (chosen && path.win32.isAbsolute(chosen)) return chosen;
    return env["LOCALAPPDATA"] ?? path.win32.join(home, "AppData", "Local");
  }
  const chosen = env["XDG_DATA_HOME"];
  if (chosen && path.posix.isAbsolute(chosen)) return chosen;
  return platform === "darwin"
    ? path.posix.join(home, "Library", "Application Support")
    : path.posix.join(home, ".local", "share");
}
