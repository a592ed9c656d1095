/** Finds a sentence in the page by its letters and digits alone, whatever markup stands between them, and wraps it. */

const LETTER = /[\p{L}\p{N}]/u;

/** The sentence with its full stop; undefined when it is not there. Text within `without` (a selector) plays no part. */
export function locate(nodes: readonly Node[], sentence: string, without: string): Range | undefined {
  const wanted = letters(sentence);
  const { text, places, characters } = lettersOf(nodes, without);
  const at = text.indexOf(wanted);
  const [first, end] = [places[at], places[at + wanted.length - 1]];
  if (wanted === "" || at === -1 || first === undefined || end === undefined) return undefined;
  // Its full stop and the like, which may stand in another text than its last letter.
  const stops = /[^\p{L}\p{N}\s*_`~\[\]|]*[*_`~\]|\s]*$/u.exec(sentence)?.[0].replace(/[*_`~\]|\s]/g, "") ?? "";
  let last = end;
  for (const stop of stops) {
    const next = characters[last.index + 1];
    if (next?.character !== stop) break;
    last = next;
  }
  const range = document.createRange();
  range.setStart(first.node, first.offset);
  range.setEnd(last.node, last.offset + last.character.length);
  return range;
}

/** Wraps each text node of the range by itself, since a sentence may cross emphasis and code; the last wrapper. */
export function wrap(range: Range, wrapper: () => HTMLElement, without: string): HTMLElement | undefined {
  const root = range.commonAncestorContainer;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: [Text, number, number][] = [];
  for (let node: Node | null = root instanceof Text ? root : walker.nextNode(); node; node = walker.nextNode()) {
    const text = node as Text;
    if (!range.intersectsNode(text) || text.parentElement?.closest(without)) continue;
    const from = text === range.startContainer ? range.startOffset : 0;
    const to = text === range.endContainer ? range.endOffset : text.length;
    if (text.data.slice(from, to).trim() !== "") texts.push([text, from, to]);
  }
  let last: HTMLElement | undefined;
  for (const [text, from, to] of texts) {
    const middle = from > 0 ? text.splitText(from) : text;
    if (to - from < middle.length) middle.splitText(to - from);
    last = wrapper();
    middle.replaceWith(last);
    last.append(middle);
  }
  return last;
}

interface Place {
  node: Text;
  offset: number;
  character: string;
  /** Of all characters but spaces. */
  index: number;
}

interface Letters {
  text: string;
  /** One for each UTF-16 unit of `text`, as indexOf counts them. */
  places: Place[];
  characters: Place[];
}

function lettersOf(nodes: readonly Node[], without: string): Letters {
  const found: Letters = { text: "", places: [], characters: [] };
  for (const root of nodes) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node: Node | null = root instanceof Text ? root : walker.nextNode(); node; node = walker.nextNode()) {
      const text = node as Text;
      if (!text.parentElement?.closest(without)) collect(text, found);
    }
  }
  return found;
}

function collect(node: Text, found: Letters): void {
  let offset = 0;
  for (const character of node.data) {
    if (character.trim() !== "") {
      const place = { node, offset, character, index: found.characters.length };
      found.characters.push(place);
      if (LETTER.test(character)) {
        found.text += character;
        for (let unit = 0; unit < character.length; unit += 1) found.places.push(place);
      }
    }
    offset += character.length;
  }
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
