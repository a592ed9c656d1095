/**
 * Requests to the daemon: from a browser by `fetch` with the key of its session, inside the editor by messages to the extension,
 * which holds the token. Pages know neither.
 */

/**
 * @typedef {object} Request
 * @property {"GET" | "POST" | "PATCH" | "DELETE"} method
 * @property {string} path
 * @property {unknown} [body]
 * @property {"json" | "bytes"} [as]
 */

/** @typedef {{ send(request: Request, signal?: AbortSignal): Promise<any>, watch(path: string, on: (event: string, data: any) => void, signal: AbortSignal): Promise<void> }} Transport */

export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** @type {Transport} */
let transport;

/** @param {Transport} chosen */
export function useTransport(chosen) {
  transport = chosen;
}

/**
 * @param {string} path
 * @param {Record<string, string | number | boolean | readonly string[] | null | undefined>} [query] what is null or empty is left out
 */
export function address(path, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) if (one !== undefined && one !== null && one !== "") parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

/**
 * @param {string} path
 * @param {Parameters<typeof address>[1]} [query]
 * @param {AbortSignal} [signal]
 */
export const get = (path, query, signal) => transport.send({ method: "GET", path: address(path, query) }, signal);

/**
 * @param {"POST" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {unknown} [body]
 */
export const send = (method, path, body) => transport.send({ method, path, body });

/**
 * A picture as the address of an object of this page.
 * @param {string} path
 * @param {Parameters<typeof address>[1]} [query]
 */
export async function picture(path, query) {
  const bytes = await transport.send({
    method: "GET",
    path: address(path, query),
    as: "bytes",
  });
  return URL.createObjectURL(new Blob([bytes]));
}

/**
 * Server-sent events, until the signal ends them.
 * @param {string} path
 * @param {(event: string, data: any) => void} on
 * @param {AbortSignal} signal
 */
export const watch = (path, on, signal) => transport.watch(path, on, signal);

/** @param {string} id */
export const part = (id) => encodeURIComponent(id);

const KEY = "ragd.dashboard.key";

/** The transport of a browser. The key comes once, behind the # of the address, and is kept for this host and port alone. */
export function browserTransport() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) {
    localStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return fetchTransport(() => localStorage.getItem(KEY) ?? "");
}

/**
 * @param {() => string} key
 * @returns {Transport}
 */
export function fetchTransport(key) {
  /**
   * @param {Request} request
   * @param {AbortSignal} [signal]
   */
  async function answer({ method, path, body }, signal) {
    /** @type {Record<string, string>} */
    const headers = { "X-Dashboard-Key": key() };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    /** @type {RequestInit} */
    const options = {
      method,
      headers,
      redirect: "error",
      ...(signal ? { signal } : {}),
    };
    if (body !== undefined) options.body = JSON.stringify(body);
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ApiError("DAEMON_UNREACHABLE", error instanceof Error ? error.message : String(error));
    }
    if (!response.ok) throw await failure(response);
    return response;
  }
  return {
    async send(request, signal) {
      const response = await answer(request, signal);
      if (request.as === "bytes") return response.arrayBuffer();
      return response.status === 204 ? undefined : response.json();
    },
    async watch(path, on, signal) {
      const response = await answer({ method: "GET", path }, signal);
      if (response.body) await readEvents(response.body, on);
    },
  };
}

/** @param {Response} response */
async function failure(response) {
  try {
    const { error } = await response.json();
    return new ApiError(error.code, error.message);
  } catch {
    return new ApiError("DAEMON_UNREACHABLE", `HTTP ${response.status}`);
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {(event: string, data: any) => void} on
 */
async function readEvents(body, on) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).map((line) => /^(\w+):\s?(.*)$/.exec(line));
      const event = fields.find((field) => field?.[1] === "event")?.[2] ?? "message";
      const data = fields.flatMap((field) => (field?.[1] === "data" ? [field[2]] : [])).join("\n");
      if (data) on(event, JSON.parse(data));
    }
  }
}
