/** Keeps passwords and tokens out of logs and messages. */

const USER_INFO = /([a-z][\w+.-]*:\/\/)[^\s/@'"]+@/gi;
const BEARER = /(bearer\s+)[\w.~+/=-]+/gi;
// Shorter ones would be found in ordinary words.
const SHORTEST_SECRET = 4;

/** Hides what stands before the @ of an address, bearer tokens, and these secrets wherever they stand. */
export function masked(text: string, secrets: readonly string[] = []): string {
  let shown = text;
  for (const secret of [...secrets].sort((one, other) => other.length - one.length)) {
    if (secret.length >= SHORTEST_SECRET) shown = shown.replaceAll(secret, "****");
  }
  return shown.replace(USER_INFO, "$1****@").replace(BEARER, "$1****");
}

/** The passwords of these addresses, as written and decoded. */
export function secretsOf(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    if (!URL.canParse(address)) return [];
    const { password, username } = new URL(address);
    const secret = password || username;
    if (secret === "") return [];
    try {
      return [secret, decodeURIComponent(secret)];
    } catch {
      return [secret]; // a % that encodes nothing
    }
  });
}
