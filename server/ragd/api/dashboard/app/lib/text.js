/** Texts that people see, in their language; and numbers, times and durations as it writes them. */

export const LANGUAGES = { en: "English", ja: "日本語", "zh-cn": "简体中文" };

/** @type {Record<string, string>} */
let translations = {};
let language = "en";
/** Made once each: to make one takes longer than to write a row. @type {Map<number, Intl.NumberFormat>} */
const numberFormats = new Map();
/** @type {Intl.DateTimeFormat | null} */
let timeFormat = null;

/**
 * @param {string} chosen one of `LANGUAGES`
 * @param {Record<string, string>} contents by English text
 */
export function useLanguage(chosen, contents) {
  language = chosen;
  translations = contents;
  numberFormats.clear();
  timeFormat = null;
  document.documentElement.lang = chosen;
}

export const currentLanguage = () => language;

/**
 * The nearest of `LANGUAGES` to what a browser prefers.
 * @param {readonly string[]} wanted
 */
export function nearestLanguage(wanted) {
  for (const one of wanted) {
    const name = one.toLowerCase();
    if (name.startsWith("zh")) return "zh-cn";
    if (name.startsWith("ja")) return "ja";
    if (name.startsWith("en")) return "en";
  }
  return "en";
}

/**
 * A text with `{0}`, `{1}` … filled in. `npm run l10n` finds the first argument, which has to be a literal.
 * @param {string} text
 * @param {...(string | number)} values
 */
export function t(text, ...values) {
  return (translations[text] ?? text).replace(/\{(\d+)\}/g, (whole, index) => String(values[Number(index)] ?? whole));
}

/**
 * @param {number} value
 * @param {number} [digits] behind the point, at most
 */
export function number(value, digits = 0) {
  let format = numberFormats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat(language, { minimumFractionDigits: 0, maximumFractionDigits: digits });
    numberFormats.set(digits, format);
  }
  return format.format(value);
}

/** @param {number | null | undefined} value */
export const score = (value) => (value === null || value === undefined ? "–" : number(value, 3));

/** @param {string | null | undefined} at ISO 8601 */
export function time(at) {
  if (!at) return "–";
  timeFormat ??= new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" });
  return timeFormat.format(new Date(at));
}

/** @param {number | null | undefined} ms */
export function duration(ms) {
  if (ms === null || ms === undefined) return "–";
  if (ms >= 10_000) return t("{0} s", number(ms / 1000, 1));
  return t("{0} ms", number(ms, ms < 10 ? 2 : 0));
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return t("{0} B", number(bytes));
  if (bytes < 1_000_000) return t("{0} kB", number(bytes / 1000, 1));
  if (bytes < 1_000_000_000) return t("{0} MB", number(bytes / 1_000_000, 1));
  return t("{0} GB", number(bytes / 1_000_000_000, 1));
}
