// @vitest-environment jsdom
import { describe, expect, it } from "vitest";

import { sessionHtml } from "../../../../src/core/sessions/sessionHtml";
import type { AssistantMessage, Session } from "../../../../src/protocol/session";
import { citation } from "../../fixtures/answers";

const AT = "2026-03-01T10:00:00Z";

async function html(question: string, text: string, more: Partial<AssistantMessage> = {}, title = "How long?"): Promise<string> {
  const common = { at: AT, options: {} };
  const answer: AssistantMessage = {
    ...{ id: "a", role: "assistant", state: "done", notices: [], citations: [], support: [] },
    ...{ text, ...common, ...more },
  };
  const session: Session = {
    ...{ id: "s", title, createdAt: AT, updatedAt: AT },
    messages: [{ id: "u", role: "user", text: question, ...common }, answer],
  };
  return sessionHtml(session, "en");
}

async function page(...given: Parameters<typeof html>): Promise<Document> {
  return new DOMParser().parseFromString(await html(...given), "text/html");
}

const shown = (found: Element | null) => found?.textContent.trim();

describe("a chat as a web page", () => {
  it("has questions, answers, notices and sources, to which the citations link", async () => {
    const web = citation(2, "", { title: "Wiki", source: "SPACE/Page", source_uri: "https://wiki.example/a?b=1&c=2" });
    const document = await page("How long?\nReally?", "Ninety [2]; `x[2]` and [7].", {
      citations: [citation(1, ""), web],
      notices: ["Cut."],
      by: { kind: "daemon", name: "llama <3>" },
    });
    expect(document.title).toBe("How long?");
    expect(shown(document.querySelector(".question"))).toBe("How long?\nReally?");
    expect(shown(document.querySelector(".notice"))).toBe("Cut.");
    const citations = [...document.querySelectorAll("a.citation")];
    expect(citations.map(shown)).toEqual(["[2]"]);
    const source = document.querySelector(citations[0]?.getAttribute("href") ?? "");
    expect(shown(source)).toBe("[2] Wiki: SPACE/Page, lines 1-3");
    expect(source?.querySelector("a")?.href).toBe("https://wiki.example/a?b=1&c=2");
    expect(shown(document.querySelector("section p.quiet"))).toBe("llama <3>");
  });

  it("shows tables, tasks, code and lists", async () => {
    const text = "| a | b |\n|--:|---|\n| 1 | 2 [1] |\n\n- [x] done\n- [ ] open\n\n```js\nif (a < b) {}\n```\n";
    const document = await page("q", text, { citations: [citation(1, "")] });
    expect(shown(document.querySelector("td.right"))).toBe("1");
    expect(document.querySelector("td a.citation")).not.toBeNull();
    expect([...document.querySelectorAll("main section li")].slice(0, 2).map(shown)).toEqual(["☑ done", "☐ open"]);
    expect(shown(document.querySelector("pre code"))).toBe("if (a < b) {}");
  });

  it("has maths as MathML, and a formula that can't be drawn as it was written", async () => {
    const document = await page("q", "$a^2 < b$ and $$\\frac{1}{2}$$ and $\\nope{$");
    expect(document.querySelectorAll("math")).toHaveLength(2);
    expect(document.querySelector("math[display=block] mfrac")).not.toBeNull();
    expect(document.querySelector("annotation")).toBeNull();
    expect(shown(document.querySelector("p code"))).toBe("\\nope{");
  });

  it("looks right in light and in dark, and runs and loads nothing by its own policy", async () => {
    const text = await html("q", "a");
    expect(text).toContain("prefers-color-scheme: dark");
    expect(text).toContain("content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"");
    expect(text).not.toMatch(/@import|url\(/);
  });

  it("names no path of this machine", async () => {
    expect(await html("q", "Ninety [1].", { citations: [citation(1, "")] })).not.toMatch(/file:|\/srv\//);
  });
});

/** What attackers write into documents, answers and questions. */
const HOSTILE = [
  "<script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  "</div></section></main><script>alert(1)</script>",
  '"><script>alert(1)</script>',
  "'\"><img src=x onerror=alert(1)>",
  "<img src=https://example.com/x.png>",
  "<svg/onload=alert(1)>",
  "<svg><style><img src=x onerror=alert(1)></style></svg>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data=javascript:alert(1)><embed src=javascript:alert(1)>",
  "<base href=https://example.com/><form action=https://example.com><input name=a></form>",
  "<meta http-equiv=refresh content='0;url=https://example.com'>",
  "<link rel=stylesheet href=https://example.com/x.css><style>@import 'https://example.com/x.css'</style>",
  "<a href=javascript:alert(1)>x</a>",
  "<!--><img src=x onerror=alert(1)>-->",
  "<![CDATA[<img src=x onerror=alert(1)>]]>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:msgbox)",
  "[x](file:///etc/passwd)",
  "[x](command:workbench.action.quit)",
  "[x](vscode://a/b)",
  "<javascript:alert(1)>",
  "[x]: javascript:alert(1)\n\n[x]",
  '[x](https://example.com/"onmouseover="alert(1))',
  '[x](https://example.com "\\"onmouseover=alert(1)")',
  '[x](#source-1-1"onclick="alert(1))',
  "![x](https://example.com/x.png)",
  '![x" onerror="alert(1)](https://example.com/x.png)',
  '![x](asset://a"onerror="alert(1))',
  "![x](javascript:alert(1))",
  '```html"onclick=alert(1)//\n<script>alert(1)</script>\n```',
  "``` </code></pre><script>alert(1)</script>\nx\n```",
  "`<script>alert(1)</script>`",
  "$<script>alert(1)</script>$",
  "$\\href{javascript:alert(1)}{x}$",
  "$\\url{javascript:alert(1)}$",
  "$\\includegraphics{https://example.com/x.png}$",
  "$\\htmlStyle{background:url(https://example.com)}{x}$",
  "$\\htmlData{x=1}{<img src=x onerror=alert(1)>}$",
  "$\\text{</math><script>alert(1)</script>}$",
  "$\\color{red;background:url(https://example.com)}x$",
  "$\\unknown{<img src=x onerror=alert(1)>$",
  "| <script>alert(1)</script> |\n|---|\n| [x](javascript:alert(1)) |",
  "[1](javascript:alert(1))",
  "\u0000<scr\u0000ipt>alert(1)</script>",
  "＜script＞alert(1)＜/script＞",
];

const ELEMENTS = new Set(
  (
    "HTML HEAD META TITLE STYLE BODY MAIN H1 TIME SECTION H2 DIV P A UL OL LI PRE CODE EM STRONG S BR BLOCKQUOTE HR " +
    "TABLE THEAD TBODY TR TH TD H3 H4 H5 H6 SPAN"
  ).split(" "),
);

/** What acts, or comes from elsewhere, in a page. */
function acting(document: Document): string[] {
  return [...document.querySelectorAll("*")].flatMap((element) => {
    const isMath = element.namespaceURI === "http://www.w3.org/1998/Math/MathML";
    const attributes = [...element.attributes].flatMap(({ name, value }) => {
      const isLink = element.tagName === "A" && name === "href" && /^(https?:|mailto:|#source-\d+-\d+$)/.test(value);
      const isKnown = /^(class|id|lang|charset|content|name|http-equiv|datetime|aria-label|rel|start|xmlns)$/.test(name);
      const isDrawing = isMath && !/^on|href|src|action|url\(|:/i.test(`${name}=${value}`);
      return isLink || isKnown || isDrawing ? [] : [`${element.tagName} ${name}=${value}`];
    });
    return isMath || ELEMENTS.has(element.tagName) ? attributes : [element.tagName, ...attributes];
  });
}

describe.each(HOSTILE)("nothing acts of %j", (hostile) => {
  it("in question, answer, title, notices and sources", async () => {
    const hostiles = { title: hostile, source: hostile, section_path: [hostile], source_uri: `https://example.com/${hostile}` };
    const document = await page(
      hostile,
      `${hostile}\n\nSo [1] ${hostile}`,
      {
        citations: [citation(1, hostile, hostiles), citation(2, hostile, { source_uri: hostile })],
        notices: [hostile],
        error: { code: "X", message: hostile, advice: hostile },
        by: { kind: "editor", name: hostile },
      },
      hostile,
    );
    expect(acting(document)).toEqual([]);
    expect(document.querySelectorAll("meta")).toHaveLength(4);
    expect(document.querySelectorAll("main > section")).toHaveLength(2);
  });
});

it("the test of what acts would see it", () => {
  const bad = '<img src="x"><a href="javascript:alert(1)">x</a><p onclick="x">x</p>';
  expect(acting(new DOMParser().parseFromString(bad, "text/html"))).toHaveLength(4);
});
