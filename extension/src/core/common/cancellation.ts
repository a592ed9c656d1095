/** Calling off what is under way. */

/** The error that `fetch` throws for a request that was called off. */
export function cancelled(): Error {
  return new DOMException("The operation was called off.", "AbortError");
}

export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled();
}

/**
 * The same values, until `signal` says stop: then it throws at once, also while the source is silent, and the source is told to
 * end without being waited for.
 */
export async function* untilCancelled<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let reject: ((error: Error) => void) | undefined;
  const stop = () => reject?.(cancelled());
  signal.addEventListener("abort", stop);
  let ended = false;
  try {
    for (;;) {
      throwIfCancelled(signal);
      const next = await new Promise<IteratorResult<T>>((resolve, fail) => {
        reject = fail;
        iterator.next().then(resolve, fail);
      });
      if (next.done) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    // A source that is in the middle of a step ends after it; how is nobody's concern any more.
    if (!ended) void iterator.return?.().then(undefined, () => undefined);
  }
}
