// @vitest-environment jsdom
/** Mermaid parses what the daemon writes of a diagram, and a label stays one. */
import mermaid from "mermaid";
import { describe, expect, it } from "vitest";

import corpus from "../fixtures/mermaid.json";

interface Vertex {
  text?: string;
  link?: string;
  haveCallback?: boolean;
}

/** Mermaid holds a character reference as these signs until it draws. */
const decoded = (text: string) => text.replace(/ﬂ°°(\d+)¶ß/g, (_all, code: string) => String.fromCodePoint(Number(code)));

describe("Mermaid of the daemon", () => {
  it.each(corpus.map((diagram, index) => [index, diagram.kind, diagram.text] as const))(
    "%i, a %s, is parsed",
    async (_index, _kind, text) => {
      expect(await mermaid.parse(text)).toBeTruthy();
    },
  );

  it.each(corpus.filter((diagram) => diagram.kind === "flowchart").map((diagram, index) => [index, diagram] as const))(
    "flow chart %i has its labels and no link",
    async (_index, diagram) => {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- parse() tells nothing of what it read
      const parsed = await mermaid.mermaidAPI.getDiagramFromText(diagram.text);
      const db = parsed.db as unknown as { getVertices(): Map<string, Vertex> };
      const vertices = [...db.getVertices().entries()];
      expect(vertices.map(([, vertex]) => vertex.link ?? vertex.haveCallback)).toEqual(vertices.map(() => undefined));
      const texts = new Map(vertices.map(([id, vertex]) => [id, decoded(vertex.text ?? "")]));
      for (const [index, label] of diagram.labels.slice(0, vertices.length).entries()) {
        const shown = texts.get(`n${index + 1}`);
        expect(shown?.trim()).toBe(label.length > 120 ? `${label.slice(0, 119)}…` : label);
      }
    },
  );
});
