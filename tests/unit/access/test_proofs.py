"""What is remembered of tokens: for a while, up to a limit, and never after a denial."""

from __future__ import annotations

import time

from ragd.access.proofs import Key, Recent, content_size


def key(item: str, token: str = "t") -> Key:
    return Key.of(token, "source", item)


def test_a_token_is_kept_as_a_hash_of_this_process() -> None:
    assert key("page/1", "secret") == key("page/1", "secret") != key("page/1", "secret2")
    assert "secret" not in repr(key("page/1", "secret"))


def test_what_is_too_old_does_not_count() -> None:
    proofs: Recent[str] = Recent(ttl=10.0, limit=10)
    now = time.monotonic()
    proofs.put(key("old"), "1", seen_at=now - 10)
    proofs.put(key("young"), "1", seen_at=now - 5)
    assert proofs.get(key("old")) is None
    assert proofs.get(key("young")) == "1"
    assert proofs.get(key("young"), within=5) is None
    assert proofs.get(key("young", "another token")) is None


def test_the_least_recently_used_go_first() -> None:
    kept: Recent[str] = Recent(ttl=60.0, limit=content_size("x" * 100) * 2)
    for name in ("a", "b"):
        kept.put(key(name), name, content_size("x" * 100))
    assert kept.get(key("a")) == "a"
    kept.put(key("c"), "c", content_size("x" * 100))
    assert [kept.get(key(name)) for name in ("a", "b", "c")] == ["a", None, "c"]
    kept.put(key("huge"), "huge", content_size("x" * 100_000))
    assert kept.get(key("huge")) is None
    assert len(kept) == 2


def test_a_denial_is_not_taken_back_by_an_answer_from_before() -> None:
    proofs: Recent[str] = Recent(ttl=60.0, limit=10)
    began = time.monotonic()
    proofs.put(key("page"), "1")
    proofs.forget([key("page")])
    proofs.put(key("page"), "1", seen_at=began)
    assert proofs.get(key("page")) is None
    proofs.put(key("page"), "2")
    assert proofs.get(key("page")) == "2"


def test_a_token_that_is_refused_loses_all_that_it_was_seen_to_read() -> None:
    proofs: Recent[str] = Recent(ttl=60.0, limit=10)
    began = time.monotonic()
    for item in ("a", "b"):
        proofs.put(key(item), "1")
    proofs.put(key("a", "other"), "1")
    proofs.forget_token("t", "source")
    proofs.put(key("b"), "1", seen_at=began)
    assert [proofs.get(key("a")), proofs.get(key("b")), proofs.get(key("a", "other"))] == [None, None, "1"]
