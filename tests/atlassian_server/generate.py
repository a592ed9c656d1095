"""Fills a world from its seed: spaces with page trees three to five deep, projects with issues, in English and Japanese."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import files, issue_texts, pages, texts_en, texts_ja
from .model import Attachment, Comment, Fact, Issue, Lazy, Page, Project, Space

if TYPE_CHECKING:
    from .world import World

SPACES = (
    ("DEV", "Development", "en"),
    ("OPS", "運用部", "ja"),
    ("HELP", "Customer Support", "en"),
    ("FIN", "経理部", "ja"),
    ("LAB", "Research", "en"),
)
PROJECTS = (("PROJ", "Product", "en"), ("WEB", "Web サイト", "ja"), ("OPSD", "Service Desk", "en"))
KINDS = ("runbook", "design", "incident", "guide", "meeting", "decision")
FILE_KINDS = ("txt", "md", "csv", "pdf", "png", "drawio")
LABELS = ("howto", "production", "reviewed", "手順", "重要", "draft")
ISSUE_KINDS = ("Bug", "Bug", "Task", "Story", "Incident")
COMPONENTS = ("api-gateway", "billing-core", "importer", "帳票出力", "search-ui")
_TEXTS: dict[str, ModuleType] = {"en": texts_en, "ja": texts_ja}


class _Maker:
    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = random.Random(world.seed)
        self.start = world.clock.now().replace(second=0, microsecond=0)
        self.people = {
            language: tuple(world.add_user(name).account_id for name in texts.PEOPLE) for language, texts in _TEXTS.items()
        }
        self.everybody = tuple(person for people in self.people.values() for person in people)
        self.counts = {"en": 0, "ja": 0}
        self.asked: set[str] = set()

    def values(self, language: str, index: int) -> dict[str, Any]:
        """What fills the texts. Each service has one document of each kind; then the next service comes."""
        texts, rng = _TEXTS[language], self.rng
        number = self.counts[language] // len(KINDS)
        self.counts[language] += 1
        first = texts.FIRST[number % len(texts.FIRST)]
        round_, rest = divmod(number // len(texts.FIRST), len(texts.SECOND))
        # Names that are used in one round are told apart by what follows the first word.
        second = texts.SECOND[(rest + number) % len(texts.SECOND)]
        service = texts.SERVICE.format(first=first, second=second) + (f" {round_ + 1}" if round_ else "")
        return {
            "service": service,
            "slug": f"{service.lower().replace(' ', '-')}" if language == "en" else f"svc-{number + 1}",
            "team": rng.choice(texts.TEAMS),
            "n": 11 + rng.randrange(880),
            "port": 4000 + index * 3 + rng.randrange(3),
            "code": f"KX-{1000 + index}",
            "number": 1 + index % 40,
            "version": f"{2 + index % 7}.{rng.randrange(10)}",
            "resource": rng.choice(texts.RESOURCES),
            "person": rng.choice(texts.PEOPLE),
            "event": rng.choice(texts.EVENTS),
            "setting": rng.choice(texts.SETTINGS),
        }

    def date(self, most_days: int = 700) -> datetime:
        """Some time before the start of the world, at no whole minute."""
        return self.start - timedelta(
            seconds=self.rng.randrange(3 * 86_400, most_days * 86_400), milliseconds=self.rng.randrange(1000)
        )


def generate(world: World, spaces: int, pages_wanted: int, projects: int, issues_wanted: int) -> None:
    maker = _Maker(world)
    for number in range(projects):
        key, name, _ = PROJECTS[number] if number < len(PROJECTS) else (f"P{number}", f"Project {number}", "en")
        world.projects[key] = Project(str(10000 + number), key, name, maker.everybody[0])
    shares = [pages_wanted // spaces + (number < pages_wanted % spaces) for number in range(spaces)] if spaces else []
    for number, share in enumerate(shares):
        key, name, language = SPACES[number] if number < len(SPACES) else (f"S{number}", f"Space {number}", "en")
        world.spaces[key] = Space(str(65537 + number * 32), key, name, maker.start - timedelta(days=800))
        _SpaceMaker(maker, world.spaces[key], language, share, issues_wanted if projects else 0).fill()
    if projects:
        for number in range(issues_wanted):
            key = list(world.projects)[number % projects]
            _add_issue(maker, key, PROJECTS[number % projects][2] if projects <= len(PROJECTS) else "en", number)


class _SpaceMaker:
    """One space: home, areas, teams, then documents; each seventh document is below the one before it."""

    def __init__(self, maker: _Maker, space: Space, language: str, count: int, issues: int) -> None:
        self.maker = maker
        self.world = maker.world
        self.rng = maker.rng
        self.space = space
        self.language = language
        self.left = count
        self.issues = issues
        self.texts = _TEXTS[language]

    def fill(self) -> None:
        count, texts = self.left, self.texts
        plain = self.maker.values(self.language, 0)
        self.maker.counts[self.language] -= 1
        home = self._holder(texts.HOME.format(space=self.space.name), None, plain)
        if home is None:
            return
        self.space.homepage = home.id
        contacts = self._page("contacts", texts.CONTACTS, home.id, lambda: pages.contacts(texts, plain))
        shelves: dict[str, list[str]] = {}
        for kind in KINDS[: max(1, min(len(KINDS), count // 8))]:
            area = self._holder(texts.AREAS[kind], home.id, plain)
            teams = self.rng.sample(texts.TEAMS, min(4, count // 40)) if area else []
            titles = [texts.TEAM_PAGE.format(area=texts.AREAS[kind], team=team) for team in teams]
            made = [self._holder(title, area.id, plain) for title in titles] if area else []
            shelves[kind] = [page.id for page in made if page] or ([area.id] if area else [home.id])
        while self.left > 0:
            self._document(shelves, contacts.title if contacts else "")

    def _holder(self, title: str, parent: str | None, values: dict[str, Any]) -> Page | None:
        return self._page("holder", title, parent, lambda: pages.home(self.texts, values))

    def _page(self, kind: str, title: str, parent: str | None, content: Any, language: str = "") -> Page | None:
        """The next page of this space, or None when there are enough."""
        if self.left <= 0:
            return None
        self.left -= 1
        maker, rng = self.maker, self.rng
        created, updated = sorted((maker.date(), maker.date()))
        author = rng.choice(maker.everybody)
        page = Page(
            str(self.world.next_number("page", 100001)),
            created,
            updated,
            author,
            space=self.space.key,
            title=title,
            parent=parent,
        )
        page.kind = "blogpost" if kind == "news" else "page"
        page.content = Lazy(content)
        page.language = language or self.language
        page.editor = rng.choice(maker.everybody)
        page.version = 1 + rng.randrange(9)
        return self.world.keep_page(page)

    def _document(self, shelves: dict[str, list[str]], contacts: str) -> None:
        rng, maker = self.rng, self.maker
        index = len(self.world.pages)
        language = self.language if rng.random() < 0.8 else ("ja" if self.language == "en" else "en")
        texts, values = _TEXTS[language], maker.values(language, index)
        kind = KINDS[(maker.counts[language] - 1) % len(KINDS)]
        shelf = shelves.get(kind) or next(iter(shelves.values()))
        if index % 37 == 30:
            kind = "secret"
        elif index % 23 == 20:
            kind = "news"
        parent = None if kind == "news" else rng.choice(shelf)
        before = self.world.pages.get(str(100000 + index))
        if kind not in ("news", "secret") and index % 7 == 6 and before is not None and before.fact and before.kind == "page":
            parent = before.id
        # Hidden, so that nobody reads below it what is no secret.
        if parent and self.world.pages[parent].readers is not None:
            parent = rng.choice(shelf)
        drawn = tuple(rng.sample(pages.FEATURES, 5))
        attached = FILE_KINDS[index % len(FILE_KINDS)] if index % 8 == 3 else ""
        recipe = self._recipe(texts, kind, values, drawn, contacts, before, attached)
        page = self._page(kind, texts.TITLES[kind].format(**values), parent, lambda: pages.document(recipe), language)
        if page is None:
            return
        question, answer = texts.QUESTIONS[kind]
        page.fact = Fact(question.format(**values), answer.format(**values))
        page.readers = frozenset() if kind == "secret" else None
        page.labels = rng.sample(LABELS, rng.randrange(3))
        if attached:
            self._attach(page, attached, texts, values)
        if index % 5 == 1:
            self._discuss(page, texts, values)

    def _recipe(
        self,
        texts: ModuleType,
        kind: str,
        values: dict[str, Any],
        drawn: tuple[str, ...],
        contacts: str,
        before: Page | None,
        attached: str,
    ) -> pages.Recipe:
        index = len(self.world.pages)
        neighbour = before.title if before and before.space == self.space.key and before.readers is None else ""
        project = list(self.world.projects)[index % len(self.world.projects)] if self.issues else ""
        issue = f"{project}-{1 + index % max(1, self.issues // len(self.world.projects))}" if project else ""
        name = files.made(attached, texts, values)[0] if attached else ""
        return pages.Recipe(
            texts,
            kind,
            values,
            drawn if contacts else tuple(feature for feature in drawn if feature != "include"),
            f"{self.world.seed}/page/{index}",
            self.maker.people["ja" if texts is texts_ja else "en"],
            contacts,
            neighbour,
            issue,
            files=(name,) if attached not in ("", "png", "drawio") else (),
            pictures=(name,) if attached == "png" else (),
            drawings=(name,) if attached == "drawio" else (),
        )

    def _attach(self, page: Page, kind: str, texts: ModuleType, values: dict[str, Any]) -> None:
        name, media_type, content = files.made(kind, texts, values)
        made = [(name, media_type, content)]
        if kind == "drawio":
            made.append((f"{name}.png", "image/png", Lazy(lambda: files.picture(name, 1))))
        for file_name, media, data in made:
            id = f"att{self.world.next_number('attachment', 900001)}"
            part = Attachment(
                id, page.created, page.updated, page.author, owner=page.id, name=file_name, media_type=media, content=data
            )
            self.world.keep_part(part)

    def _discuss(self, page: Page, texts: ModuleType, values: dict[str, Any]) -> None:
        """A question below the page with an answer, a fact of practice, and each third time a remark on a passage, settled."""
        question, answer = self.rng.choice(texts.COMMENTS)
        first = self._comment(page, question)
        self._comment(page, answer, parent=first.id)
        self._comment(page, texts.COMMENT_FACT.format(**values))
        if int(page.id) % 3 == 0:
            selection = texts.FACTS[self._kind_of(page, texts, values)].format(**values)[:40]
            remark = self._comment(page, texts.COMMENTS[0][0], kind="inline", selection=selection, resolved=int(page.id) % 2 == 0)
            self._comment(page, texts.COMMENTS[0][1], kind="inline", parent=remark.id)

    def _kind_of(self, page: Page, texts: ModuleType, values: dict[str, Any]) -> str:
        return next(str(kind) for kind, title in texts.TITLES.items() if title.format(**values) == page.title)

    def _comment(self, page: Page, text: str, **more: Any) -> Comment:
        when = min(page.updated + timedelta(hours=self.rng.randrange(1, 60)), self.maker.start)
        id = str(self.world.next_number("comment", 700001))
        comment = Comment(id, when, when, self.rng.choice(self.maker.everybody), owner=page.id, body=f"<p>{text}</p>", **more)
        self.world.keep_part(comment)
        return comment


def _add_issue(maker: _Maker, project: str, language: str, number: int) -> None:
    world, rng = maker.world, maker.rng
    if rng.random() < 0.25:
        language = "ja" if language == "en" else "en"
    texts, people = _TEXTS[language], maker.people[language]
    values = {**maker.values(language, number), "code": f"E-{2000 + number}"}
    kind = ISSUE_KINDS[number % len(ISSUE_KINDS)]
    # Another setting, until no other issue answers the same question.
    for setting in texts.SETTINGS:
        if texts.ISSUE_QUESTIONS[kind][0].format(**values) in maker.asked:
            values["setting"] = setting
    place = world.projects[project]
    place.last_number += 1
    created, updated = sorted((maker.date(), maker.date()))
    id = str(world.next_number("issue", 10001))
    issue = Issue(
        id, created, updated, rng.choice(people), key=f"{project}-{place.last_number}", project=project, number=place.last_number
    )
    issue.language, issue.type = language, kind
    issue.summary = texts.ISSUE_TITLES[kind].format(**values)
    issue.status = rng.choice(("To Do", "In Progress", "Done"))
    issue.resolution = "Fixed" if issue.status == "Done" else None
    issue.priority = rng.choice(("Low", "Medium", "High", "Highest"))
    issue.assignee = rng.choice((*people, None))
    issue.labels = rng.sample(LABELS, rng.randrange(3))
    issue.components = rng.sample(COMPONENTS, rng.randrange(1, 3))
    issue.versions = [values["version"]]
    issue.fix_versions = [f"{values['version']}.1"] if issue.status == "Done" else []
    issue.links = [("Blocks", str(int(id) - 1))] if number % 9 == 4 else []
    question, answer = texts.ISSUE_QUESTIONS[kind]
    issue.fact = Fact(question.format(**values), answer.format(**values))
    maker.asked.add(issue.fact.question)
    if kind in ("Bug", "Incident"):
        issue.custom = {"customfield_10051": rng.choice(("S1", "S2", "S3")), "customfield_10052": [f"{values['slug']}-01"]}
        issue.custom["customfield_10050"] = texts.ISSUE_WORDS["cause"]
    else:
        issue.custom = {"customfield_10016": float(rng.choice((1, 2, 3, 5, 8))), "customfield_10053": rng.choice(people)}
    if number % 41 == 40:
        issue.readers = frozenset()
    world.keep_issue(issue)
    shown = _attach_to_issue(maker, issue, texts, values) if number % 11 == 5 else None
    seed = f"{world.seed}/issue/{number}"
    issue.description = Lazy(lambda: issue_texts.description(texts, kind, values, people, seed, shown))
    # The first issue of a project has more comments than one answer shows.
    for said in range(25 if issue.number == 1 else rng.randrange(4)):
        author, when = rng.choice(people), min(issue.created + timedelta(hours=said + 1), issue.updated)
        body = issue_texts.comment(texts, said, author)
        world.keep_part(
            Comment(str(world.next_number("issue comment", 30001)), when, when, author, owner=id, kind="issue", body=body)
        )


def _attach_to_issue(maker: _Maker, issue: Issue, texts: ModuleType, values: dict[str, Any]) -> tuple[str, str] | None:
    """A file, and its name and id where the description shows it."""
    kind = ("png", "txt", "csv", "md")[issue.number % 4]
    name, media_type, content = files.made(kind, texts, values)
    id = str(maker.world.next_number("issue attachment", 20001))
    when = issue.updated
    maker.world.keep_part(
        Attachment(id, when, when, issue.author, owner=issue.id, name=name, media_type=media_type, content=content)
    )
    return (name, id) if kind == "png" else None
