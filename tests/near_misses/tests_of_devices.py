"""Correct code that asks where something is before it goes there."""

from __future__ import annotations

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
# the same in a method of a module, where the input is where the module is
IN_METHODS = {
    "of the input's type": """
        if not x.is_cuda:
            return self.layer(x + made)
        return self.layer(x + made.cuda())
    """,
    "of the input's device": """
        if x.device.type == "cpu":
            return self.layer(x + made)
        return self.layer(x + made.to(x.device))
    """,
    "of a parameter's type": """
        if next(self.parameters()).is_cuda:
            return self.layer(x + made.to(x.device))
        return self.layer(x + made)
    """,
    "of a weight's device": """
        if self.layer.weight.device.type != "cpu":
            made = made.to(x.device)
            return self.layer(x + made)
        return self.layer(x + made)
    """,
    "of what there is": """
        if not torch.cuda.is_available():
            return self.layer(x + made)
        return self.layer(x + made.to(x.device))
    """,
    "by an assertion": """
        assert not x.is_cuda
        return self.layer(x + made)
    """,
    "of both devices": """
        if x.device == made.device:
            return self.layer(x + made)
        return self.layer(x + made.to(x.device))
    """,
}
