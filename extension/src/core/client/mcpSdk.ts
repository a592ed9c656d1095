/**
 * The official client of MCP as we use it. It is large, so it has a bundle of its own (dist/mcp.cjs), which is read when the
 * transport is first used. Nothing of ours may be imported here: the bundle would hold a second copy of it.
 */

import {
  Client,
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
} from "@modelcontextprotocol/client";

export { ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
export type { Client, ContentBlock } from "@modelcontextprotocol/client";

/** The code under which a call fails whose connection broke off before its answer came. */
export const BROKEN_OFF = -32_000;

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** The SDK leaves a call alone whose stream ends without an answer; here it fails at once. */
class Transport extends StreamableHTTPClientTransport {
  override send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!("method" in message && "id" in message)) return super.send(message, options);
    // After the answer it does nothing: by then nobody waits under this id.
    const onRequestStreamEnd = (): void =>
      this.onmessage?.({
        jsonrpc: "2.0",
        id: message.id,
        error: { code: BROKEN_OFF, message: "The connection broke off." },
      });
    return super.send(message, { ...options, onRequestStreamEnd });
  }
}

/** A client that has greeted the server at `url`. */
export async function open(url: string, token: string, fetch: FetchLike): Promise<Client> {
  const client = new Client({ name: "rag-assistant-vscode", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const once = { initialReconnectionDelay: 0, maxReconnectionDelay: 0, reconnectionDelayGrowFactor: 1, maxRetries: 0 };
  await client.connect(new Transport(new URL(url), { fetch, requestInit, reconnectionOptions: once }));
  return client;
}
