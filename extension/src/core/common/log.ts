/** Where the extension writes what it does; the shape of `vscode.LogOutputChannel`. */

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
