"""Runs test functions in children of a process that has imported PyTorch, on a machine that is simulated there."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fork_server import receive, send

from torchdevlint.harness.simulator import Machine

ONE_DEVICE = Machine()
_SERVER: list[subprocess.Popen[bytes]] = []


def _server() -> subprocess.Popen[bytes]:
    if not _SERVER:
        path = Path(__file__).with_name("fork_server.py")
        process = subprocess.Popen([sys.executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        _SERVER.append(process)
    return _SERVER[0]


def stop() -> None:
    """End the server; with coverage it writes its data then."""
    for process in _SERVER:
        process.communicate()
    _SERVER.clear()


def run(
    function: Callable[..., Any],
    machine: Machine | None = ONE_DEVICE,
    environment: dict[str, str] | None = None,
    seconds: int = 120,
    **arguments: Any,
) -> Any:
    """Call a function of a test module in a child, on a machine or (None) on the CPU as it is; return its result.

    If the function has a parameter `simulation`, it gets what `install` returned. An error fails the test.
    """
    process = _server()
    assert process.stdin is not None
    assert process.stdout is not None
    request = {
        "file": inspect.getfile(function),
        "function": function.__name__,
        "machine": machine,
        "environment": environment or {},
        "arguments": arguments,
        "seconds": seconds,
    }
    send(process.stdin, request)
    kind, value, status = receive(process.stdout)
    if kind == "error":
        pytest.fail(f"in the child (status {status}):\n{value}", pytrace=False)
    assert status == 0
    return value


def simulated(
    machine: Machine | None = ONE_DEVICE, environment: dict[str, str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a test: its body runs in a child, on the machine."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def test(**arguments: Any) -> None:
            run(function, machine, environment, **arguments)

        signature = inspect.signature(function)
        parameters = [each for name, each in signature.parameters.items() if name != "simulation"]
        test.__name__ = function.__name__
        test.__module__ = function.__module__
        test.__doc__ = function.__doc__
        test.__signature__ = signature.replace(parameters=parameters)
        test.original = function
        return test

    return decorate
