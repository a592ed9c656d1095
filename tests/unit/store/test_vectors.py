"""The vector cache: a text is embedded once for each model."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import Engine

from ragd.store.vectors import VectorCache


def row(value: float) -> np.ndarray:
    return np.full(4, value, dtype=np.float32)


def test_vectors_come_back_as_they_were_put(engine: Engine) -> None:
    cache = VectorCache(engine, "model", "r1")
    values = {f"{number:032x}": np.random.default_rng(number).standard_normal(8).astype(np.float32) for number in range(1200)}
    cache.put(values)
    found = cache.get([*values, "f" * 32, *list(values)[:3]])
    assert found.keys() == values.keys()
    assert all(np.array_equal(found[key], values[key]) and found[key].dtype == np.float32 for key in values)


def test_another_model_or_revision_sees_nothing(engine: Engine) -> None:
    VectorCache(engine, "model", "r1").put({"a": row(1)})
    VectorCache(engine, "model", "r2").put({"a": row(2)})
    VectorCache(engine, "other", "r1").put({"a": row(3)})
    assert VectorCache(engine, "other", "r2").get(["a"]) == {}
    found = [
        VectorCache(engine, *identity).get(["a"])["a"][0] for identity in (("model", "r1"), ("model", "r2"), ("other", "r1"))
    ]
    assert found == [1, 2, 3]


def test_putting_twice_keeps_the_first(engine: Engine) -> None:
    cache = VectorCache(engine, "model", "r1")
    cache.put({"a": row(1)})
    cache.put({"a": row(9), "b": row(2)})
    found = cache.get(["a", "b"])
    assert (found["a"][0], found["b"][0]) == (1, 2)


@pytest.mark.parametrize(
    "layout", [np.asfortranarray, lambda matrix: matrix.astype(">f4"), lambda matrix: matrix.astype(np.float64)]
)
def test_a_row_of_any_layout_is_kept_by_value(engine: Engine, layout: object) -> None:
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    cache = VectorCache(engine, "model", "r1")
    cache.put({"row": layout(matrix)[1]})  # type: ignore[operator]
    assert cache.get(["row"])["row"].tolist() == [4, 5, 6, 7]


def test_nothing_is_asked_for_nothing(engine: Engine) -> None:
    cache = VectorCache(engine, "model", "r1")
    cache.put({})
    assert cache.get([]) == {}
