"""Who asks, and what they may do: a role in some collections, or in every one and in the service itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Literal

from ragd.core.errors import Forbidden


class Role(IntEnum):
    """Each may do what those before it may."""

    READER = 1
    WRITER = 2
    ADMIN = 3


ROLES: Final = {role.name.lower(): role for role in Role}


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who was authenticated. `roles` is by id of collection; `everywhere` counts in each, and in the service itself."""

    kind: Literal["local", "key", "oidc", "browser"]
    id: str
    name: str
    everywhere: Role | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    keeps_what_it_makes: bool = False
    """Whether a collection that this caller makes becomes one of its own."""
    rate_per_minute: int | None = None
    quota_documents: int | None = None
    quota_bytes: int | None = None

    @property
    def readable(self) -> frozenset[str] | None:
        """Ids of the collections that this caller may read; None for all."""
        return self.reach(Role.READER)

    def reach(self, role: Role) -> frozenset[str] | None:
        """Ids of the collections in which the caller has the role; None for all."""
        if (self.everywhere or 0) >= role:
            return None
        return frozenset(kb_id for kb_id, own in self.roles.items() if own >= role)

    def require(self, role: Role, kb_ids: Iterable[str] | None) -> None:
        """Raises `Forbidden` unless the caller has the role in each of these collections; None is the service as a whole."""
        if (self.everywhere or 0) >= role:
            return
        if kb_ids is None:
            raise Forbidden(f"This needs the role {role.name.lower()} in the whole service, which '{self.name}' does not have.")
        if any(self.roles.get(kb_id, 0) < role for kb_id in kb_ids):
            raise Forbidden(
                f"This needs the role {role.name.lower()} in the collection, which '{self.name}' does not have there."
            )

    def require_making(self) -> None:
        """Raises `Forbidden` unless the caller may make collections."""
        if not self.keeps_what_it_makes:
            self.require(Role.ADMIN, None)


NOBODY: Final = Caller("browser", "", "nobody")
"""Who showed nothing, where nothing is asked for, or a cookie that is good for the pages of the description."""

LOCAL: Final = Caller("local", "local", "the token of daemon.json", everywhere=Role.ADMIN)
"""Whoever can read `daemon.json`: the user of the machine whose data directory it is, by the command line or an editor."""
