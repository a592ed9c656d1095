/** What can go wrong in the set-up, as people see it. */

import * as l10n from "@vscode/l10n";

import type { Problem } from "../../protocol/setup";
import { problem } from "../problems/problem";
import { OLDEST_PYTHON, type Probed, problemOf } from "./pythons";

/** What `bootstrap.py` says of its failure, with advice in the user's language where the code is a known one. */
export function bootstrapProblem(event: {
  code: string;
  message: string;
  advice: string;
  cause: string;
  index: string;
}): Problem {
  const advice = knownAdvice(event.code) ?? (event.advice || l10n.t("The log says more."));
  const index = event.index === "" ? "" : l10n.t("Package index: {0}", event.index);
  return problem(
    event.code,
    [event.message, event.cause, index].filter((line) => line !== "").join("\n"),
    advice,
    "ragAssistant.setup",
    "ragAssistant.showLog",
    "ragAssistant.openSettings",
  );
}

export function bootstrapEnded(code: number | null, output: string): Problem {
  return problem(
    "SETUP_FAILED",
    l10n.t("Making the environment ended without a result (exit code {0}). {1}", code ?? 0, output).trim(),
    l10n.t("Try again. If it happens again, the log says more."),
    "ragAssistant.setup",
    "ragAssistant.showLog",
  );
}

/** `output`: the end of what `rag models pull` printed on standard error. */
export function modelProblem(code: number | null, output: string): Problem {
  if (code === 2 && /no such option/i.test(output)) {
    return problem(
      "SERVER_TOO_OLD",
      l10n.t("The program named in the setting ragAssistant.server.executable is too old for this extension."),
      l10n.t("Install a newer RAG Assistant there, or clear the setting."),
      "ragAssistant.openSettings",
      "ragAssistant.showLog",
    );
  }
  return problem(
    "MODEL_UNAVAILABLE",
    output.replace(/^Error: /, "") || l10n.t("Fetching the model ended with exit code {0}.", code ?? 0),
    l10n.t(
      "Check the network and the setting ragAssistant.index.url. Without a network, put the model into a folder and name it in the setting ragAssistant.model.source.",
    ),
    "ragAssistant.setup",
    "ragAssistant.openSettings",
    "ragAssistant.showLog",
  );
}

export function wrongPython(path: string, why: string): Problem {
  return problem(
    "PYTHON_UNUSABLE",
    l10n.t("The Python in the setting ragAssistant.python.path can't be used: {0}. {1}", path, why),
    l10n.t("Choose another Python, or clear the setting so that one is looked for."),
    "ragAssistant.openSettings",
    "ragAssistant.showLog",
  );
}

/** `probed`: what was found and will not do. */
export function noPython(probed: readonly Probed[], hasUv: boolean): Problem {
  const found = probed.map((one) => {
    const why = "failure" in one ? one.failure : (problemOf(one.python, hasUv) ?? "");
    return `${one.candidate.command.join(" ")}: ${why}`;
  });
  const message = l10n.t("No Python {0} or newer was found.", OLDEST_PYTHON);
  return problem(
    "PYTHON_MISSING",
    [message, ...found].join("\n"),
    l10n.t(
      "Install Python from python.org or with your system's packages, or choose one that is already there. Then try again.",
    ),
    "ragAssistant.setup",
    "ragAssistant.openSettings",
    "ragAssistant.showLog",
  );
}

function knownAdvice(code: string): string | undefined {
  switch (code) {
    case "DISK_FULL":
      return l10n.t("Make room on the disk, and where your temporary folder is. Then try again.");
    case "CERTIFICATE":
      return l10n.t(
        "Name your company's certificate in pip's configuration (cert = FILE), or in PIP_CERT before the editor starts.",
      );
    case "HASH_MISMATCH":
      return l10n.t(
        "A package differs from the one that was released. Ask those who run the package mirror, and do not go on.",
      );
    case "PROXY":
      return l10n.t("Check the setting http.proxy, and proxy in pip's configuration.");
    case "INDEX_UNREACHABLE":
      return l10n.t(
        "Check the network. Behind a firewall, set ragAssistant.index.url to your package mirror (with its user name or token, where it wants one), or http.proxy to the way there.",
      );
    case "PERMISSION":
      return l10n.t("Look who owns the folder that the log names, and whether a program has its files open.");
    case "PACKAGE_MISSING":
      return l10n.t(
        "The package mirror lacks a package, or has none for this machine. Ask those who run it, or set ragAssistant.index.url to another.",
      );
    case "PYTHON_TOO_OLD":
      return l10n.t("Choose a newer Python.");
    default:
      return undefined;
  }
}
