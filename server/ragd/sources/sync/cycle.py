"""One cycle of a cloud source: list, compare, delete what is gone, fetch what is new, account for every item.

The ledger is the work list. What is to be fetched is marked there before the first item is fetched, and each batch is marked as
done after its documents are: a cycle that was cut off fetches the rest, and what it fetches twice is found to be unchanged.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from ragd.core.errors import ItemFailed, SourceRefused, SourceThrottled, SourceUnavailable
from ragd.core.ids import hash32
from ragd.core.jobs import IngestResult
from ragd.core.tracing import utc_now
from ragd.ingest.discovery.items import Item, RemoteItem
from ragd.ingest.prefetch import prefetched
from ragd.ingest.reading import Report
from ragd.sources.base import CloudSource, Fetched, Listed, Reason, Skip, Unfetched, Usage
from ragd.sources.sync.changes import Guard, Plan, compare, listed_as
from ragd.store.ledger import Cycle, Ledger, LedgerItem

_BATCH: Final = 100
"""Items that are fetched and committed together. Those with an owner are downloaded one by one, so a tenth of it."""
_LISTED_BETWEEN_REPORTS: Final = 200
_FAILURES_IN_A_ROW: Final = 5
"""After so many items that could not be had, one after the other, it is the remote side that is ill and not the items."""

_REASONS: Final[dict[str, Reason]] = {
    "PAYLOAD_TOO_LARGE": "too_large",
    "UNSUPPORTED_MEDIA_TYPE": "unsupported",
    "FORBIDDEN": "forbidden",
    "VANISHED": "gone",
    "EMPTY": "empty",
    "FAILED": "failed",
}
_NOT_SERVED: Final[frozenset[Reason]] = frozenset(("forbidden", "gone", "empty"))

_Ingest = Callable[[Sequence[Item], Sequence[str], Report], IngestResult]
"""The ingestion pipeline, called with items to take in and ids of documents to delete."""


@dataclass(kw_only=True, slots=True)
class CycleRun:
    """Runs one cycle to its end, or goes on with one that was cut off.

    `overlap` is how far before the last cycle changes are asked for. `yield_to_queue` is called between batches, and may raise
    what ends the run for now.
    """

    kb_id: str
    cycle: Cycle
    remote: CloudSource
    usage: Usage
    ledger: Ledger
    ingest: _Ingest
    report: Report
    guard: Guard | None
    overlap: timedelta
    yield_to_queue: Callable[[], None]
    _result: IngestResult = field(default=IngestResult(), init=False)
    _counted: Usage = field(init=False)
    _since: float = field(init=False)
    _failed_in_a_row: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._counted = replace(self.usage)
        self._since = time.monotonic()

    def run(self, names: Sequence[str] | None) -> IngestResult:
        """List and compare everything or, with `names`, take these items alone; then fetch. Raises what the source raises."""
        if self.cycle.phase == "listing":
            self._find_work(names)
        elif names:
            self.ledger.make_pending(self._source_id, names)
        self._fetch_all()
        self._finish()
        return self._result

    def abandon(self, reason: str) -> None:
        """Close the cycle as failed. What it stored stays."""
        self._save(phase="failed", finished_at=utc_now(), notice=reason)

    def pause(self) -> None:
        """Note how far it came, to go on later."""
        self._save()

    # Finding the work

    @property
    def _source_id(self) -> str:
        return self.cycle.source_id

    @property
    def _deep(self) -> bool:
        return self.cycle.kind == "full"

    def _find_work(self, names: Sequence[str] | None) -> None:
        if names is None:
            self._note(self._compare())
        else:
            known = self.ledger.some(self._source_id, names)
            self.ledger.make_pending(self._source_id, list(known))
            counts = self.ledger.counts(self._source_id)
            self._save(phase="fetching", remote=sum(count for state, count in counts.items() if state != "held"))

    def _compare(self) -> Plan:
        # The changes are asked for last: of two answers about one item theirs is taken, which must be the newer one.
        listed = self._gathered(self.remote.listing(deep=self._deep))
        changed: dict[str, Listed] = {}
        last = self.ledger.last_complete(self._source_id)
        if last is not None:
            since = datetime.fromisoformat(last.started_at) - self.overlap
            changed = self._gathered(self.remote.changes(since))
        return compare(
            self.ledger.items(self._source_id),
            listed,
            changed,
            lost=self.ledger.lost(self._source_id),
            deep=self._deep,
            guard=self.guard,
        )

    def _gathered(self, items: Iterator[Listed]) -> dict[str, Listed]:
        found: dict[str, Listed] = {}
        self.report("listing", 0, 0)
        for item in items:
            found[item.id] = item
            if len(found) % _LISTED_BETWEEN_REPORTS == 0:
                self.report("listing", len(found), 0)
        return found

    def _note(self, plan: Plan) -> None:
        """Delete what is gone and mark what is to be fetched; after this, the listing is not needed again."""
        known = self.ledger.some(
            self._source_id, [item.id for item in (*plan.fetch, *plan.left_out)] + [item.item_id for item in plan.held]
        )
        left_out = [_left_out(item, known.get(item.id)) for item in plan.left_out]
        going = [*plan.gone, *(known[item.id] for item in plan.left_out if item.id in known)]
        doc_ids = [item.doc_id for item in going if item.doc_id]
        if doc_ids:
            self.report("deleting", 0, 0)
            self._count(self.ingest((), doc_ids, self.report))
        self.ledger.drop(self._source_id, [item.item_id for item in plan.gone])
        rows = [_pending(item, known.get(item.id)) for item in plan.fetch]
        rows += left_out + [replace(item, state="held") for item in plan.held]
        self.ledger.put(self._source_id, rows, self.cycle.cycle_id)
        self._save(phase="fetching", remote=plan.remote, held=len(plan.held), notice=" ".join(plan.notices) or None)

    # Fetching

    def _fetch_all(self) -> None:
        waiting = list(self.ledger.items(self._source_id, "pending").values())
        total = len(waiting)
        done = 0
        # Owners first: what they own is often left out with them.
        waiting.sort(key=lambda item: (item.owner is not None, item.item_id))
        with prefetched(self._fetched(waiting)) as batches:
            for batch, answers in batches:
                self._store(batch, answers, _shifted(self.report, done, total))
                done += len(batch)
                self._save()
                if done < total:
                    self.yield_to_queue()

    def _fetched(self, waiting: Sequence[LedgerItem]) -> Iterator[tuple[list[LedgerItem], dict[str, Fetched | Unfetched]]]:
        start = 0
        while start < len(waiting):
            size = _BATCH if waiting[start].owner is None else _BATCH // 10
            batch = list(waiting[start : start + size])
            start += size
            yield batch, {answer.id: answer for answer in self.remote.fetch([listed_as(item) for item in batch])}

    def _store(self, batch: Sequence[LedgerItem], answers: Mapping[str, Fetched | Unfetched], report: Report) -> None:
        fetched = {item_id: answer for item_id, answer in answers.items() if isinstance(answer, Fetched)}
        doc_ids = {item_id: hash32(self.kb_id, answer.uri) for item_id, answer in fetched.items()}
        rows: list[LedgerItem] = []
        gone: list[str] = []
        for item in batch:
            answer = answers.get(item.item_id) or Unfetched(
                item.item_id, Skip("failed", "The remote side gave no answer for it.")
            )
            if isinstance(answer, Unfetched):
                # What may no longer be read, or is gone, is not served any more; what is only out of order is.
                keeps = answer.skip.reason == "failed"
                gone += [item.doc_id] if item.doc_id and not keeps else []
                rows.append(_skipped(item, answer.skip, doc_id=item.doc_id if keeps else None))
            elif item.doc_id and item.doc_id != doc_ids[item.item_id]:
                gone.append(item.doc_id)
        items = [self._item(answer) for answer in fetched.values()]
        result = self.ingest(items, gone, report) if items or gone else IngestResult()
        failures = {failure.source: failure for failure in result.failed}
        for item in batch:
            if (there := fetched.get(item.item_id)) is None:
                continue
            failure = failures.get(item.item_id)
            row = _indexed(item, there, doc_ids[item.item_id])
            if failure:
                row = _skipped(row, Skip(_REASONS.get(failure.code, "parse_error"), failure.message), doc_id=row.doc_id)
            rows.append(row)
        self._count(result)
        # What could not be downloaded for want of rights, or was emptied, is not served any more either.
        closed = [row.doc_id for row in rows if row.doc_id and row.state == "skipped" and row.reason in _NOT_SERVED]
        if closed:
            self._count(self.ingest((), closed, report))
            rows = [replace(row, doc_id=None) if row.doc_id in closed else row for row in rows]
        self.ledger.put(self._source_id, rows, self.cycle.cycle_id)

    def _item(self, fetched: Fetched) -> RemoteItem:
        def load(limit: int) -> bytes:
            try:
                data = fetched.load(limit)
            except (SourceRefused, SourceThrottled):
                raise
            except SourceUnavailable as error:
                self._failed_in_a_row += 1
                if self._failed_in_a_row >= _FAILURES_IN_A_ROW:
                    raise
                raise ItemFailed(f"{fetched.id}: {error.message}") from error
            self._failed_in_a_row = 0
            return data

        return RemoteItem(fetched.source, fetched.uri, fetched.name, fetched.id, load, fetched.loader)

    # Accounting

    def _count(self, result: IngestResult) -> None:
        one = self._result
        names = ("added", "updated", "unchanged", "moved", "deleted", "skipped", "chunks", "embedded", "reused")
        sums = {name: getattr(one, name) + getattr(result, name) for name in names}
        self._result = replace(one, **sums, failed=one.failed + result.failed)
        cycle = self.cycle
        self.cycle = replace(
            cycle,
            added=cycle.added + result.added,
            updated=cycle.updated + result.updated + result.moved,
            deleted=cycle.deleted + result.deleted,
            embedded=cycle.embedded + result.embedded,
        )

    def _save(self, **changes: object) -> None:
        now, usage = time.monotonic(), self.usage
        cycle = self.cycle
        self.cycle = replace(
            cycle,
            requests=cycle.requests + usage.requests - self._counted.requests,
            throttled_s=round(cycle.throttled_s + usage.throttled_s - self._counted.throttled_s, 3),
            active_s=round(cycle.active_s + now - self._since, 3),
            **changes,  # type: ignore[arg-type]
        )
        self._counted, self._since = replace(usage), now
        self.ledger.save(self.cycle)

    def _finish(self) -> None:
        counts = Counter(self.ledger.counts(self._source_id))
        indexed, skipped, held = counts["indexed"], counts["skipped"], counts["held"]
        accounted = self.cycle.remote == indexed + skipped and not counts["pending"] and not held
        notice = self.cycle.notice
        if not accounted and not held:
            notice = (
                f"The remote side has {self.cycle.remote} items, {indexed} are indexed and {skipped} left out with a reason. "
                "The next cycle looks for the rest."
            )
        self._save(
            phase="done",
            finished_at=utc_now(),
            indexed=indexed,
            skipped=skipped,
            held=held,
            unchanged=max(0, indexed - self.cycle.added - self.cycle.updated),
            complete=accounted,
            notice=notice,
        )


def _shifted(report: Report, done: int, total: int) -> Report:
    """A batch's progress as that of the whole."""

    def shifted(stage: str, of_batch: int, _total: int) -> None:
        report(stage, min(done + of_batch, total), total)

    return shifted


def _pending(item: Listed, known: LedgerItem | None) -> LedgerItem:
    """Listed anew: what was fetched last stays noted until it is fetched again."""
    fresh = LedgerItem(item.id, item.kind, item.title, item.container, "pending", item.owner, dict(item.hint))
    fresh = replace(fresh, remote_updated_at=item.updated_at)
    if known is None:
        return fresh
    return replace(fresh, fingerprint=known.fingerprint, version=known.version, doc_id=known.doc_id, fetched_at=known.fetched_at)


def _left_out(item: Listed, known: LedgerItem | None) -> LedgerItem:
    row = _pending(item, known)
    if item.left_out is None:
        raise ValueError(f"{item.id} is not left out")
    return replace(_skipped(row, item.left_out, doc_id=None), fingerprint=None)


def _skipped(item: LedgerItem, skip: Skip, *, doc_id: str | None) -> LedgerItem:
    return replace(item, state="skipped", reason=skip.reason, message=skip.message, doc_id=doc_id)


def _indexed(item: LedgerItem, answer: Fetched, doc_id: str) -> LedgerItem:
    return replace(
        item,
        title=answer.title,
        state="indexed",
        reason=None,
        message=None,
        fingerprint=answer.fingerprint,
        version=answer.version,
        doc_id=doc_id,
        remote_updated_at=answer.updated_at or item.remote_updated_at,
        fetched_at=utc_now(),
    )
