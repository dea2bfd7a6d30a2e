"""Which codes flake8 was asked for: whether there is anything to do, and whether advice may speak.

flake8 drops what was not selected by itself. Two things it does not do: spare the work when no code of
ours can be shown, and keep advice off under `--select TDL`, which names every code explicitly.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable

from torchdevlint.options import on_by_default
from torchdevlint.records import dataclass

_PREFIX = "TDL"
_NAMES_ADVICE = 4  # the length of "TDL9", the shortest selector that means advice and nothing else


@dataclass(frozen=True, slots=True)
class Selection:
    """flake8's selectors: what the user wrote, and what applies where the user wrote nothing."""

    chosen: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    chosen_by_default: tuple[str, ...] = (_PREFIX,)
    ignored_by_default: tuple[str, ...] = ()

    def wants(self, code: str) -> bool:
        """Whether a finding with this code is to be reported to flake8."""
        return (on_by_default(code) or self._names(code)) and self.shows(code)

    def wants_any(self) -> bool:
        """Whether there is a code of ours that flake8 would show."""
        return any(self.shows(f"{_PREFIX}{number:03}") for number in range(1000))

    def shows(self, code: str) -> bool:
        """Decide as flake8's `DecisionEngine` does: what the user wrote wins, then the longer selector."""
        chosen, ignored = _longest(self.chosen, code), _longest(self.ignored, code)
        if bool(chosen) != bool(ignored):
            return bool(chosen)
        # flake8 weighs its defaults here too, even against what the user wrote
        chosen = max(chosen, _longest(self.chosen_by_default, code))
        return chosen > max(ignored, _longest(self.ignored_by_default, code))

    def _names(self, code: str) -> bool:
        return any(len(selector) >= _NAMES_ADVICE and code.startswith(selector) for selector in self.chosen)


def from_flake8(options: Namespace) -> Selection:
    """Read flake8's parsed options; an option that this flake8 does not have counts as not given."""

    def given(name: str) -> tuple[str, ...]:
        return tuple(getattr(options, name, None) or ())

    def where_not_given(option: str, default: str) -> tuple[str, ...]:
        return given(default) if getattr(options, option, None) is None else ()

    return Selection(
        chosen=given("select") + given("extend_select"),
        ignored=given("ignore") + given("extend_ignore"),
        chosen_by_default=where_not_given("select", "extended_default_select"),
        ignored_by_default=where_not_given("ignore", "extended_default_ignore"),
    )


def _longest(selectors: Iterable[str], code: str) -> int:
    return max((len(selector) for selector in selectors if code.startswith(selector)), default=0)
