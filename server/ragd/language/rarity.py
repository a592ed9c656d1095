"""How much a word says by how few texts hold it (inverse document frequency; Spärck Jones 1972)."""

from __future__ import annotations

import math


def inverse_frequency(entries: int, holding: int) -> float:
    """IDF above zero of a term that `holding` of `entries` hold (Robertson & Zaragoza 2009, with 1 inside the logarithm)."""
    return math.log(1 + (entries - holding + 0.5) / (holding + 0.5))
