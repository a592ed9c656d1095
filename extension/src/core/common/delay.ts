/** Waiting that can be called off. */

/** Rejects with the signal's reason when that comes first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Looks again and again until `isSo`; false when it was not within `ms`. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + ms;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() >= end) return false;
    await pause(100, signal);
  }
}
