/** The dashboard in a browser: its key, its language and the way to choose another one. */

import { start } from "./dashboard.js";
import { browserTransport, useTransport } from "./lib/api.js";
import { h } from "./lib/dom.js";
import { LANGUAGES, currentLanguage, nearestLanguage, t, useLanguage } from "./lib/text.js";

const LANGUAGE = "ragd.dashboard.language";

function languageChooser() {
  const options = Object.entries(LANGUAGES).map(([name, title]) =>
    h("option", { value: name, lang: name, selected: name === currentLanguage() }, title),
  );
  const chooser = h("select", { "aria-label": t("Language") }, ...options);
  chooser.addEventListener("change", () => {
    localStorage.setItem(LANGUAGE, chooser.value);
    location.reload();
  });
  return chooser;
}

async function begin() {
  useTransport(browserTransport());
  const language = localStorage.getItem(LANGUAGE) ?? nearestLanguage(navigator.languages);
  const texts = language === "en" ? {} : await (await fetch(`/dashboard/l10n/${language}.json`)).json();
  useLanguage(language, texts);
  start(document.body, languageChooser);
}

void begin();
