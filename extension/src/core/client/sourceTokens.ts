/** A person's own tokens for cloud sources: which of them a request brings, and how. They go to a daemon of this machine only. */

import * as l10n from "@vscode/l10n";

import { RagError } from "../common/errors";
import { isOnThisMachine } from "./connection";

export const SOURCE_TOKEN_HEADER = "X-RAG-Source-Token";

/** Stands for the id of a source that is not added yet. */
const NEW = "new";

export interface SourceTokens {
  /** Source id → token. */
  all(): Promise<ReadonlyMap<string, string>>;
}

export const NO_SOURCE_TOKENS: SourceTokens = { all: () => Promise.resolve(new Map()) };

/** Which sources' tokens a request brings: of all, of one, or the token of a source that is about to be added. */
export type TokenScope = "all" | { source: string } | { added: string };

/** The header's value; undefined when there is no token to send, or the daemon is not on this machine. */
export async function tokenHeader(
  tokens: SourceTokens,
  tokenScope: TokenScope,
  daemonUrl: string,
): Promise<string | undefined> {
  if (!isOnThisMachine(daemonUrl)) return undefined;
  const sent = await chosen(tokens, tokenScope);
  if (sent.length === 0) return undefined;
  // The message of a header that can't be sent would hold the token.
  if (!sent.every(([, token]) => tokenProblem(token) === undefined)) {
    throw new RagError("VALIDATION_ERROR", l10n.t("The token that is kept for a source can't be sent. Set it again."));
  }
  return sent.map(([source, token]) => `${source}=${token}`).join(", ");
}

async function chosen(tokens: SourceTokens, tokenScope: TokenScope): Promise<(readonly [string, string])[]> {
  if (tokenScope === "all") return [...(await tokens.all())];
  if ("added" in tokenScope) return tokenScope.added === "" ? [] : [[NEW, tokenScope.added]];
  const token = (await tokens.all()).get(tokenScope.source);
  return token === undefined ? [] : [[tokenScope.source, token]];
}

/** Why a text is no token; undefined when it can be one. Commas stand between several in the header. */
export function tokenProblem(text: string): string | undefined {
  if (text.trim() === "") return l10n.t("Enter the token.");
  return /^[\x21-\x2b\x2d-\x7e]+$/.test(text.trim())
    ? undefined
    : l10n.t("A token has only printable ASCII characters, without blanks and commas.");
}

/** How a token is kept: that of an account's API with the account's e-mail before it. */
export function storedToken(kind: string, email: string, token: string): string {
  return kind === "api_token" && email !== "" ? `${email}:${token.trim()}` : token.trim();
}
