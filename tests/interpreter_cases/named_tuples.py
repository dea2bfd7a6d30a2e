"""Named tuples: fields by name and by position, of classes made by a call and by a definition."""

from collections import namedtuple
from typing import NamedTuple

import torch

Step = namedtuple("Step", ["state", "reward"], defaults=[torch.zeros(1, device="cuda")])
Pair = NamedTuple("Pair", [("left", torch.Tensor), ("right", torch.Tensor)])
Empty = namedtuple("Empty", "")
Odd = namedtuple("Odd", [[]])
Odder = NamedTuple("Odder", [(), ("x", int)])
Named = namedtuple(torch.name, "x")
Unnamed = namedtuple("Unnamed", torch.names)

step = Step(torch.ones(2))
state = step.state  # reveal: cpu
reward = step[1]  # reveal: cuda
pair = Pair(right=torch.ones(2), left=state.to("cuda"))
left, right = pair
first = left  # reveal: cuda
second = right  # reveal: cpu
other = pair._replace(right=left)
third = other.right  # reveal: cuda
fourth = other._asdict()["left"]  # reveal: cuda
rest = Step(*torch.list)
fifth = rest.reward  # reveal: where torch.list yields
sixth = pair.nothing  # reveal: unknown
seventh = Odd(1)  # reveal: unknown


class Made(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor = None

    def moved(self, device):
        return Made(self.x.to(device), y=self.x)

    @classmethod
    def of(cls, x):
        return cls(x)

    @staticmethod
    def same(x):
        return x

    @property
    def far(self):
        return self.x.cuda()


class Checked(namedtuple("Checked", "x")):
    def __new__(cls, x):
        return super().__new__(cls, x)


made = Made(torch.ones(2))
eighth = made.moved("cuda").x  # reveal: cuda
ninth = made.moved("cuda").y  # reveal: cpu
tenth = made.far  # reveal: cuda
eleventh = made.same(torch.ones(2))  # reveal: cpu
twelfth = made.of(torch.ones(2)).x  # reveal: cpu
thirteenth = made._replace(**torch.dict).x  # reveal: unknown
fourteenth = Checked(torch.ones(2)).x  # reveal: unknown
fifteenth = made.count(1)  # reveal: unknown
