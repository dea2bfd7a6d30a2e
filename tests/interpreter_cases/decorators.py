"""Decorators: those that change nothing, those that nobody can see through."""
import contextlib
import functools

import torch
from elsewhere import register


@torch.no_grad()
def without_graph(x):
    return x.cuda()


one = without_graph(torch.ones(3))  # reveal: cuda


@functools.wraps(without_graph)
def wrapped(x):
    return x.cuda()


two = wrapped(torch.ones(3))  # reveal: cuda


@register
def registered(x):
    y = x.cuda()  # reveal: cuda
    return y


three = registered(torch.ones(3))  # reveal: unknown


class Plain:
    @property
    def place(self):
        return torch.device("cuda")

    @staticmethod
    def static(x):
        return x.cuda()

    @classmethod
    def make(cls):
        return cls()

    @functools.cached_property
    def cached(self):
        return torch.ones(3).cuda()


plain = Plain()
four = torch.ones(3).to(plain.place)  # reveal: cuda
five = plain.static(torch.ones(3))  # reveal: cuda
six = Plain.static(torch.ones(3))  # reveal: cuda
seven = plain.make().cached  # reveal: cuda


@functools.singledispatch
def described(x):
    return torch.ones(3)


@described.register
def of_number(x: int):
    return torch.ones(3)


numbered = of_number(3)  # reveal: unknown
