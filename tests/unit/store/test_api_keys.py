"""API keys on both databases: what one process writes, the others see at their next request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.core.errors import KeyNameConflict, KeyNotFound
from ragd.store.api_keys import ApiKeys, Limits
from ragd.store.collections import Collections
from ragd.store.database.engine import open_engine

pytestmark = pytest.mark.slow


@pytest.fixture(params=["sqlite", "postgresql"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[ApiKeys, ApiKeys, Collections]]:
    """The keys of one store as two processes see them, and its collections."""
    url = ""
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_server").url(request.getfixturevalue("postgres_database"))
    first, second = (open_engine(url, tmp_path) for _ in range(2))
    yield ApiKeys(first), ApiKeys(second), Collections(first)
    first.dispose()
    second.dispose()


def test_what_one_process_makes_rotates_and_revokes_another_sees_at_once(two: tuple[ApiKeys, ApiKeys, Collections]) -> None:
    here, there, collections = two
    kb_id = collections.create("handbook").kb_id
    made, text = here.create("portal", "writer", [kb_id], lifetime_s=3600, limits=Limits(60, 10, 5 * 10**9))
    seen = there.of_text(text)
    assert seen == made
    assert (made.collections, made.limits.quota_bytes, made.ended(made.created_at)) == ((kb_id,), 5 * 10**9, None)
    with pytest.raises(KeyNameConflict):
        there.create("portal", "reader", None)
    _, newer = here.rotate(made.key_id, 0)
    assert there.of_text(text) is None
    assert there.of_text(newer) is not None
    other = collections.create("designs").kb_id
    there.grant(made.key_id, other)
    assert set(here.get(made.key_id).collections or ()) == {kb_id, other}
    assert here.usage([kb_id]) == (0, 0)
    here.revoke(made.key_id)
    ended = there.of_text(newer)
    assert ended is not None
    assert "revoked" in (ended.ended(ended.created_at) or "")
    assert not there.any_good()
    with pytest.raises(KeyNotFound):
        there.rotate(made.key_id, 0)
    there.create("portal", "reader", None)
    assert [key.name for key in here.page(1, 10)[0]] == ["portal", "portal"]
    assert here.any_good()
