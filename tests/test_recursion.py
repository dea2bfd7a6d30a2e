"""Room to run: what is changed is put back, whatever happens."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

import pytest

from torchdevlint.recursion import deep_recursion, uninterrupted


def test_the_limit_is_put_back() -> None:
    before = sys.getrecursionlimit()

    def fail() -> NoReturn:
        with deep_recursion():
            assert sys.getrecursionlimit() >= before
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert sys.getrecursionlimit() == before


def test_the_collector_is_put_back() -> None:
    def fail() -> NoReturn:
        with uninterrupted():
            assert not gc.isenabled()
            raise KeyError

    assert gc.isenabled()
    with pytest.raises(KeyError):
        fail()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with uninterrupted():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
