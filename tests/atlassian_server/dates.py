"""Dates as people write them in CQL and JQL: to the minute, in a zone that the query doesn't name."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_FORMATS = ("%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M", "%Y-%m-%d", "%Y/%m/%d")
_UNITS = {"m": 1, "h": 60, "d": 24 * 60, "w": 7 * 24 * 60}


def parse_local(text: str, zone: ZoneInfo) -> datetime | None:
    """UTC; None for what is no date. Seconds and offsets are refused, as by the real ones."""
    for pattern in _FORMATS:
        try:
            return datetime.strptime(text.strip(), pattern).replace(tzinfo=zone).astimezone(UTC)
        except ValueError:
            continue
    return None


def parse_period(text: str) -> timedelta | None:
    """`-5d`, `4w 2d`, `-1h 30m`; None for anything else."""
    if not re.fullmatch(r"[+-]?\d+[mhdw]( \d+[mhdw])*", text.strip()):
        return None
    minutes = sum(int(amount) * _UNITS[unit] for amount, unit in re.findall(r"(\d+)([mhdw])", text))
    return timedelta(minutes=-minutes if text.strip().startswith("-") else minutes)


def to_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def start_of_day(now: datetime, zone: ZoneInfo) -> datetime:
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)


def compare(operator: str, left: object, right: object) -> bool:
    """Of two values of one kind that has an order."""
    if operator == "=":
        return left == right
    if operator == "!=":
        return left != right
    if operator in (">", ">="):
        return left > right or (operator == ">=" and left == right)  # type: ignore[operator]
    return left < right or (operator == "<=" and left == right)  # type: ignore[operator]
