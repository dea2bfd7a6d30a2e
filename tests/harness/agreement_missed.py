"""The alarms that are known to be missed: for each operator at most how many, and why."""

from __future__ import annotations

MISSED: dict[str, tuple[int, str]] = {}
