// Long answers of every shape, always the same for the same size; in pieces of about a token.

export const SHAPES = ["mixed", "list", "table", "code", "paragraph"];

const WORDS = (
  "the server keeps a token for each session and renews it before it ends so that nobody has to sign in again while " +
  "work goes on documents are split into passages which are found by meaning and by words then ranked once more"
).split(" ");

/** @param {string} shape @param {number} size in tokens */
export function answerText(shape, size) {
  let state = 7;
  const random = (most) => (state = (state * 48271) % 2147483647) % most;
  const words = (count) => Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(" ");
  const sentence = () => `${words(12)} [${1 + random(5)}]. `;
  const parts = {
    list: () => `- **${words(2)}** ${words(9)}\n`,
    table: () => `| ${words(2)} | ${words(4)} | ${random(1000)} |\n`,
    code: () => `    if ${WORDS[random(WORDS.length)]}_${random(99)} == "${words(3)}":  # ${words(4)}\n`,
    paragraph: sentence,
    mixed: () =>
      [
        () => `## ${words(4)}\n\n${sentence()}${sentence()}${sentence()}\n\n`,
        () => Array.from({ length: 6 }, () => `- ${sentence()}\n`).join("") + "\n",
        () => `| Name | Value |\n|---|---|\n${Array.from({ length: 5 }, () => `| ${words(2)} | ${random(99)} |\n`).join("")}\n`,
        () =>
          `\`\`\`python\n${Array.from({ length: 8 }, () => `${words(1)} = ${random(99)}  # ${words(4)}\n`).join("")}\`\`\`\n\n`,
        () => `${sentence()}\`${words(1)}\` and *${words(2)}* ${sentence()}\n\n`,
      ][random(5)](),
  };
  const opening = { table: "| Name | Meaning | Count |\n|---|---|--:|\n", code: "```python\n" }[shape] ?? "";
  const part = parts[shape];
  if (part === undefined) throw new Error(`No such shape: ${shape}. There are ${SHAPES.join(", ")}.`);
  const tokens = pieces(opening);
  while (tokens.length < size) tokens.push(...pieces(part()));
  return [...tokens.slice(0, size), shape === "code" ? "\n```\n" : "\n"];
}

function pieces(text) {
  return text.match(/\s?[^\s]{1,5}|\s+/g) ?? [];
}
