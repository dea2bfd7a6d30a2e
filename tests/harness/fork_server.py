"""A process that has imported PyTorch and forks a child for each function that is to be run.

Started by `simulated.py`, which sends requests to its standard input and reads results from its standard output.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import pickle
import signal
import struct
import sys
import traceback
from pathlib import Path
from typing import Any, BinaryIO

HEADER = struct.Struct("!Q")


def send(stream: BinaryIO, value: object) -> None:
    """Write a value with its length before it."""
    data = pickle.dumps(value)
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read a value; raises EOFError where there is none."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        raise EOFError
    return pickle.loads(stream.read(HEADER.unpack(header)[0]))  # noqa: S301 -- from our own process


def call(request: dict[str, Any]) -> Any:
    """Do in the child what is asked for, and return its result."""
    import torch

    torch.set_num_threads(1)
    os.environ.update(request["environment"])
    simulation = None
    if request["machine"] is not None:
        from torchdevlint.harness.simulator import install

        simulation = install(request["machine"])
    path = Path(request["file"])
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module  # what it defines can be pickled
    sys.path.insert(0, str(path.parent))
    specification.loader.exec_module(module)
    function = getattr(module, request["function"])
    function = getattr(function, "original", function)
    arguments = dict(request["arguments"])
    if "simulation" in inspect.signature(function).parameters:
        arguments["simulation"] = simulation
    return function(**arguments)


def serve(requests: BinaryIO, results: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(request["seconds"])
            os.close(reader)
            try:
                answer = ("result", call(request))
            except BaseException:  # noqa: BLE001 -- whatever it is, the test is to show it
                answer = ("error", traceback.format_exc())
            with os.fdopen(writer, "wb") as pipe:
                send(pipe, answer)
            sys.stderr.flush()
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            try:
                answer = receive(pipe)
            except EOFError:
                answer = ("error", "the child ended without a result")
        _, status = os.waitpid(child, 0)
        send(results, (*answer, os.waitstatus_to_exitcode(status)))


def main() -> None:
    """Import what each child needs, keep the standard output for results, and serve."""
    import pytest  # noqa: F401
    import torch
    import torch._dynamo
    import torch.utils.data

    import torchdevlint.harness.simulator.installation  # noqa: F401

    torch.set_num_threads(1)
    with os.fdopen(os.dup(1), "wb") as results:
        os.dup2(2, 1)
        serve(sys.stdin.buffer, results)


if __name__ == "__main__":
    main()
