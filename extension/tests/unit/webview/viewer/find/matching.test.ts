import { describe, expect, it } from "vitest";

import { BOUNDARY, fold, matches, original } from "../../../../../webview/viewer/find/matching";

/** What of the text the query is found in. */
function found(text: string, query: string): string[] {
  const { text: folded, places } = fold(text);
  const needle = fold(query).text;
  return matches(folded, needle).map((at) => text.slice(...original(text, places, at, needle.length)));
}

describe("a text is found", () => {
  it("whatever its case and width", () => {
    expect(found("The ABC and ＡＢＣ", "abc")).toEqual(["ABC", "ＡＢＣ"]);
    expect(found("ﬁnd the İ", "find")).toEqual(["ﬁnd"]);
  });

  it("across the ends of lines, where a blank is a blank", () => {
    expect(found("one  \n two\u00a0three", "ONE two three")).toEqual(["one  \n two\u00a0three"]);
    expect(found("onetwo", "one two")).toEqual([]);
  });

  it("in words that a line's end divides, and not without the hyphen that belongs to them", () => {
    expect(found("hyphen-\nated and soft\u00adly", "hyphenated")).toEqual(["hyphen-\nated"]);
    expect(found("soft\u00adly", "softly")).toEqual(["soft\u00adly"]);
    expect(found("re-read", "reread")).toEqual([]);
    expect(found("Anti-\nBody", "antibody")).toEqual([]);
  });

  it("in Japanese and Chinese wherever the line breaks", () => {
    expect(found("保守\n点検 を行う", "保守点検を")).toEqual(["保守\n点検 を"]);
    expect(found("Kubernetes の設定", "kubernetesの設定")).toEqual(["Kubernetes の設定"]);
  });

  it("with signs and beyond the first plane, at its own place", () => {
    expect(found("𝒜 x <foo>_<bar> C++", "<foo>_")).toEqual(["<foo>_"]);
    expect(found("C++ and C", "c++")).toEqual(["C++"]);
    expect(found("😀 b 😀", "😀")).toEqual(["😀", "😀"]);
  });

  it("never across blocks, and not for nothing", () => {
    expect(found(`one${BOUNDARY}two`, "one two")).toEqual([]);
    expect(found("one two", "  ")).toEqual([]);
  });
});
