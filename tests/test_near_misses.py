"""Correct functions that are close to a bug: nothing is found in them. Those marked are known false alarms."""

from __future__ import annotations

import textwrap

import pytest

from torchdevlint.engine import analyse
from torchdevlint.options import Options

# each runs with a network on a device that is a parameter, and a tensor made on the host
TESTED = {
    "not equal, then return": """
        if device != "cpu":
            return net(x.to(device))
        return net(x)
    """,
    "equal, then return": """
        if device == "cpu":
            return net(x)
        return net(x.to(device))
    """,
    "type is the host": """
        if device.type == "cpu":
            return net(x)
        return net(x.to(device))
    """,
    "type is an accelerator": """
        if device.type == "cuda":
            return net(x.to(device))
        return net(x)
    """,
    "type of the joined": """
        if device.type != "cpu":
            x = x.to(device)
        return net(x)
    """,
    "type among several": """
        if device.type in ("cuda", "mps"):
            return net(x.to(device))
        return net(x)
    """,
    "as text": """
        if str(device) == "cpu":
            return net(x)
        return net(x.to(device))
    """,
    "part of the text": """
        if "cuda" in str(device):
            return net(x.to(device))
        return net(x)
    """,
    "beginning of the text": """
        if device.startswith("cuda"):
            return net(x.to(device))
        return net(x)
    """,
    "a flag": """
        on_host = device == "cpu"
        if on_host:
            return net(x)
        return net(x.to(device))
    """,
    "an assertion": """
        assert device == "cpu"
        return net(x)
    """,
    "as a device": """
        if device == torch.device("cpu"):
            return net(x)
        return net(x.to(device))
    """,
    "where the network is": """
        if next(net.parameters()).device.type == "cpu":
            return net(x)
        return net(x.to(device))
    """,
    "moved on where there is a GPU": """
        if torch.cuda.is_available():
            x = x.cuda()
            net = net.cuda()
        return net(x)
    """,
}
OTHERS = {
    "a default device that another function sets": """
        def on_gpu():
            torch.set_default_device("cuda")
            return torch.ones(3)


        def on_host():
            return torch.ones(3) + torch.ones(3, device="cpu")
    """,
    "the type of a device has no index": """
        device = torch.device("cuda:1")
        print(torch.ones(3).to(device.type) + torch.ones(3).to("cuda:0"))
    """,
    "networks on the device of the process": """
        def run(gpu):
            net = nn.Linear(3, 3)
            if torch.cuda.is_available():
                if gpu is not None:
                    net.cuda(gpu)
                else:
                    net.cuda()
            x = torch.ones(3)
            if gpu is not None:
                x = x.cuda(gpu)
            if torch.cuda.is_available():
                x = x.cuda(gpu)
            return net(x)
    """,
}


def function(body: str) -> str:
    head = "def run(device):\n    net = nn.Linear(3, 3).to(device)\n    x = torch.ones(3)\n"
    return head + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


SOURCES = {
    **{f"a test of the device: {name}": function(body) for name, body in TESTED.items()},
    **{name: textwrap.dedent(source) for name, source in OTHERS.items()},
}


KNOWN = set(SOURCES) - {"a test of the device: type of the joined"}
FALSE_ALARM = pytest.mark.xfail(reason="a known false alarm", strict=True)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[FALSE_ALARM] * (name in KNOWN)) for name in SOURCES])
def test_nothing_is_found_in_what_is_correct(name: str) -> None:
    options = Options(wants=lambda code: not code.startswith("TDL5"))  # devices may be written into the code here
    assert analyse(f"import torch\nfrom torch import nn\n\n\n{SOURCES[name]}", options=options) == ()
