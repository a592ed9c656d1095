/** What is known of a document's looks: merged cells of its tables, and where things stand on its slides. */

import type { Box, ContentPart, MergedCell, Slide, SlideCard } from "../../protocol/viewer";
import type { MergedTableCell, OutlinePlace, SlidePlaces } from "../api/types";
import { utf16Offsets } from "./content";

/** Of a slide whose file does not say. */
const USUAL_RATIO = 16 / 9;
const EXCERPT = 60;
const PICTURE = /!\[[^\]]*\]\(asset:\/\/([\w-]+)\)/;
// Where title and text, or a picture, are drawn of a slide whose layout is not known.
const TITLE: Box = [0.05, 0.06, 0.95, 0.3];
const BODY: Box = [0.05, 0.34, 0.95, 0.94];

/** Merged cells of a stretch of the content that begins at a UTF-16 unit, which is the daemon's character `first`. */
export function mergedCells(
  text: string,
  start: number,
  first: number,
  cells: readonly MergedTableCell[],
): MergedCell[] {
  const offsets = utf16Offsets(
    text,
    cells.map((cell) => cell.start - first),
  );
  return cells.map(({ column, rows, columns, level, text: said }, index) => ({
    ...{ offset: start + (offsets[index] ?? 0), column, rows, columns, level: level ?? null, text: said ?? "" },
  }));
}

/** The slides of a presentation by its outline, with their layouts as far as these are known. */
export function slidesOf(markdown: string, outline: readonly OutlinePlace[], places: readonly SlidePlaces[]): Slide[] {
  const headings = outline.filter((entry) => entry.level === 2 && typeof entry.slide === "number");
  const known = new Map(places.map((place) => [place.slide, place]));
  const layouts = headings.map(({ slide }) => known.get(slide ?? 0));
  const points = [...headings, ...layouts.flatMap((layout) => layout?.blocks ?? [])].flatMap((one) =>
    "end" in one ? [one.start, one.end] : [one.start],
  );
  const ordered = [...new Set(points)].sort((one, other) => one - other);
  const offsets = utf16Offsets(markdown, ordered);
  const unitOf = new Map(ordered.map((point, index) => [point, offsets[index] ?? markdown.length]));
  const unit = (point: number) => unitOf.get(point) ?? markdown.length;
  return headings.map(({ title, slide, start }, index) => ({
    ...{ number: slide ?? 0, title, start: unit(start), ratio: layouts[index]?.ratio ?? USUAL_RATIO },
    blocks: (layouts[index]?.blocks ?? []).map((block) => ({
      ...{ start: unit(block.start), end: unit(block.end), box: block.bbox },
    })),
  }));
}

/** The slides as they are drawn small. */
export function slideCards(markdown: string, slides: readonly Slide[]): SlideCard[] {
  return slides.map(({ number, title, start, ratio, blocks }, index) => {
    const card = { number, title, offset: start, ratio };
    if (blocks.length > 0) {
      return { ...card, blocks: blocks.map((block) => mini(markdown.slice(block.start, block.end), block.box)) };
    }
    const text = markdown.slice(start, slides[index + 1]?.start ?? markdown.length);
    const body = text.slice(text.includes("\n") ? text.indexOf("\n") : text.length).trim();
    return { ...card, blocks: [{ box: TITLE, assetId: null, text: title }, mini(body, BODY)] };
  });
}

/** Those that begin in a part of the content. */
export function slidesIn({ start, text }: ContentPart, slides: readonly Slide[]): Slide[] {
  return slides.filter((slide) => slide.start >= start && slide.start < start + text.length);
}

function mini(text: string, box: Box): SlideCard["blocks"][number] {
  const picture = PICTURE.exec(text)?.[1];
  if (picture !== undefined) return { box, assetId: picture, text: "" };
  const words = text.slice(0, EXCERPT * 2).replace(/(?:[#|*`\s]|-{3,}|^ *- )+/gm, " ");
  return { box, assetId: null, text: words.trim().slice(0, EXCERPT) };
}
