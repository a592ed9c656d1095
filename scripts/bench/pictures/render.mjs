/**
 * Draw diagrams with the extension's own Mermaid in a Chromium: `node render.mjs DIAGRAMS.json FOLDER [CHROMIUM]`.
 *
 * The JSON is a list of `{name, text}`. Each becomes `NAME.png`, with where its words stand in `NAME.json`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const extension = createRequire(new URL("../../../extension/package.json", import.meta.url));
const { chromium } = extension("playwright-core");
const [list, folder, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const diagrams = JSON.parse(readFileSync(list, "utf8"));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1600, height: 1200 } });
await page.setContent("<body style='margin:16px;background:white'><div id='place'></div></body>");
await page.addScriptTag({ path: extension.resolve("mermaid/dist/mermaid.min.js") });
await page.evaluate(() => mermaid.initialize({ startOnLoad: false, flowchart: { useMaxWidth: false } }));
for (const { name, text } of diagrams) {
  const words = await page.evaluate(async (source) => {
    const { svg } = await mermaid.render("drawing", source);
    const place = document.getElementById("place");
    place.innerHTML = svg;
    const frame = place.querySelector("svg").getBoundingClientRect();
    const found = [];
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.data.trim() === "" || node.parentElement.closest("style")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rows = new Map();
      for (const rect of range.getClientRects()) {
        if (rect.width > 0) rows.set(Math.round(rect.top), rect);
      }
      const parts = rows.size === 1 ? [node.data.trim()] : null;
      let index = 0;
      for (const rect of rows.values()) {
        const box = [rect.left - frame.left, rect.top - frame.top, rect.right - frame.left, rect.bottom - frame.top];
        found.push({ text: parts ? parts[0] : `${node.data.trim()}#${index}`, box });
        index += 1;
      }
    }
    return { words: found, width: frame.width, height: frame.height };
  }, text);
  await page.locator("#place svg").screenshot({ path: join(folder, `${name}.png`) });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(words));
}
await browser.close();
