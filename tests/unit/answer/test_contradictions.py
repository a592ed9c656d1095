"""What a claim may not change: figures, dates, names, negations and comparisons; and what is the same in other words."""

from __future__ import annotations

import pytest

from ragd.answer.contradictions import contradicts
from ragd.answer.figures import figures_of
from ragd.providers.registry import build

ROPE = "The rope runs at 3.5 m/s and carries 1,800 kg."
GUSTS = "At gusts of more than 22 m/s the ropeway is closed until Marta Engel has released it."
RULE = "返却が三十日を超えて遅れた者には、令和5年4月1日から佐伯が督促する。延滞料は徴収しない。"


def differs(claim: str, near: str) -> bool:
    return contradicts(claim, near, (), near, build("analyzer", "sudachi"))


@pytest.mark.parametrize(
    ("claim", "near"),
    [
        ("The rope runs at 9.5 m/s.", ROPE),
        ("The rope runs at 3.5 km/h.", ROPE),
        ("The rope carries 1,800 g.", ROPE),
        ("At gusts of less than 22 m/s the ropeway is closed.", GUSTS),
        ("At gusts of more than 22 m/s the ropeway is not closed.", GUSTS),
        ("The ropeway is closed until Petra Halvorsen has released it.", GUSTS),
        ("The file is read by brinectl-2.", "The file is read by brinectl-3."),
        ("The harbour board meets on Fridays.", "The harbour board meets on Tuesdays."),
        ("It was opened in June 2009.", "It was opened in May 2009."),
        ("Records are never kept in the cloud.", "Records are kept in the cloud."),
        ("Clean it after the firing.", "Clean it before the firing."),
        ("督促は令和2年4月1日から行う。", RULE),
        ("三十日を超えて遅れた者には西園寺が督促する。", RULE),
        ("延滞料は徴収する。", "延滞料は徴収しない。"),
        ("滞在は90分以上とする。", "滞在は90分以内とする。"),
        ("食べ物の持ち込みは許可する。", "食べ物の持ち込みは禁止する。"),
    ],
)
def test_a_change_is_seen(claim: str, near: str) -> None:
    assert differs(claim, near)


@pytest.mark.parametrize(
    ("claim", "near"),
    [
        ("The rope runs at 3.5 metres per second.", ROPE),
        ("It carries 1.8 tonnes.", ROPE),
        ("The ropeway shuts when gusts go beyond 22 m/s.", GUSTS),
        ("No vessel may go faster than 4 knots.", "The speed limit is 4 knots."),
        ("Tanks are drained in no more than 15 minutes.", "Tanks are drained in at most 900 s."),
        ("Counts are kept for three days.", "Counts are kept for 72 hours."),
        ("遅れが30日を超えると、佐伯が督促する。", RULE),
        ("2023年4月1日から督促する。", RULE),
        ("書庫には1時間30分以内しかいられない。", "滞在は90分以内とする。"),
        ("再起動は不要です。", "サーバーの再起動は必要ありません。"),
        ("食べ物は持ち込めない。", "食べ物の持ち込みは禁止する。"),
        ("申請しなければならない。", "申請する。"),
    ],
)
def test_other_words_for_the_same_are_no_change(claim: str, near: str) -> None:
    assert not differs(claim, near)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 km", "5,000 m"),
        ("１，２００円", "1200円"),
        ("120万件", "1,200,000件"),
        ("二十三日", "23 days"),
        ("1時間30分", "90 minutes"),
        ("half a year", "六か月"),
        ("twelve litres", "12 リットル"),
        ("80 cents", "0.80 euros"),
    ],
)
def test_quantities_are_compared_in_base_units(one: str, other: str) -> None:
    (mine,), (theirs,) = figures_of(one).quantities, figures_of(other).quantities
    assert mine.equals(theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on 11 March 2026", "2026-03-11"),
        ("令和8年3月11日", "March 11, 2026"),
        ("平成元年", "1989年"),
        ("at 6 pm", "18:00"),
        ("午後1時", "13時"),
        ("正午", "at noon"),
        ("on Tuesdays", "火曜日"),
    ],
)
def test_dates_and_times_are_the_same_in_every_notation(one: str, other: str) -> None:
    assert figures_of(one).moments == figures_of(other).moments != ()


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["1,", "no ", "一", "a-", "A ", "1.", "12月", "not more ", "、", "1:", "--a", "x/", "アア"])
def test_a_hostile_sentence_takes_no_more_than_its_length(shape: str) -> None:
    text = shape * (200_000 // len(shape))
    assert isinstance(differs(text[:2_000], text[:2_000] + "."), bool)
    assert figures_of(text).text
