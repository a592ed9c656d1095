// Models that see: each tells the two colours of a test picture, and then describes pictures well, or fails in a way of its own.
"use strict";

const zlib = require("node:zlib");
const vscode = require("vscode");

const COLOURS = { red: [214, 30, 30], green: [20, 150, 50], blue: [30, 60, 220], yellow: [250, 220, 20], black: [0, 0, 0] };

/** The names of the first and the last pixel in the first row of a PNG. */
function coloursOf(data) {
  const bytes = Buffer.from(data);
  const at = bytes.indexOf("IDAT");
  const pixels = zlib.inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
  const width = bytes.readUInt32BE(16);
  const name = (from) => Object.keys(COLOURS).find((one) => COLOURS[one].every((value, index) => pixels[from + index] === value));
  return [name(1), name(3 * width - 2)];
}

/** All that a profile may ask for; the summary says what reached the model. */
function described(text, picture) {
  const words = /Words read in the picture \(data\): "(.*)"/.exec(text)?.[1] ?? "";
  const kind = /taken for: (\w+)/.exec(text)?.[1] ?? "unknown";
  return JSON.stringify({
    image_type: kind,
    title: "",
    summary: `A heron stands beside a picture of ${picture.data.length > 0 ? "many" : "no"} bytes that reads ${words.slice(0, 40)}.`,
    key_points: [],
    entities: ["heron"],
    numbers: [],
    uncertainties: [],
    nodes: [],
    edges: [],
    chart: {},
    ui: {},
  });
}

const picturesIn = (messages) =>
  messages.flatMap(({ content }) => content.filter((part) => part instanceof vscode.LanguageModelDataPart));

/** What a model that sees says; undefined for a request without a picture. */
async function* seen(id, messages, text, token) {
  const [picture] = picturesIn(messages);
  if (picture === undefined) {
    yield "No picture was given.";
    return;
  }
  if (text.includes("two halves")) {
    yield id === "blind" ? "green, green" : coloursOf(picture.data).join(", ");
    return;
  }
  switch (id) {
    case "sees-refuses":
      throw vscode.LanguageModelError.Blocked("The test model refuses to look at this.");
    case "sees-quota":
      throw new vscode.LanguageModelError("You have exceeded your chat quota.");
    case "sees-never":
      await new Promise((resolve) => token.onCancellationRequested(resolve));
      return;
    case "sees-nonsense":
      yield "I see a picture.";
      return;
    default:
      yield described(text, picture);
  }
}

const SEEING = ["sees", "sees-refuses", "sees-quota", "sees-never", "sees-nonsense", "blind"];

module.exports = { SEEING, seen };
