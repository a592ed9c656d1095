"""The estimator of whether passages answer a question: its signs, and that nothing else decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import pytest

from ragd.core.documents import Place
from ragd.core.query import QueryPlan
from ragd.core.results import Passage
from ragd.providers.analyzers.terms import BigramAnalyzer
from ragd.retrieve.ranking.asked import asked_for
from ragd.retrieve.ranking.confidence import confidence_of, evidence_of

ANALYZER = BigramAnalyzer()
ENTRIES = 1000

Plan = Callable[..., QueryPlan]


def passage(content: str, chunk_id: str = "c") -> Passage:
    return Passage(chunk_id, "d", "v", "k", content, "a.md", "file:///a.md", "markdown", "Title", (), Place(), 0, 1)


def frequencies(terms: Collection[str], **holding: int) -> tuple[int, Mapping[str, int]]:
    return ENTRIES, {term: holding.get(term, 20) for term in terms}


def confidence(plan: QueryPlan, *contents: str, cosine: float | None = None, **holding: int) -> float:
    """`cosine` is taken for the relevance itself."""
    passages = [passage(content, str(number)) for number, content in enumerate(contents)]
    cosines = {} if cosine is None else {one.chunk_id: cosine for one in passages}
    found = evidence_of(plan, passages, cosines, ANALYZER, lambda terms: frequencies(terms, **holding), lambda share: share)
    return confidence_of(found)


def test_nothing_found_gives_no_confidence(plan: Plan) -> None:
    assert confidence(plan("How long does a lease last?")) == 0.0


@pytest.mark.parametrize("cosine", [None, 0.4])
def test_a_passage_that_holds_the_words_and_what_is_asked_for_answers(plan: Plan, cosine: float | None) -> None:
    asked = plan("How long does a lease last?")
    assert confidence(asked, "A lease will last 90 seconds.", cosine=cosine) > 0.5
    assert confidence(asked, "A lease belongs to a worker.", cosine=cosine) < confidence(
        asked, "A lease will last 90 seconds.", cosine=cosine
    )


@pytest.mark.parametrize("cosine", [None, 0.3])
def test_words_of_the_question_alone_are_no_answer(plan: Plan, cosine: float | None) -> None:
    other = "What is the name of the queue that you can use, and what is it for?"
    assert confidence(plan("What is the capital of Peru?"), other, cosine=cosine, capit=0, peru=0) < 0.5


def test_a_rare_word_that_is_missing_weighs_more_than_a_frequent_one(plan: Plan) -> None:
    asked = plan("snapshot retention archive")
    without_rare = confidence(asked, "retention archive", snapshot=1, retent=400, archiv=400)
    without_frequent = confidence(asked, "snapshot archive", snapshot=1, retent=400, archiv=400)
    assert without_frequent > without_rare


def test_what_stands_behind_the_last_word_that_counts_is_not_analysed(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    analysed = ANALYZER.tokens
    monkeypatch.setattr(BigramAnalyzer, "tokens", lambda _self, text: (read.append(text), analysed(text))[1])
    beginning, rest = "A snapshot has its own retention.", " ".join(f"Sentence {number} says more." for number in range(50))

    def parts(question: str, text: str) -> int:
        asked = plan(question)
        read.clear()
        confidence(asked, text)
        return len(read)

    assert parts("snapshot retention", f"{beginning} {rest}") <= 3, "the heading, and what holds all words"
    assert parts("snapshot retention archive", f"{beginning} {rest}") > 50, "a word is missing, which may come yet"
    assert parts("How long is the retention of a snapshot?", f"{beginning} {rest}") > 50, "a time may stand anywhere"


def test_the_similarity_counts_as_the_model_is_calibrated(plan: Plan) -> None:
    asked, texts = plan("snapshot retention"), ["Backups are kept for a month."]
    assert confidence(asked, *texts, cosine=0.7) > confidence(asked, *texts, cosine=0.5) > confidence(asked, *texts, cosine=0.2)


def test_words_of_another_language_need_not_be_found(plan: Plan) -> None:
    asked = plan("スナップショットはどのくらい保存されますか")
    assert confidence(asked, "Snapshots are kept for 35 days on every node.", cosine=0.55) > 0.5


def test_a_passage_that_holds_what_is_named_to_the_letter_is_trusted(plan: Plan) -> None:
    asked = plan("what is MAX_LEASE")
    assert confidence(asked, "Set max_lease to 5.", cosine=0.1) > 0.9
    assert confidence(asked, "Set max_leases to 5.", cosine=0.1) < 0.5
    assert confidence(asked, "MAX_LEASEの上限", cosine=0.1) > 0.9


def test_what_is_named_is_not_enough_where_most_of_the_question_is_missing(plan: Plan) -> None:
    asked = plan("who manufactured and insured the pumps of hall_b in Trondheim")
    assert confidence(asked, "The gas alarm of hall_b is tested on Mondays.", cosine=0.3) < 0.5


@pytest.mark.parametrize(
    "phrasing", ["avahi", "tell me about avahi", "avahiについて書いてあるページ", "Show the page about avahi please"]
)
def test_the_one_word_that_a_question_is_about_is_enough_however_it_asks(plan: Plan, phrasing: str) -> None:
    assert confidence(plan(phrasing), "On these hosts avahi answers for names.", cosine=0.1) > 0.9


def test_a_word_that_is_cut_otherwise_in_the_passage_is_there_all_the_same(plan: Plan) -> None:
    assert confidence(plan("who knows something about 三和土"), "この作業では三和土を使う決まりです。", cosine=0.1) > 0.9


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("How many nodes are there?", "There are twelve nodes.", "The nodes are new."),
        ("How long is it kept?", "It is kept for 14 days.", "It is kept in the vault 7."),
        ("How much does a drive cost?", "A drive costs 80 euros.", "A drive has 80 platters."),
        ("Who approves it?", "It is approved by Ingrid Solheim.", "it is approved at once"),
        ("When does it open?", "It opens in March.", "It opens with a key."),
        ("When may it be opened?", "It may be opened while nobody is near.", "It may be opened with a key."),
        ("期限はいつまでですか", "期限は発行から一年間です", "期限は規程にあります"),
        ("申し込みはいつまでですか", "申し込みは前日の正午で締め切る", "申し込みは係で受ける"),
        ("担当者は何人ですか", "担当者は3人です", "担当者は3階にいます"),
        ("料金はいくらですか", "料金は4万円です", "料金は後で決めます"),
        ("会議はいつですか", "会議は2月3日です", "会議は中止です"),
        ("责任人是谁", "责任人是设备团队", "责任很大"),
        ("需要多久", "需要3小时", "需要钥匙"),
    ],
)
def test_what_a_question_asks_for_is_known_when_seen(question: str, answer: str, other: str) -> None:
    asked = asked_for(question)
    assert asked is not None
    assert asked.is_in(answer)
    assert not asked.is_in(other)


def test_what_is_asked_for_may_stand_behind_a_wrap_or_below_a_term(plan: Plan) -> None:
    asked = plan("When must pipes not be flushed?")
    wrapped = (
        "drain\n  Empties a tank.\nflush\n  Rinses pipes with water. Not to be used below\n  -5 °C, when the outlet would freeze."
    )
    for text, is_there in (
        (wrapped, True),
        (wrapped.replace("when", "as"), False),
        (f"{wrapped[:65]}{'x' * 60}. It is off when idle.", False),
    ):
        found = evidence_of(asked, [passage(text)], {}, ANALYZER, frequencies)
        assert found is not None
        assert found.absent is not is_there


def test_a_question_word_with_its_counter_is_not_looked_for(plan: Plan) -> None:
    assert not {"何人", "何回"} & set(plan("書庫には何人まで、何回入れますか").content)


def test_names_of_the_question_itself_are_not_what_it_asks_for() -> None:
    asked = asked_for("When did the audit of 2025 end?")
    assert asked is not None
    assert not asked.is_in("the audit of 2025 was thorough")


@pytest.mark.parametrize("unit", ["1", "a ", "- ", "一", "Ab ", "how many ", "12,", "何", "(", "名", "| "])
@pytest.mark.parametrize(
    "question", ["How many queue nodes are there?", "How long?", "Who?", "何人ですか", "How much does it cost?"]
)
def test_time_grows_with_the_length_of_the_passage(
    question: str, unit: str, linear: Callable[[Callable[[str], object], str], None]
) -> None:
    asked = asked_for(question)
    assert asked is not None
    linear(asked.is_in, unit)


@pytest.mark.parametrize("unit", ["how many ", "a", "何", "how much ", "- "])
def test_time_grows_with_the_length_of_the_question(unit: str, linear: Callable[[Callable[[str], object], str], None]) -> None:
    linear(asked_for, unit)
