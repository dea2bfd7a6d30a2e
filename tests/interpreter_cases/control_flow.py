"""Ways through a file that are rare: `finally` that leaves, loops without an end, devices that are compared."""
import sys

import torch
from torch import nn
from elsewhere import flag, build


def finally_leaves():
    try:
        x = torch.ones(2)
    finally:
        return x.cuda()
    y = x  # reveal: never


a = finally_leaves()  # reveal: cuda


def otherwise_leaves(items):
    for item in items:
        x = item
    else:
        return torch.ones(2).cuda()
    y = x  # reveal: never


b = otherwise_leaves([1, 2])  # reveal: cuda


def compared(name):
    device = torch.device(name)
    if device == "cpu":
        c = torch.ones(2, device=device)  # reveal: name
    elif device == name:
        c = torch.ones(2, device=device)  # reveal: name
    elif device.type != "cpu":
        c = torch.ones(2, device=device)  # reveal: name


count = torch.cuda.device_count()
if count == 0:
    where = "cpu"
else:
    where = "cuda"
d = torch.ones(2, device=where)  # reveal: cpu if not cuda | cuda if cuda

values = [torch.ones(2).cuda()]
found = [last for value in values if (last := value) is not None]
e = last  # reveal: cuda

for step in range(4):
    if step % 2 == 0:
        f = torch.ones(2).cuda()  # reveal: cuda


def in_match(x, net):
    match x:
        case [first, *rest] | {"a": first, **rest}:
            g = first  # reveal: unknown
            rest = rest  # reveal: unknown
        case torch.Tensor(shape=(n,)):
            h = n  # reveal: unknown
        case _:
            pass


class Machine:
    def __init__(self):
        self.x = torch.ones(2)

    def change(self, kind):
        match kind:
            case 1:
                self.x = torch.ones(2).cuda()
            case _:
                self.x = None

    def read(self):
        i = self.x  # reveal: unknown


flag() and build().cuda()
j = [].append()  # reveal: None
k = [].insert()  # reveal: None


def singles(value, **options):
    return value


m = singles(1, **{2: 3})


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(1))


def of_nothing_known(thing):
    holder = Holder()
    thing(holder)
    n = holder.p.device == "cpu"  # reveal: flag holder.p.device == "cpu"
    o = nn.Linear(1, 1).parameters().first  # reveal: unknown


def of_a_lost_list(change):
    given, taken = [torch.ones(1)], []
    change(given)
    taken.extend(given)
    p = taken[0]  # reveal: unknown
