/** Whether this key press sends. While an input method composes, Enter takes its suggestion. */
export function isSendKey(event: KeyboardEvent): boolean {
  // Safari ends the composition before it tells of the key; only the old code 229 gives it away then.
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- see above
  return event.key === "Enter" && !event.shiftKey && !event.altKey && !event.isComposing && event.keyCode !== 229;
}
