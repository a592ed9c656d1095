"""Who may see what came from elsewhere: whoever asks brings tokens, and the remote side says what they may read now.

Nothing of a document from a cloud source that is not public leaves the daemon unless the user's token was seen to read its
item: just now, or within `live.proof_ttl` where the remote side does not answer in time (or in mode `cached`). What can't be
proved is left out and counted. Tokens are held by the `AccessContext` of the one request and nowhere else.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from typing import Any, Literal

from ragd.access.checks import AccessChecks, Outcome, Queue, Seen
from ragd.access.passages import Body, Terms, is_comment, taken_from
from ragd.access.report import ADMITTED, NOT_COUNTED, AccessReport
from ragd.config.sources import LiveSettings
from ragd.core.errors import ItemForbidden
from ragd.core.results import Passage
from ragd.retrieve.admission import Admitted
from ragd.sources.base import FROM_REQUEST
from ragd.sources.sync.runner import token_field
from ragd.store.ledger import Ledger, LedgerItem
from ragd.store.origins import Origin, Origins, Remote

log = logging.getLogger(__name__)

_State = Literal["readable", "proved", "forbidden", "refused", "unverified", "no_token"]
"""`readable`: the token reads it now. `proved`: it did a short while ago, and nobody could say more in time."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a token may do with an item. `seen` is what the remote side said of it now, or a moment ago."""

    state: _State
    seen: Seen | None = None

    @property
    def allows(self) -> bool:
        return self.state in ("readable", "proved")


@dataclass(frozen=True, slots=True)
class PassageTools:
    """What admitting needs of the rest: how terms and tokens are counted, and how items get into the index again."""

    terms: Terms
    count_tokens: Callable[[str], int]
    reindex: Queue


@dataclass(frozen=True, slots=True)
class LiveAccess:
    """What the access contexts of an app share: proofs, contents and open sources. Safe to use from several threads."""

    origins: Origins
    ledger: Ledger
    checks: AccessChecks
    options: LiveSettings
    tools: PassageTools

    def context(self, tokens: Mapping[str, str], collections: Collection[str] | None = None) -> AccessContext:
        """Whoever asks with these tokens, by source id; none at all is somebody, too. For one request.

        `collections` are ids of those that the caller may read; None is all of them.
        """
        return AccessContext(tokens, self, collections)


class AccessContext:
    """What the user of one request may see: their tokens, the time that is left for checks, and the report of them.

    Not for several threads at a time. No token is in its repr.
    """

    def __init__(self, tokens: Mapping[str, str], live: LiveAccess, collections: Collection[str] | None = None) -> None:
        """`tokens` by source id."""
        self._tokens = dict(tokens)
        self._live = live
        self._collections = collections
        self._left_s = live.options.budget_ms / 1000
        self._verdicts: dict[tuple[str, str, bool], _Verdict] = {}
        self._report = AccessReport()

    # For routes that show documents

    def readable(self, doc_ids: Iterable[str]) -> frozenset[str]:
        """Those of these documents that the user may see. Everybody may see files and uploads of the collections that they may
        read; for whoever may read all, unknown ids count as those."""
        wanted = self._within_reach(doc_ids)
        origins = self._live.origins.of(wanted)
        allowed = set(wanted) - set(origins)
        asked: dict[str, tuple[Remote, dict[str, LedgerItem]]] = {}
        for doc_id, origin in origins.items():
            remote, item = origin.remote, origin.item
            if remote is not None and remote.public:
                allowed.add(doc_id)
            elif remote is not None and item is not None:
                asked.setdefault(remote.source_id, (remote, {}))[1][doc_id] = item
        return frozenset(allowed | self._readable(asked))

    def open_to_all(self, doc_ids: Iterable[str]) -> frozenset[str]:
        """Those of these documents that everybody may see who may read their collections, as the user may."""
        wanted = set(self._within_reach(doc_ids))
        origins = self._live.origins.of(list(wanted))
        private = {origin.doc_id for origin in origins.values() if origin.remote is None or not origin.remote.public}
        return frozenset(wanted - private)

    @property
    def reads_all(self) -> bool:
        """Whether no collection is closed to the user."""
        return self._collections is None

    def _within_reach(self, doc_ids: Iterable[str]) -> list[str]:
        wanted = list(dict.fromkeys(doc_ids))
        return wanted if self._collections is None else self._live.origins.within(wanted, self._collections)

    def readable_items(self, source_id: str, items: Sequence[LedgerItem]) -> frozenset[str]:
        """Ids of those items of a source whose titles the user may see."""
        remote = self._live.origins.remote(source_id)
        if remote is None or not items:
            return frozenset()
        if remote.public:
            return frozenset(item.item_id for item in items)
        return frozenset(self._readable({source_id: (remote, {item.item_id: item for item in items})}))

    def _readable(self, asked: Mapping[str, tuple[Remote, Mapping[str, LedgerItem]]]) -> set[str]:
        """Of items by whatever ids, for each source, the ids of those that the user's tokens may read. Asks for all at once."""
        deciding = {source_id: self._deciding(remote, items.values()) for source_id, (remote, items) in asked.items()}
        self._ask({key: (asked[key][0], _unique(items.values())) for key, items in deciding.items()}, content=False)
        return {
            id_
            for source_id, (remote, items) in asked.items()
            for id_, item in items.items()
            if self._verdict(remote, deciding[source_id][item.item_id], content=False).allows
        }

    def _deciding(self, remote: Remote, items: Collection[LedgerItem]) -> dict[str, LedgerItem]:
        """Item id -> the item whose permissions hold for it."""
        owners = self._live.ledger.some(remote.source_id, list({item.owner for item in items if item.owner}))
        return {item.item_id: owners.get(item.owner, item) if item.owner else item for item in items}

    # Passages of a question

    def admit(self, passages: Sequence[Passage], question: str) -> Mapping[str, Passage]:
        """See `Admission`."""
        origins = self._live.origins.of([passage.doc_id for passage in passages])
        deciding = self._look_up(origins)
        admitted: dict[str, Passage] = {}
        for passage in passages:
            origin = origins.get(passage.doc_id)
            kept = passage if origin is None else self._admitted(passage, origin, deciding, question)
            if kept is not None:
                admitted[passage.chunk_id] = kept
        return admitted

    def summary(self, *, by_name: bool) -> Admitted:
        """See `Admission`."""
        summary = self._report.summary()
        if not by_name:
            return summary
        counts = {name: summary.counts[name] if name in ADMITTED else 0 for name in summary.counts}
        warnings = (NOT_COUNTED,) if self._live.origins.private_ids() else ()
        return Admitted(counts if any(counts.values()) else {}, summary.private, (), warnings)

    def closed(self) -> Sequence[str]:
        """See `Admission`."""
        return [source_id for source_id in self._live.origins.private_ids() if source_id not in self._tokens]

    def _look_up(self, origins: Mapping[str, Origin]) -> dict[str, list[LedgerItem]]:
        """doc_id -> the items that must be readable for it: its own and its owner. Asks for all at once."""
        by_source: dict[str, tuple[Remote, list[Origin]]] = {}
        for origin in origins.values():
            remote, item = origin.remote, origin.item
            if remote is not None and item is not None and self._asks(remote):
                by_source.setdefault(remote.source_id, (remote, []))[1].append(origin)
        needed: dict[str, list[LedgerItem]] = {}
        asked: dict[str, tuple[Remote, list[LedgerItem]]] = {}
        for source_id, (remote, of_source) in by_source.items():
            items = [origin.item for origin in of_source if origin.item is not None]
            deciding = self._deciding(remote, items)
            for origin, item in zip(of_source, items, strict=True):
                needed[origin.doc_id] = _unique([item, deciding[item.item_id]])
            asked[source_id] = remote, _unique(item for origin in of_source for item in needed[origin.doc_id])
        for content in (True, False):
            self._ask({key: one for key, one in asked.items() if (one[0].live == "live") == content}, content=content)
        return needed

    def _asks(self, remote: Remote) -> bool:
        """Whether the remote side is asked at all: not without a token, and not to prove what needs no proof."""
        return remote.source_id in self._tokens and remote.live != "off" and not (remote.public and remote.live == "cached")

    def _admitted(
        self, passage: Passage, origin: Origin, needed: Mapping[str, Sequence[LedgerItem]], question: str
    ) -> Passage | None:
        remote, item = origin.remote, origin.item
        name = remote.name if remote else ""
        if remote is None or (item is None and not remote.public):
            self._report.drop("unverified" if remote and remote.source_id in self._tokens else "no_token", name)
            return None
        verdicts = [self._verdict(remote, one, content=remote.live == "live") for one in needed.get(origin.doc_id, ())]
        worst = max(verdicts, key=lambda verdict: _ORDER.index(verdict.state), default=None)
        if worst is None or not worst.allows:
            if remote.public:
                return self._from_index(passage, origin)
            state = worst.state if worst is not None else self._unasked(remote)
            self._report.drop(state, name)
            return None
        assert item is not None  # there are verdicts, so there was an item to ask for
        own = self._verdict(remote, item, content=remote.live == "live")
        return self._as_it_is_now(passage, origin, remote, item, own, question)

    def _unasked(self, remote: Remote) -> _State:
        return "unverified" if remote.source_id in self._tokens else "no_token"

    def _as_it_is_now(
        self, passage: Passage, origin: Origin, remote: Remote, item: LedgerItem, verdict: _Verdict, question: str
    ) -> Passage | None:
        seen = verdict.seen
        if remote.live != "live" or seen is None:
            return self._from_index(passage, origin)
        if seen.version == item.version:
            self._report.admit(private=not remote.public)
            return passage
        try:
            body = self._body(seen)
        except ItemForbidden:
            if remote.public:
                return self._from_index(passage, origin)
            self._report.drop("forbidden", remote.name)
            return None
        if token_field(remote.config) != FROM_REQUEST:
            self._live.checks.reindex_soon(remote, item.item_id, seen.version, self._live.tools.reindex)
        if body is None:
            return self._from_index(passage, origin)
        tools = self._live.tools
        renewed = taken_from(body, passage, question, tools.terms, tools.count_tokens)
        if renewed is not None:
            self._report.admit(private=not remote.public, refreshed=True)
            return renewed
        if is_comment(passage):
            return self._from_index(passage, origin)
        self._report.drop("gone", remote.name)
        return None

    def _from_index(self, passage: Passage, origin: Origin) -> Passage:
        private = origin.remote is None or not origin.remote.public
        self._report.admit(private=private)
        moment = origin.item.fetched_at if origin.item and origin.item.fetched_at else origin.updated_at
        return replace(passage, as_of=moment[:10])

    def _body(self, seen: Seen) -> Body | None:
        """The body, if it comes in the time that is left. Raises `ItemForbidden`."""
        if seen.reading is None:
            return None
        self._wait([seen.reading])
        return seen.reading.result() if seen.reading.done() and not seen.reading.cancelled() else None

    # Asking

    def _verdict(self, remote: Remote, item: LedgerItem, *, content: bool) -> _Verdict:
        """What `_ask` found of an item. What it was not asked about is not allowed."""
        found = self._verdicts.get((remote.source_id, item.item_id, content))
        return found or _Verdict("unverified" if remote.source_id in self._tokens else "no_token")

    def _ask(self, wanted: Mapping[str, tuple[Remote, Sequence[LedgerItem]]], *, content: bool) -> None:
        """Find a verdict for each of these: from what is known, else by asking all sources at once, in the time that is left."""
        waiting: dict[str, Future[Outcome]] = {}
        asked: dict[str, list[LedgerItem]] = {}
        for source_id, (remote, items) in wanted.items():
            token = self._tokens.get(source_id)
            open_ones = [item for item in items if (source_id, item.item_id, content) not in self._verdicts]
            if token is None or remote.live == "off":
                state: _State = "no_token" if token is None else "forbidden"
                for item in open_ones:
                    self._note(source_id, item, content, _Verdict(state))
                continue
            asked[source_id] = [item for item in open_ones if not self._known(remote, item, token, content)]
            if asked[source_id] and self._left_s > 0:
                waiting[source_id] = self._live.checks.ask(remote, asked[source_id], token, content=content)
        self._wait(waiting.values())
        for source_id, items in asked.items():
            remote, token = wanted[source_id][0], self._tokens[source_id]
            outcome = _outcome(waiting.get(source_id))
            for item in items:
                self._note(source_id, item, content, self._judged(remote, item, token, outcome))

    def _known(self, remote: Remote, item: LedgerItem, token: str, content: bool) -> bool:
        """Note a verdict on what was seen a moment ago, if it was."""
        verdict = None
        if content:
            seen = self._live.checks.content(remote, item.item_id, token)
            verdict = _Verdict("readable", seen) if seen else None
        else:
            within = None if remote.live == "cached" else self._live.options.cache_ttl
            verdict = _Verdict("readable") if self._live.checks.proved(remote, item.item_id, token, within) else None
        if verdict is not None:
            self._note(remote.source_id, item, content, verdict)
        return verdict is not None

    def _judged(self, remote: Remote, item: LedgerItem, token: str, outcome: Outcome) -> _Verdict:
        if outcome == "refused":
            return _Verdict("refused")
        if isinstance(outcome, str):
            return _Verdict("proved" if self._live.checks.proved(remote, item.item_id, token) else "unverified")
        seen = outcome.get(item.item_id)
        return _Verdict("readable", seen) if seen else _Verdict("forbidden")

    def _note(self, source_id: str, item: LedgerItem, content: bool, verdict: _Verdict) -> None:
        self._verdicts[source_id, item.item_id, content] = verdict

    def _wait(self, futures: Collection[Future[Any]]) -> None:
        began = time.monotonic()
        wait(futures, timeout=max(0.0, self._left_s))
        self._left_s -= time.monotonic() - began


_ORDER: tuple[_State, ...] = ("readable", "proved", "no_token", "unverified", "forbidden", "refused")


def _outcome(future: Future[Outcome] | None) -> Outcome:
    if future is None or not future.done():
        # One that has not begun is of no use any more; one that runs is remembered when it comes.
        if future is not None:
            future.cancel()
        return "unanswered"
    if future.cancelled():
        return "unanswered"
    if (defect := future.exception()) is not None:
        log.error("a source's check failed", extra={"reason": type(defect).__name__})
        return "unanswered"
    return future.result()


def _unique(items: Iterable[LedgerItem]) -> list[LedgerItem]:
    return list({item.item_id: item for item in items}.values())
