"""Builtins with few arguments, with many, and those that change an object by a name."""
import functools

import torch
from torch import nn

one = map()  # reveal: unknown
two = filter()  # reveal: unknown
three = functools.partial()  # reveal: unknown
four = int()  # reveal: 0
five = float()  # reveal: 0
six = float("1.5")  # reveal: unknown
seven = getattr(torch.ones(2).cuda(), "data")  # reveal: cuda
eight = getattr(torch.ones(2).cuda(), "data", None)  # reveal: unknown

zeros = functools.partial(torch.zeros, device="cuda")
nine = zeros(3)  # reveal: cuda [1]
on_host = functools.partial(zeros, device="cpu")
ten = on_host(3)  # reveal: cpu

setattr()


class Net(nn.Module):
    def __init__(self, name):
        super().__init__()
        setattr(self, "known", nn.Linear(2, 2))
        setattr(self, name, nn.Linear(2, 2))


net = Net("first").cuda()
eleven = net.known  # reveal: cuda


class Plain:
    @classmethod
    def make(cls):
        base = super()  # reveal: unknown
        return cls()


plain = Plain.make()
setattr(plain, "weight", torch.ones(2))
twelve = plain.weight  # reveal: cpu


def by_name(plain, name):
    plain.weight = torch.ones(2)
    setattr(plain, name, torch.ones(2).cuda())
    one = plain.weight  # reveal: unknown
    setattr(name, "weight", torch.ones(2).cuda())
    two = name.weight  # reveal: cuda
    setattr([], "weight", None)


def spread(first, *rest, second=None, **more):
    a = second  # reveal: unknown; None
    return first


def calls(unseen, keys):
    spread(*unseen, **{})
    spread(1)
wrapper = torch.nn.DataParallel(torch.nn.Linear(3, 3), device_ids=[0, 1] if torch.several else None)
unseen = getattr(wrapper, "nothing")  # reveal: unknown
holder = torch.nn.Sequential(torch.nn.Linear(3, 3))
any_of_it = getattr(holder, torch.chosen)  # reveal: unknown


class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)


held = Held()
any_of_those = getattr(held, torch.chosen)  # reveal: unknown
