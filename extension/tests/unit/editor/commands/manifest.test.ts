import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { commandTable, type Parts } from "../../../../src/editor/commands/commandTable";

interface Manifest {
  version: string;
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command: string }[]>;
    keybindings: { command: string }[];
    configuration: { properties: Record<string, { scope: string }> };
    views: { ragAssistant: { id: string }[] };
    viewsWelcome: { contents: string }[];
    walkthroughs: { steps: { media: { markdown: string }; completionEvents: string[] }[] }[];
  };
}

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest;
const { contributes } = manifest;
const contributed = contributes.commands.map(({ command }) => command).sort();

describe("the manifest", () => {
  it("contributes exactly the commands of the table", () => {
    // The table only closes over its parts; none is touched here.
    expect(Object.keys(commandTable({} as Parts)).sort()).toEqual(contributed);
  });

  it("names only its own commands in menus, keys, welcomes and walkthroughs", () => {
    const menus = Object.values(contributes.menus).flat();
    const links = ["", ".ja", ".zh-cn"].flatMap((language) =>
      [...read(`package.nls${language}.json`).matchAll(/\(command:([\w.]+)/g)].map((match) => match[1]),
    );
    const events = contributes.walkthroughs.flatMap(({ steps }) => steps.flatMap((step) => step.completionEvents));
    const named = [
      ...[...menus, ...contributes.keybindings].map(({ command }) => command),
      ...links,
      ...events.filter((event) => event.startsWith("onCommand:")).map((event) => event.slice("onCommand:".length)),
    ];
    expect(named.filter((command) => command === undefined || !contributed.includes(command))).toEqual([]);
  });

  it("has one word for following a folder", () => {
    const words = ["package.nls.json", "l10n/bundle.l10n.json"].flatMap((file) =>
      Object.values(JSON.parse(read(file)) as Record<string, string>),
    );
    expect(words.filter((text) => /\bfollow/i.test(text)).length).toBeGreaterThan(2);
    expect(words.filter((text) => /\bwatch(?:ed|ing|es)?\b/i.test(text))).toEqual([]);
  });

  it("keeps workspaces from naming programs, addresses or sources", () => {
    const { properties } = contributes.configuration;
    for (const name of [
      "transport",
      "mcp.server",
      "server.url",
      "server.executable",
      "python.path",
      "index.url",
      "model.source",
    ]) {
      expect(properties[`ragAssistant.${name}`]?.scope, name).toBe("machine");
    }
  });

  it("has the views that others script against", () => {
    expect(contributes.views.ragAssistant.map(({ id }) => id)).toEqual([
      "ragAssistant.chat",
      "ragAssistant.collections",
      "ragAssistant.sources",
    ]);
  });

  it("has every page of its walkthrough", () => {
    for (const { steps } of contributes.walkthroughs) {
      for (const { media } of steps) expect(read(media.markdown)).toMatch(/^## /);
    }
  });

  it("has the version of the daemon that it carries", () => {
    const version = /__version__ = "([^"]+)"/.exec(read("../server/ragd/__init__.py"))?.[1];
    expect(manifest.version).toBe(version);
  });
});
