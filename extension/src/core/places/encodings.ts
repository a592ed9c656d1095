/** Encodings by the names of the daemon (Python's), as the editor calls them. */

const EDITOR_NAMES: Record<string, string> = {
  "utf-16-le": "utf16le",
  "utf-16-be": "utf16be",
  cp932: "shiftjis",
  euc_jp: "eucjp",
  gb18030: "gb18030",
  big5: "cp950",
  euc_kr: "euckr",
  cp1250: "windows1250",
  cp1251: "windows1251",
  cp1252: "windows1252",
  "latin-1": "iso88591",
};

/** Undefined for UTF-8, which the editor reads by itself, and for what the editor has no name for. */
export function editorEncoding(daemonName: unknown): string | undefined {
  return typeof daemonName === "string" ? EDITOR_NAMES[daemonName.toLowerCase()] : undefined;
}
