/** How long a wait may last: the machine that runs the tests may be slow and busy. */
export const PATIENCE_MS = 180_000;

const PAUSE_MS = 100;

/** Ask until the answer is neither undefined nor false; `what` says in the error what was waited for. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  patience = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patience;
  let problem: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      problem = undefined;
    } catch (error) {
      problem = error;
    }
    if (Date.now() > end) {
      throw new Error(`Waited ${patience / 1000} s in vain: ${what}.`, problem === undefined ? {} : { cause: problem });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
