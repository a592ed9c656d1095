import { describe, expect, it } from "vitest";

import { exportName, sessionMarkdown } from "../../../../src/core/sessions/sessionExport";
import type { AssistantMessage, Session } from "../../../../src/protocol/session";
import { citation } from "../../fixtures/answers";

const AT = "2026-03-01T10:00:00Z";

function chat(question: string, text: string, more: Partial<AssistantMessage> = {}): string {
  const common = { at: AT, options: {} };
  const answer: AssistantMessage = {
    ...{ id: "a", role: "assistant", state: "done", notices: [], citations: [], support: [] },
    ...{ text, ...common, ...more },
  };
  const session: Session = {
    ...{ id: "s", title: "How *long*?", createdAt: AT, updatedAt: AT },
    messages: [{ id: "u", role: "user", text: question, ...common }, answer],
  };
  return sessionMarkdown(session);
}

describe("a chat as Markdown", () => {
  it("has questions, answers, notices and sources, to which the citations link", () => {
    const web = citation(2, "", { title: "Wiki", source: "SPACE/Page", source_uri: "https://wiki.example/a" });
    const text = chat("How long?\nReally?", "Ninety [2]; `x[2]` and [7].", {
      citations: [citation(1, ""), web],
      notices: ["Cut."],
    });
    expect(text).toBe(
      "# How \\*long\\*?\n\n## Question\n\n> How long?\n> Really?\n\n## Answer\n\n> Cut.\n\n" +
        "Ninety [\\[2\\]](#source-1-2); `x[2]` and.\n\n### Sources\n\n" +
        '- <a id="source-1-2"></a>[2] Wiki: [SPACE/Page](<https://wiki.example/a>), lines 1-3\n',
    );
  });

  it("names no path of this machine", () => {
    expect(chat("How long?", "Ninety [1].", { citations: [citation(1, "")] })).not.toContain("file:");
  });

  it.each([
    "<img src=https://example.com/x.png>",
    "![x](https://example.com/x.png)",
    "\\`<img src=https://example.com/x.png>`",
    "`a\n\n<img src=https://example.com/x.png>`",
    "``` a`b\n<img src=https://example.com/x.png>\n```",
    "```\na\n```\n<img src=https://example.com/x.png>\n```\nb\n```",
    "</p><script>alert(1)</script>",
    "[x](command:workbench.action.quit)",
  ])("has nothing that acts of %s, in question or answer", (hostile) => {
    const text = chat(hostile, hostile);
    expect(text.replace(/<a id="source-[\d-]+"><\/a>/g, "")).not.toMatch(/<[a-z/!]|!\[|\]\(command:/i);
  });

  it("leaves HTML that stands in code as it is", () => {
    const text = chat("Why?", "Use `<b>`:\n\n```html\n<img src=x>\n```\n");
    expect(text).toContain("Use `<b>`:\n\n```html\n<img src=x>\n```");
  });
});

it("a file's name is made of the title, without what a system forbids, and never empty", () => {
  expect(["a/b: c?", "..", "", "x".repeat(200), "長さは？"].map((title) => exportName(title, "md"))).toEqual([
    ...["a b c.md", "chat.md", "chat.md", `${"x".repeat(80)}.md`, "長さは？.md"],
  ]);
});
