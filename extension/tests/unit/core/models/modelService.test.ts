import { describe, expect, it } from "vitest";

import { modelEnvironment, readModel, type DaemonModel } from "../../../../src/core/daemon/languageModel";
import {
  addressProblem,
  findOllama,
  keyProblem,
  listModels,
  ollamaAddress,
  tryModel,
  type Fetch,
} from "../../../../src/core/models/modelService";

const SIGNAL = new AbortController().signal;
const SERVICE: DaemonModel = { provider: "openai_compatible", url: "http://models/v1", model: "tiny", key: "sk-secret-1" };

interface Asked {
  url: string;
  init: RequestInit;
}

function answering(status: number, body: unknown, asked: Asked[] = []): Fetch {
  return (url, init) => {
    asked.push({ url, init });
    return Promise.resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));
  };
}

const refusing: Fetch = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }));

describe("Ollama on this machine", () => {
  it.each([
    [undefined, "http://127.0.0.1:11434"],
    ["", "http://127.0.0.1:11434"],
    ["127.0.0.1:4711", "http://127.0.0.1:4711"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["http://localhost:80/", "http://localhost:11434"],
    ["gpu-box:11434", "http://127.0.0.1:11434"],
    ["https://127.0.0.1:1", "http://127.0.0.1:11434"],
    ["http://127.0.0.1.evil.example:1", "http://127.0.0.1:11434"],
    ["[::1]:5", "http://[::1]:5"],
    ["::", "http://127.0.0.1:11434"],
  ])("is looked for on this machine alone: OLLAMA_HOST %s", (given, address) => {
    expect(ollamaAddress({ OLLAMA_HOST: given })).toBe(address);
  });

  it("offers the models that can write, and none where none answers", async () => {
    const models = [{ name: "llama3:8b" }, { name: "nomic-embed-text" }, { name: 3 }, "x", { name: "<img src=x>" }];
    expect(await findOllama("http://127.0.0.1:1", answering(200, { models }), SIGNAL)).toEqual(["llama3:8b"]);
    expect(await findOllama("http://127.0.0.1:1", refusing, SIGNAL)).toEqual([]);
    expect(await findOllama("http://127.0.0.1:1", answering(200, "hello"), SIGNAL)).toEqual([]);
    expect(await findOllama("http://127.0.0.1:1", answering(500, {}), SIGNAL)).toEqual([]);
  });
});

describe("a service of language models", () => {
  it("is asked for its models with the key, and by no redirect", async () => {
    const asked: Asked[] = [];
    const data = [{ id: "b" }, { id: "a" }, { id: "a" }];
    expect(await listModels(SERVICE, answering(200, { data }, asked), SIGNAL)).toEqual(["a", "b"]);
    expect(asked[0]?.url).toBe("http://models/v1/models");
    expect(asked[0]?.init.headers).toMatchObject({ Authorization: "Bearer sk-secret-1" });
    expect(asked[0]?.init.redirect).toBe("error");
  });

  it("of Anthropic is asked as it wants to be", async () => {
    const asked: Asked[] = [];
    const model: DaemonModel = { provider: "anthropic", url: "", model: "m", key: "k-1234" };
    await tryModel(model, answering(200, { content: [] }, asked), SIGNAL);
    expect(asked[0]?.url).toBe("https://api.anthropic.com/v1/messages");
    expect(asked[0]?.init.headers).toMatchObject({ "x-api-key": "k-1234" });
    expect(asked[0]?.init.headers).not.toHaveProperty("Authorization");
  });

  it.each([
    [401, {}, "refused the key"],
    [404, {}, "often ends in /v1"],
    [500, { error: { message: "no room for sk-secret-1" } }, "no room for ****"],
    [200, "<html>", "something else"],
    [200, { choices: "x" }, "something else"],
    [200, "[]", "something else"],
  ])("that answers %i %j says what to correct, and never the key", async (status, body, said) => {
    const failure = await tryModel(SERVICE, answering(status, body), SIGNAL).then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(failure).toContain(said);
    expect(failure).not.toContain("sk-secret-1");
  });

  it("that can't be reached says why", async () => {
    await expect(listModels(SERVICE, refusing, SIGNAL)).rejects.toThrow("ECONNREFUSED");
  });

  it("that sends without end is given up", async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)) });
    const fetch: Fetch = () => Promise.resolve(new Response(endless));
    await expect(listModels(SERVICE, fetch, SIGNAL)).rejects.toThrow("something else");
  });
});

describe("what is typed", () => {
  it("is an address of a service, without secrets in it", () => {
    expect(addressProblem("http://127.0.0.1:1234/v1")).toBeUndefined();
    for (const wrong of ["", "models", "file:///etc/passwd", "https://me:pw@models/v1", "https://models/v1?key=x"]) {
      expect(addressProblem(wrong)).toBeTruthy();
    }
  });

  it("is a key of one line of plain characters", () => {
    expect(keyProblem(" sk-1 ")).toBeUndefined();
    for (const wrong of ["a b", "a\nb", "ключ"]) expect(keyProblem(wrong)).toBeTruthy();
  });
});

describe("the model that was added", () => {
  it("reaches the daemon's settings by reference", () => {
    const env = modelEnvironment(SERVICE);
    const settings = Object.entries(env).filter(([name]) => name.startsWith("RAG_"));
    expect(Object.fromEntries(settings)).toMatchObject({
      RAG_LLM__PROVIDER: "openai_compatible",
      RAG_LLM__MODEL: "tiny",
      RAG_LLM__URL: "http://models/v1",
    });
    expect(JSON.stringify(settings)).not.toContain("sk-secret-1");
    const [, name = ""] = (env["RAG_LLM__API_KEY"] ?? "").split(":");
    expect(env[name]).toBe("sk-secret-1");
    // Sources may name variables of this prefix.
    expect(name).not.toMatch(/^RAG_SECRET_/);
    expect(modelEnvironment(undefined)).toEqual({});
  });

  it("is read as it was kept, and anything else is none", () => {
    expect(readModel(JSON.stringify(SERVICE))).toEqual(SERVICE);
    for (const wrong of [undefined, "", "x", "null", "{}", JSON.stringify({ ...SERVICE, provider: "none" })]) {
      expect(readModel(wrong)).toBeUndefined();
    }
    expect(readModel(JSON.stringify({ ...SERVICE, model: "" }))).toBeUndefined();
  });
});
