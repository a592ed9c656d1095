"""Requests of each caller, counted in PostgreSQL for all processes together: the algorithm of `rate`, as one statement."""

from __future__ import annotations

import hashlib
from typing import Final

from sqlalchemy import Engine, text

from ragd.access.rate import WINDOW_S, Allowance
from ragd.store.database.engine import independent

# One moment of the database's clock is in EXCLUDED: clocks of several machines differ. A moment further away than a window is
# of a clock that was set back, and counts for nothing. The count is not worth waiting for the disk: a crash of the database
# gives back what was counted in its last half second.
_TAKE: Final = text(
    "INSERT INTO request_rates AS known (caller_hash, full_at) "
    "SELECT :caller, CAST(extract(epoch FROM clock_timestamp()) AS double precision) + :each "
    "FROM (SELECT set_config('synchronous_commit', 'off', true)) AS quickly "
    "ON CONFLICT (caller_hash) DO UPDATE SET full_at = CASE WHEN known.full_at > EXCLUDED.full_at + :window "
    "THEN EXCLUDED.full_at ELSE greatest(known.full_at + :each, EXCLUDED.full_at) END "
    "WHERE known.full_at - EXCLUDED.full_at + 2 * :each - :window <= :each / 1000 "
    "OR known.full_at > EXCLUDED.full_at + :window "
    "RETURNING full_at - CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
)
_LEFT: Final = text(
    "SELECT full_at - CAST(extract(epoch FROM clock_timestamp()) AS double precision) "
    "FROM request_rates WHERE caller_hash = :caller"
)


class SharedRates:
    """Safe to use from several threads and processes. Blocks for a round trip to the database, or two for who has to wait."""

    blocks = True

    def __init__(self, engine: Engine) -> None:
        # One statement is one transaction.
        self._engine = independent(engine).execution_options(isolation_level="AUTOCOMMIT")

    def take(self, caller_id: str, per_minute: int) -> Allowance:
        """As `RateLimits.take`. Raises SQLAlchemy's errors while the database is away."""
        each = WINDOW_S / per_minute
        caller = hashlib.sha256(caller_id.encode("utf-8", "surrogateescape")).hexdigest()
        with self._engine.connect() as connection:
            after = connection.scalar(_TAKE, {"caller": caller, "each": each, "window": WINDOW_S})
            if after is not None:
                return Allowance(per_minute, max(0, round((WINDOW_S - after) / each)), max(0.0, after), 0.0)
            full_in = float(connection.scalar(_LEFT, {"caller": caller}) or 0.0)
        # Above 0 always: it was refused, and time has passed since.
        return Allowance(per_minute, 0, max(0.0, full_in), max(full_in + each - WINDOW_S, each / 1000))
