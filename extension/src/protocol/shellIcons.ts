/** The icons, as paths of 16 pixels, that the chat's page shows before its script has come, and the script after it. */

export const SHELL_ICONS = {
  add: "M8 3v10M3 8h10",
  attach: "M13 7.5l-5 5a3 3 0 0 1-4.3-4.2l5.5-5.6a2 2 0 0 1 2.9 2.8l-5.3 5.4a1 1 0 0 1-1.5-1.4l4.8-4.9",
  chevronDown: "M4 6l4 4 4-4",
  history: "M2.5 8A5.5 5.5 0 1 0 4.2 4M2.5 2.5v2.7h2.7M8 5v3.3l2.3 1.4",
  send: "M2.5 2.5L14 8 2.5 13.5 4.3 8zM4.3 8H9",
} as const;
