"""Scopes: global, nonlocal, closures, nested functions and classes, defaults evaluated outside."""
import torch

x = torch.ones(3).cuda()
total = torch.zeros(3)


def reads_global():
    y = x  # reveal: cuda


def writes_global():
    global total
    total = torch.zeros(3).cuda()


def shadows():
    x = torch.ones(3)
    y = x  # reveal: cpu


writes_global()
shadows()
seen = total  # reveal: cuda
still = x  # reveal: cuda


def outer():
    held = torch.ones(3)

    def inner():
        nonlocal held
        held = held.cuda()
        y = held  # reveal: cuda

    inner()
    z = held  # reveal: cuda


outer()


def counter():
    held = torch.ones(3).cuda()

    def read():
        return held

    return read


read = counter()
got = read()  # reveal: cuda


def with_default(value=x, other=torch.ones(2)):
    y = value  # reveal: cuda
    z = other  # reveal: cpu


with_default()


class Config:
    place = torch.ones(3).cuda()
    inner = place  # reveal: cuda

    class Nested:
        held = torch.ones(3)
        again = held  # reveal: cpu


outside = Config.place  # reveal: cuda
nested = Config.Nested.held  # reveal: cpu


def local_class():
    class Local:
        held = torch.ones(3).cuda()

    y = Local.held  # reveal: cuda


local_class()


def evaluated(code, wanted):
    tensor, layer = torch.ones(2), torch.nn.Linear(2, 2)
    if wanted:
        early = torch.nn.Linear(2, 2)
        return early
    eval(code)
    one = tensor  # reveal: unknown
    two = layer  # reveal: unknown
