"""What a cycle finds to do when a listing is held against the ledger."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ragd.sources.base import Listed, Skip
from ragd.sources.sync.changes import Guard, Plan, compare, differs
from ragd.store.ledger import LedgerItem

GUARD = Guard(items=20, share=0.8)


def page(number: int, fingerprint: str | None = "1", **more: Any) -> Listed:
    return Listed(f"page/{number}", "page", f"Page {number}", more.pop("container", "DEV"), fingerprint, **more)


def attachment(number: int, owner: int, **more: Any) -> Listed:
    return Listed(f"attachment/{number}", "attachment", "図.png", "DEV", "1", owner=f"page/{owner}", **more)


def had(*items: Listed, **more: Any) -> dict[str, LedgerItem]:
    values = {"state": "indexed", "doc_id": "d", **more}
    return {
        item.id: LedgerItem(
            item.id, item.kind, item.title, item.container, owner=item.owner, fingerprint=item.fingerprint, **values
        )
        for item in items
    }


def plan(
    known: dict[str, LedgerItem],
    listed: Iterable[Listed],
    changed: Iterable[Listed] = (),
    lost: Collection[str] = (),
    deep: bool = True,
    guard: Guard | None = GUARD,
) -> Plan:
    rows = {item.id: item for item in listed}, {item.id: item for item in changed}
    return compare(known, *rows, lost=lost, deep=deep, guard=guard)


def ids(items: Iterable[Any]) -> list[str]:
    return sorted(getattr(item, "item_id", None) or item.id for item in items)


def test_what_is_new_is_fetched_and_what_is_unchanged_is_not() -> None:
    found = plan(had(page(1)), [page(1), page(2)])
    assert ids(found.fetch) == ["page/2"]
    assert (found.remote, found.gone, found.held) == (2, (), ())


def test_another_fingerprint_is_fetched_and_none_says_nothing() -> None:
    assert ids(plan(had(page(1, "1")), [page(1, "2")]).fetch) == ["page/1"]
    assert not plan(had(page(1, "1")), [page(1, None)]).fetch


def test_what_a_listing_cannot_tell_of_a_fingerprint_is_not_compared() -> None:
    assert not differs("7", "7|comment 9")
    assert differs("8", "7|comment 9")
    assert differs("7|comment 10", "7|comment 9")
    assert not differs("7|comment 9", "7|comment 9")
    assert differs("7", None)


def test_what_shows_others_is_fetched_again_by_a_deep_listing_alone() -> None:
    for fingerprint in ("7", "7|comment 9"):
        assert differs(fingerprint, "7|comment 9+", deep=True)
        assert not differs(fingerprint, "7|comment 9+")
    assert not differs(None, "7|comment 9+", deep=True)
    assert ids(plan(had(page(1, "7|c+")), [page(1, "7|c")], deep=True).fetch) == ["page/1"]
    assert not plan(had(page(1, "7|c+")), [page(1, "7")], deep=False).fetch


def test_what_changes_say_is_taken_over_the_listing() -> None:
    found = plan(had(page(1, "1|a")), [page(1, "1")], [page(1, "1|b")])
    assert ids(found.fetch) == ["page/1"]
    assert found.remote == 1


def test_what_is_in_the_changes_alone_counts_as_there() -> None:
    found = plan({}, [], [page(3)])
    assert (found.remote, ids(found.fetch)) == (1, ["page/3"])


def test_what_is_not_listed_any_more_is_gone() -> None:
    found = plan(had(page(1), page(2)), [page(1)])
    assert ids(found.gone) == ["page/2"]
    assert found.remote == 1


def test_a_shallow_listing_may_leave_out_what_has_an_owner_that_is_unchanged() -> None:
    found = plan(had(page(1), attachment(9, 1)), [page(1, None)], deep=False)
    assert (found.gone, found.remote) == ((), 2)


def test_of_an_owner_that_changed_what_is_not_named_again_is_gone() -> None:
    known = had(page(1), attachment(8, 1), attachment(9, 1))
    found = plan(known, [page(1, None)], [page(1, "2"), attachment(8, 1)], deep=False)
    assert ids(found.gone) == ["attachment/9"]
    assert found.remote == 2


def test_with_its_owner_an_attachment_is_gone() -> None:
    assert ids(plan(had(page(1), attachment(9, 1)), [], deep=False).gone) == ["attachment/9", "page/1"]


def test_what_a_deep_listing_leaves_out_is_gone_whatever_its_owner() -> None:
    assert ids(plan(had(page(1), attachment(9, 1)), [page(1)], deep=True).gone) == ["attachment/9"]


def test_what_is_left_out_is_not_fetched_but_counted() -> None:
    large = page(2, left_out=Skip("too_large", "It is too large."))
    found = plan({}, [page(1), large])
    assert (ids(found.left_out), ids(found.fetch), found.remote) == (["page/2"], ["page/1"], 2)


def test_what_could_not_be_had_is_asked_for_again_and_what_could_not_be_read_is_not() -> None:
    assert ids(plan(had(page(1), state="skipped", reason="failed"), [page(1)]).fetch) == ["page/1"]
    assert not plan(had(page(1), state="skipped", reason="parse_error"), [page(1)]).fetch
    assert ids(plan(had(page(1), state="skipped", reason="parse_error"), [page(1, "2")]).fetch) == ["page/1"]


def test_what_a_cut_off_cycle_left_is_fetched() -> None:
    assert ids(plan(had(page(1), state="pending"), [page(1)]).fetch) == ["page/1"]


def test_a_document_that_somebody_deleted_is_fetched_again() -> None:
    assert ids(plan(had(page(1)), [page(1)], lost=["page/1"]).fetch) == ["page/1"]
    known = had(page(1), attachment(9, 1))
    assert ids(plan(known, [page(1, None)], lost=["attachment/9"], deep=False).fetch) == ["attachment/9"]


def test_a_space_that_vanishes_is_held_back_and_the_others_are_not() -> None:
    known = had(*(page(number) for number in range(30)), *(page(number, container="OPS") for number in range(30, 80)))
    found = plan(known, [page(number, container="OPS") for number in range(30, 70)])
    assert len(found.held) == 30
    assert {item.container for item in found.held} == {"DEV"}
    assert ids(found.gone) == sorted(f"page/{number}" for number in range(70, 80))
    assert "30 of 30 items of DEV are gone at once" in found.notices[0]
    assert found.remote == 40


def test_the_guard_lets_pass_what_is_few_or_a_small_share() -> None:
    few = had(*(page(number) for number in range(20)))
    assert len(plan(few, []).gone) == 20
    many = had(*(page(number) for number in range(1250)))
    assert len(plan(many, [page(number) for number in range(250)]).gone) == 1000


def test_without_the_guard_all_that_is_gone_goes() -> None:
    assert len(plan(had(*(page(number) for number in range(30))), [], guard=None).gone) == 30


def test_what_was_held_back_and_is_listed_again_is_fetched() -> None:
    assert ids(plan(had(page(1), state="held"), [page(1)]).fetch) == ["page/1"]
