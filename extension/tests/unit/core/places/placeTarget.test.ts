import { describe, expect, it } from "vitest";

import type { Citation, DocumentDetail } from "../../../../src/core/api/types";
import { isOnThisMachine } from "../../../../src/core/client/connection";
import { citedPlace } from "../../../../src/core/places/citationLink";
import { placeTarget } from "../../../../src/core/places/placeTarget";
import { citation, detail } from "../../fixtures/documents";

const here = () => "here" as const;

function target(doc_type: DocumentDetail["doc_type"], uri: string, place: Partial<Citation>) {
  return placeTarget(citedPlace(citation(place)).place, detail({ doc_type, source_uri: uri }), here);
}

describe("placeTarget", () => {
  it.each<DocumentDetail["doc_type"]>(["markdown", "text", "code", "csv", "notebook", "html"])(
    "opens lines of %s in the editor",
    (type) => {
      expect(target(type, "file:///srv/docs/a", { line_range: [10, 20] })).toEqual({
        kind: "editor",
        uri: "file:///srv/docs/a",
        lines: [10, 20],
      });
    },
  );

  it.each([
    "file:///C:/Users/%E7%94%B0%E4%B8%AD/%E6%89%8B%E9%A0%86.md",
    "file:///c%3A/Daten/Liste.csv",
    "file://server/share/a.md",
    "file:///srv/docs/%E4%BC%9A%E8%AD%B0/2026-01-20_%E5%AE%9A%E4%BE%8B%E4%BC%9A%E8%AD%B0.txt",
  ])("keeps %s as it is", (uri) => {
    expect(target("text", uri, { line_range: [1, 2] })).toEqual({ kind: "editor", uri, lines: [1, 2] });
  });

  it.each<[DocumentDetail["doc_type"], Partial<Citation>]>([
    ["pdf", { page: 3 }],
    ["pptx", { slide: 4 }],
    ["xlsx", { sheet: "Nodes", cell_range: "A1:B2" }],
    ["docx", {}],
    ["email", {}],
    ["image", { bbox: [0, 0, 1, 1] }],
    ["html", {}],
  ])("shows a place in %s without lines in the viewer", (type, place) => {
    expect(target(type, "file:///srv/docs/a", place)).toEqual({ kind: "viewer" });
  });

  it.each(["https://wiki.example.com/x", "http://jira.example.com/browse/KEY-1"])("opens %s in the browser", (uri) => {
    expect(target("confluence", uri, { line_range: [1, 2] })).toEqual({ kind: "browser", url: uri });
  });

  it.each([
    ["https://example.atlassian.net/wiki/spaces/DEV/pages/12", "#Time-outs-and-retries.1"],
    ["https://example.atlassian.net/wiki/spaces/DEV/pages/12", "?focusedCommentId=34"],
    ["https://wiki.example.com/pages/viewpage.action?pageId=12", "&focusedCommentId=34#comment-34"],
    ["https://wiki.example.com/x/AbC", "#%E9%81%8B%E7%94%A8-%E5%86%8D%E8%A9%A6%E8%A1%8C"],
  ])("opens %s at %s, exactly as it is written", (uri, anchor) => {
    expect(target("confluence", uri, { anchor })).toEqual({ kind: "browser", url: uri + anchor });
  });

  it.each(["command:workbench.action.quit", "javascript:alert(1)", "vscode://a/b", "not an address", ""])(
    "opens nothing by itself for %j",
    (uri) => {
      expect(target("text", uri, { line_range: [1, 2] })).toEqual({ kind: "viewer" });
    },
  );

  it.each(["gone", "elsewhere"] as const)("shows what was read when the file is %s", (file) => {
    const place = citedPlace(citation({ line_range: [1, 2] })).place;
    expect(placeTarget(place, detail(), () => file)).toEqual({ kind: "viewer", file });
  });
});

it("knows a daemon of this machine by its address", () => {
  expect(["http://127.0.0.1:8000", "http://localhost:1", "http://[::1]:2"].every(isOnThisMachine)).toBe(true);
  expect(isOnThisMachine("http://192.168.1.5:8000")).toBe(false);
});
