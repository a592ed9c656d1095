import type { Metafile } from "esbuild";

export function packageFolder(file: string): string | undefined;
export function isAllowed(expression: string): boolean;
export function writeNotices(root: string, metafiles: Metafile[]): Promise<void>;
