// What each test model answers: a function of what it was asked, so that a test can tell what reached it.
"use strict";

const vscode = require("vscode");

const MODELS = {
  echo: { maxInputTokens: 100_000 },
  slow: { maxInputTokens: 100_000 },
  long: { maxInputTokens: 100_000 },
  huge: { maxInputTokens: 100_000 },
  refuse: { maxInputTokens: 100_000 },
  quota: { maxInputTokens: 100_000 },
  inventor: { maxInputTokens: 100_000 },
  small: { maxInputTokens: 1_000 },
};

const SLOW_PIECES = 200;
const SLOW_PAUSE_MS = 50;
const LONG_SECTIONS = 80;
/** Of 19 lines each: 5,000 lines. */
const HUGE_SECTIONS = 264;

/** Passages by their numbers: `<passage id="1" …>…</passage>` of a tool, or `[1] title` and `<passage>…</passage>` of a prompt. */
function numberedPassages(text) {
  const tagged = [...text.matchAll(/<passage id="(\d+)"[^>]*>([\s\S]*?)<\/passage>/g)];
  if (tagged.length > 0) return tagged.map(([, number, body]) => ({ number: Number(number), body: body.trim() }));
  const headed = [...text.matchAll(/^\[(\d+)\][^\n]*\n<passage>\n([\s\S]*?)\n<\/passage>/gm)];
  return headed.map(([, number, body]) => ({ number: Number(number), body: body.trim() }));
}

/** The first sentence of a passage's running text; of one that has none (a table, code) its first words. */
function firstSentence(passage) {
  const outsideCode = passage.replace(/```[\s\S]*?(```|$)/g, "");
  const prose = outsideCode.split("\n").find((line) => /\p{L}{3}/u.test(line) && !/^\s*[#<|>]/.test(line));
  const text = (prose ?? passage.replace(/[`|#<>*-]+/g, " ")).trim();
  const end = text.search(/[.!?](\s|$)|[。！？]/u);
  return (end < 0 ? text : text.slice(0, end + 1)).slice(0, 300);
}

function quotes(messages) {
  const passages = messages.flatMap(({ text }) => numberedPassages(text));
  const seen = new Map(passages.map((passage) => [passage.number, passage.body]));
  if (seen.size === 0) return "No numbered passages were given.";
  return [...seen].slice(0, 2).map(([number, body]) => `${firstSentence(body)} [${number}]`).join(" ");
}

/** The search tool is called once; the answer then quotes what it gave back. */
function toolCall(messages, options) {
  const wanted = (options.tools ?? []).find((tool) => tool.name === "rag_search");
  const answered = messages.some(({ text }) => text.includes("<call rag_search"));
  if (!wanted || answered) return undefined;
  return { callId: "call-1", name: wanted.name, input: { query: messages.at(-1).text.split("\n").at(-1).slice(0, 200) } };
}

function* pieces(text) {
  for (let start = 0; start < text.length; start += 20) yield text.slice(start, start + 20);
}

function pause(milliseconds, token) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    token.onCancellationRequested(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function* slowly(token) {
  for (let piece = 1; piece <= SLOW_PIECES; piece += 1) {
    yield `piece ${piece} `;
    await pause(SLOW_PAUSE_MS, token);
    if (token.isCancellationRequested) return;
  }
}

/** All that Markdown has; 80 sections are about 10,000 tokens. */
function* atLength(sections) {
  for (let section = 1; section <= sections; section += 1) {
    yield `\n## Section ${section}\n\nThe queue of section ${section} keeps **every** message until it is confirmed [1].\n\n`;
    yield* ["- a list entry about retries\n", "- another one about `timeouts`\n", "  1. nested, and numbered\n\n"];
    yield `| setting | value |\n|---|---|\n| retries | ${section} |\n| wait | ${section * 10} ms |\n\n`;
    yield `\`\`\`python\nfor attempt in range(${section}):\n    client.send(message, wait=${section * 10})\n\`\`\`\n\n`;
    yield* pieces("A closing sentence that is there to make the section as long as a real one is, and it says little else. ");
  }
}

async function* answerOf(id, messages, options, token) {
  switch (id) {
    case "slow":
      yield* slowly(token);
      return;
    case "long":
      yield* atLength(LONG_SECTIONS);
      return;
    case "huge":
      yield* atLength(HUGE_SECTIONS);
      return;
    case "refuse":
      throw vscode.LanguageModelError.Blocked("The test model refuses to answer.");
    case "quota":
      throw new vscode.LanguageModelError("You have exceeded your chat quota.");
    case "inventor":
      yield* pieces("The moon base runs on version 12 of the purple engine [99]. It was opened by a dancing bear in 1850.");
      return;
    default: {
      const call = toolCall(messages, options);
      if (call) yield call;
      else yield* pieces(quotes(messages));
    }
  }
}

module.exports = { MODELS, answerOf };
