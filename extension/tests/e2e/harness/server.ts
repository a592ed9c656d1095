import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";

import { CODE_SERVER, NODE, modelsFolder, transportUnderTest } from "./paths.ts";
import { Program, run } from "./processes.ts";
import { until } from "./wait.ts";

export interface ServerOptions {
  /** VSIX files to install, in this order. */
  vsix?: readonly string[];
  /** User settings beside those that every test editor has. */
  settings?: Readonly<Record<string, unknown>>;
  /** Variables of the editor and of all that it starts; undefined takes one away. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Language of the interface; `ja` needs the kit `japanese`. */
  locale?: string;
  /** Extensions that may use the editor's proposed interfaces, as `publisher.name`. */
  proposedApi?: readonly string[];
  /** Makes the editor obey `extensionTestsPath`; it then also answers dialogs by itself. */
  testDriver?: boolean;
  /** Data directory to begin with; it is copied. */
  data?: string;
  /** Leave the network open, for a test that installs from the package registry. */
  openNetwork?: boolean;
}

// What this machine needs to reach its package registry; all else of the user's settings stays away from the tests.
const KEPT =
  /^(PATH|LANG|LC_ALL|TERM|PYENV_ROOT|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS)$|^(PIP|UV)_/;

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "remote.autoForwardPorts": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "chat.commandCenter.enabled": false,
  "security.workspace.trust.enabled": false,
  ...(transportUnderTest() === "mcp" ? { "ragAssistant.transport": "mcp" } : {}),
};

const FLAGS = [
  "--disable-telemetry",
  "--disable-update-check",
  "--disable-workspace-trust",
  "--disable-getting-started-override",
  "--ignore-last-opened",
];

const LISTENING = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/;

// A proxy where nobody listens: whatever asks a foreign host fails at once, as in a closed network.
const CLOSED = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost,::1",
};

/** One code-server with a home, settings, extensions and data of its own, all in one temporary folder. */
export class CodeServer {
  readonly folder: string;
  readonly dataDir: string;
  readonly bridgeDir: string;
  readonly modelLog: string;
  readonly url: string;
  private readonly program: Program;

  private constructor(folder: string, url: string, program: Program) {
    this.folder = folder;
    this.dataDir = join(folder, "data");
    this.bridgeDir = join(folder, "bridge");
    this.modelLog = join(folder, "model.jsonl");
    this.url = url;
    this.program = program;
  }

  static async start(options: ServerOptions): Promise<CodeServer> {
    const folder = mkdtempSync(join(tmpdir(), "rag-e2e-"));
    for (const name of ["home", "user/User", "user/Machine", "extensions", "bridge", "tmp"])
      mkdirSync(join(folder, name), { recursive: true });
    if (options.data !== undefined) cpSync(options.data, join(folder, "data"), { recursive: true });
    const settings = JSON.stringify({ ...SETTINGS, ...options.settings }, null, 2);
    // Settings of scope `machine` are taken from the second: to the workbench this server is a remote machine.
    for (const place of ["User", "Machine"]) writeFileSync(join(folder, "user", place, "settings.json"), settings);
    // The system gives the port: one that was looked up before could be another program's by then.
    writeFileSync(join(folder, "config.yaml"), "bind-addr: 127.0.0.1:0\nauth: none\ncert: false\n");

    const env = environment(folder, options);
    const places = ["--config", join(folder, "config.yaml"), "--user-data-dir", join(folder, "user")];
    const base = [CODE_SERVER, ...places, "--extensions-dir", join(folder, "extensions")];
    if (options.vsix?.length) {
      const installs = options.vsix.flatMap((vsix) => ["--install-extension", vsix]);
      await run(NODE, [...base, ...installs, "--force"], env, folder);
    }
    if (options.locale !== undefined) listLanguagePack(folder, options.locale);
    const more = [
      ...(options.locale === undefined ? [] : ["--locale", options.locale]),
      ...(options.proposedApi ?? []).flatMap((id) => ["--enable-proposed-api", id]),
      ...(options.testDriver ? ["--vscode-option", "enable-smoke-test-driver"] : []),
    ];
    const program = new Program(NODE, [...base, ...FLAGS, ...more], env, folder);
    try {
      const url = await until("code-server names its address", () => !program.hasEnded && LISTENING.exec(program.output)?.[1]);
      await until("code-server answers", async () => !program.hasEnded && (await fetch(`${url}/healthz`)).ok);
      return new CodeServer(folder, url, program);
    } catch (error) {
      await program.stop();
      throw new Error(`code-server did not start:\n${program.output}`, { cause: error });
    }
  }

  /** The last lines of what the editor, its extension hosts and the extensions wrote. */
  logs(lines = 60): string {
    const root = join(this.folder, "user", "logs");
    const files = existsSync(root) ? readdirSync(root, { recursive: true, encoding: "utf8" }) : [];
    const wanted = files.filter((name) => /exthost.*\.log$/.test(name)).map((name) => join(root, name));
    const logs = wanted.filter((path) => statSync(path).size > 0).sort();
    const tails = logs.map((path) => `── ${basename(path)}\n${tail(readFileSync(path, "utf8"), lines)}`);
    return [`── code-server\n${tail(this.program.output, 15)}`, ...tails].join("\n");
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }

  removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * The list by which the editor finds a language's words as it starts. A running editor writes it when a language pack is
 * installed there; an installation from the command line does not.
 */
function listLanguagePack(folder: string, locale: string): void {
  const pack = readdirSync(join(folder, "extensions")).find((name) => name.startsWith("rag-test.japanese-"));
  if (pack === undefined) throw new Error(`The locale ${locale} needs the test kit \`japanese\`.`);
  const [id, version] = ["rag-test.japanese", pack.slice("rag-test.japanese-".length)];
  const translations = { vscode: join(folder, "extensions", pack, "translations", "main.i18n.json") };
  const entry = { hash: "test", label: locale, extensions: [{ extensionIdentifier: { id }, version }], translations };
  writeFileSync(join(folder, "user", "languagepacks.json"), JSON.stringify({ [locale]: entry }));
}

function environment(folder: string, options: ServerOptions): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  const pipSettings = join(process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "pip", "pip.conf");
  const env: Record<string, string | undefined> = {
    ...Object.fromEntries(kept),
    ...(existsSync(pipSettings) ? { PIP_CONFIG_FILE: pipSettings } : {}),
    ...(options.openNetwork ? downloadCaches() : CLOSED),
    HOME: join(folder, "home"),
    TMPDIR: join(folder, "tmp"),
    XDG_CONFIG_HOME: join(folder, "home/.config"),
    XDG_DATA_HOME: join(folder, "home/.local/share"),
    XDG_CACHE_HOME: join(folder, "home/.cache"),
    XDG_STATE_HOME: join(folder, "home/.local/state"),
    // Sockets: a path of more than 107 characters is refused, and the default would be shared by all editors of this user.
    XDG_RUNTIME_DIR: join(folder, "tmp"),
    RAG_DATA_DIR: join(folder, "data"),
    RAG_MODELS_DIR: modelsFolder(),
    // The double of Confluence is on this machine, which no source may ask unless it is allowed.
    RAG_SECURITY__ALLOWED_HOSTS: JSON.stringify(["127.0.0.1"]),
    TEST_KIT_BRIDGE: join(folder, "bridge"),
    TEST_KIT_MODEL_LOG: join(folder, "model.jsonl"),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...options.env,
  };
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

/** What this user's installers have downloaded already is not downloaded again; the index is asked all the same. */
function downloadCaches(): Record<string, string> {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return { PIP_CACHE_DIR: join(cache, "pip"), UV_CACHE_DIR: join(cache, "uv") };
}

function tail(text: string, lines: number): string {
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
