"""Pictures that others made: what is held out took no part in the training, and each can be told from a newer one of its name."""

from __future__ import annotations

import re
from collections import Counter

from ragd.vision.description import IMAGE_TYPES

from .loading import load

others = load("pictures.others")


def test_no_package_of_the_training_has_pictures_in_another_role() -> None:
    roles = ("train", "held-out", "sampled")
    packages = {role: {row.package for row in others.rows() if row.role == role} for role in roles}
    assert {row.role for row in others.rows()} == set(roles)
    assert not packages["train"] & (packages["held-out"] | packages["sampled"])
    assert len(packages["train"]) >= 10


def test_no_picture_is_listed_twice_or_without_a_type() -> None:
    rows = others.rows()
    assert not [name for name, count in Counter(row.place for row in rows).items() if count > 1]
    assert not [digest for digest, count in Counter(row.sha256 for row in rows).items() if count > 1]
    assert {row.kind for row in rows} <= set(IMAGE_TYPES)
    assert all(re.fullmatch("[0-9a-f]{16}", row.sha256) for row in rows)
