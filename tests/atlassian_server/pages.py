"""Bodies of pages, made from the texts of a language when they are first read."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from html import escape
from types import ModuleType
from typing import Any

from . import storage as s

FEATURES = (
    "code",
    "info",
    "warning",
    "tasks",
    "expand",
    "table",
    "jira",
    "include",
    "links",
    "layout",
    "unknown",
    "status",
    "toc",
)
CODE = {
    "bash": "systemctl restart {slug}\ncurl -s http://localhost:{port}/health | grep ready",
    "yaml": "service: {slug}\nport: {port}\nwait_seconds: {n}",
    "sql": "SELECT id, state FROM jobs WHERE state <> 'done' AND age > {n};",
    "python": "def wait(jobs: list[str]) -> None:\n    for job in jobs:\n        finish(job, timeout={n})",
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a page is made of. `texts` is the module of its language."""

    texts: ModuleType
    kind: str
    values: dict[str, Any]
    features: tuple[str, ...]
    seed: str
    people: tuple[str, ...]
    contacts: str = ""
    neighbour: str = ""
    issue: str = ""
    files: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    drawings: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)


def document(recipe: Recipe) -> str:
    """Storage format: an introduction, then sections with one macro or two each. The fact is in the first section."""
    texts, values = recipe.texts, recipe.values
    rng = random.Random(recipe.seed)
    first, *others = texts.HEADINGS[recipe.kind]
    words = {name: _filled(text, values) for name, text in texts.WORDS.items() if isinstance(text, str)}
    parts = [s.macro("toc", maxLevel="3")] if "toc" in recipe.features else []
    parts += [s.p(escape(texts.INTRO[recipe.kind].format(**values))), s.h(1, first), s.p(_emphasized(texts, recipe))]
    made = [_feature(name, recipe, words, rng) for name in recipe.features if name != "toc"]
    made += [s.p(escape(words["file"]), ": ", s.file_link(name, name)) for name in recipe.files]
    made += [s.p(escape(words["picture"]), ":") + s.image(name, words["picture"]) for name in recipe.pictures]
    made += [s.p(escape(words["diagram"]), ":") + s.drawio(name) for name in recipe.drawings]
    made.append(s.p(escape(words["ask"]), ": ", s.mention(rng.choice(recipe.people))))
    for number, heading in enumerate(others):
        parts += [s.h(1 + number % 2, heading), s.p(escape(_filled(rng.choice(texts.FILLERS), values)))]
        parts += made[number :: len(others)]
    return "".join(parts)


def home(texts: ModuleType, values: dict[str, Any]) -> str:
    """What stands on a page that only holds others."""
    return s.p(escape(_filled(texts.FILLERS[1], values))) + s.macro("children", all="true", sort="title")


def contacts(texts: ModuleType, values: dict[str, Any]) -> str:
    """The page that others include: an excerpt, and something besides."""
    inner = s.macro("excerpt", s.rich(s.p(escape(texts.CONTACTS_BODY.format(**values)))), hidden="false")
    return inner + s.p(escape(_filled(texts.FILLERS[6], values)))


def _filled(text: str, values: dict[str, Any]) -> str:
    return text.format(**values)


def _emphasized(texts: ModuleType, recipe: Recipe) -> str:
    """The fact, its subject in bold."""
    fact = escape(texts.FACTS[recipe.kind].format(**recipe.values))
    service = escape(recipe.values["service"])
    return fact.replace(service, f"<strong>{service}</strong>", 1)


def _feature(name: str, recipe: Recipe, words: dict[str, str], rng: random.Random) -> str:
    texts, values = recipe.texts, recipe.values
    if name == "code":
        language = rng.choice(sorted(CODE))
        return s.code(language, _filled(CODE[language], values))
    if name in ("info", "warning"):
        kind = rng.choice(("info", "note", "tip")) if name == "info" else "warning"
        return s.panel(kind, s.p(escape(words["note" if kind in ("info", "note") else kind])))
    if name == "tasks":
        return s.tasks([(number == 0, escape(task)) for number, task in enumerate(texts.WORDS["tasks"])])
    if name == "expand":
        fillers = s.ul([escape(_filled(text, values)) for text in rng.sample(texts.FILLERS, 2)])
        return s.expand(words["more"], fillers)
    if name == "table":
        rows = [[escape(cell) for cell in row] for row in (texts.WORDS["head"], *texts.WORDS["rows"])]
        return s.table(rows, [(escape(words["span"]), escape(words["span_rows"]))])
    if name == "jira":
        return s.p(s.jira(recipe.issue)) if recipe.issue else s.jira_rows("project = PROJ ORDER BY updated DESC")
    if name == "include":
        return s.include(recipe.contacts, excerpt=rng.random() < 0.5)
    if name == "links":
        link = s.page_link(recipe.neighbour, recipe.neighbour) if recipe.neighbour else ""
        outside = '<a href="https://status.example.com/">status.example.com</a>'
        return s.p(escape(words["see"]), ": ", link, ", ", outside)
    if name == "layout":
        left, right = (
            s.h(3, words[side]) + s.p(escape(_filled(rng.choice(texts.FILLERS), values))) for side in ("left", "right")
        )
        return s.layout(left, right)
    if name == "unknown":
        return s.macro("roadmap-planner", title=values["service"], lanes="3")
    return s.p(s.status("READY"), " ", s.status("OLD", "Red"), f" <del>{escape(words['old'])}</del> ", "<em>v</em><sup>2</sup>")
