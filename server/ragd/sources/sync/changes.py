"""What a cycle has to do: a listing held against the ledger. Nothing is asked and nothing is written here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ragd.sources.base import ALWAYS_REFETCH, RETRIED, Listed
from ragd.store.ledger import LedgerItem


@dataclass(frozen=True, slots=True)
class Guard:
    """Mass deletion: more than `items` items and more than `share` (0..1) of a container at once."""

    items: int
    share: float

    def holds(self, gone: int, had: int) -> bool:
        return gone > self.items and gone > self.share * had


@dataclass(frozen=True, slots=True)
class Plan:
    """What a cycle is to do. `remote` counts everything that the remote side has; `held` is gone, and kept nevertheless."""

    remote: int
    fetch: tuple[Listed, ...]
    left_out: tuple[Listed, ...]
    gone: tuple[LedgerItem, ...]
    held: tuple[LedgerItem, ...]
    notices: tuple[str, ...]


def compare(
    known: Mapping[str, LedgerItem],
    listed: Mapping[str, Listed],
    changed: Mapping[str, Listed],
    *,
    lost: Collection[str],
    deep: bool,
    guard: Guard | None,
) -> Plan:
    """Hold what the remote side says against the ledger.

    `lost` are items whose documents are not there any more, `deep` says that the listing names items with an owner, too. Without
    a `guard` whatever is gone is deleted.
    """
    present = {**listed, **changed}
    kept = 0
    gone: list[LedgerItem] = []
    for item in known.values():
        if item.item_id in present:
            continue
        if item.owner is not None and not deep and item.owner in present and item.owner not in changed:
            kept += 1
        else:
            gone.append(item)
    held, notices = _held_back(known, gone, guard)
    left_out = tuple(item for item in present.values() if item.left_out)
    fetch = [item for item in present.values() if not item.left_out and _is_wanted(item, known.get(item.id), lost, deep=deep)]
    # What is known and not in a shallow listing can wait to be fetched, too.
    fetch += [
        listed_as(item)
        for item in known.values()
        if item.item_id not in present and item.item_id in lost and item.owner in present and item.owner not in changed
    ]
    return Plan(
        remote=len(present) + kept,
        fetch=tuple(fetch),
        left_out=left_out,
        gone=tuple(item for item in gone if item.item_id not in held),
        held=tuple(held.values()),
        notices=tuple(notices),
    )


def listed_as(item: LedgerItem) -> Listed:
    """An item as it was listed last."""
    return Listed(
        id=item.item_id,
        kind=item.kind,
        title=item.title,
        container=item.container,
        owner=item.owner,
        updated_at=item.remote_updated_at,
        hint=item.hint,
    )


def differs(new: str | None, old: str | None, *, deep: bool = False) -> bool:
    """Whether a fingerprint says that the item is another than the one that was fetched; `deep`: a deep listing says so."""
    if new is None:
        return False
    if old is None or (deep and old.endswith(ALWAYS_REFETCH)):
        return True
    old = old.removesuffix(ALWAYS_REFETCH)
    return new != (old if "|" in new else old.partition("|")[0])


def _is_wanted(item: Listed, known: LedgerItem | None, lost: Collection[str], *, deep: bool) -> bool:
    if known is None or known.state in {"pending", "held"} or item.id in lost:
        return True
    if known.state == "skipped" and (known.reason in RETRIED or known.fingerprint is None):
        return True
    return differs(item.fingerprint, known.fingerprint, deep=deep)


def _held_back(
    known: Mapping[str, LedgerItem], gone: list[LedgerItem], guard: Guard | None
) -> tuple[dict[str, LedgerItem], list[str]]:
    if guard is None:
        return {}, []
    had = Counter(item.container for item in known.values())
    going = Counter(item.container for item in gone)
    stopped = {container for container, count in going.items() if guard.holds(count, had[container])}
    notices = [
        f"{going[container]} of {had[container]} items of {container} are gone at once. Nothing of it was deleted: the account "
        "may have lost its rights. If that is meant to be, sync with --allow-empty."
        for container in sorted(stopped)
    ]
    return {item.item_id: item for item in gone if item.container in stopped}, notices
