"""What is asked about types and numbers of elements, and the devices that options of the command line name."""
import argparse
from types import SimpleNamespace

import torch
from elsewhere import Kind, items, name
from torch.utils.data import DataLoader

one = torch.ones(2)
pair = (one, one)
listed = [one, one]
by_name = {"a": one}


class Own:
    pass


a = isinstance(one, torch.Tensor)  # reveal: True
b = isinstance(one, (list, tuple, dict))  # reveal: False
c = isinstance(one, (list, Kind))  # reveal: unknown
d = isinstance(pair, (list, tuple))  # reveal: True
e = isinstance(pair, tuple)  # reveal: unknown
f = isinstance(pair, dict)  # reveal: False
g = isinstance(by_name, dict)  # reveal: True
h = isinstance(by_name, Own)  # reveal: unknown
i = isinstance(items, list)  # reveal: unknown
j = torch.is_tensor(one)  # reveal: True
k = torch.is_tensor(listed)  # reveal: False
l = torch.is_tensor(items)  # reveal: unknown
one_has = hasattr(one, "to")  # reveal: True
one_may_have = hasattr(one, "extra")  # reveal: unknown
pair_has = hasattr(pair, "to")  # reveal: unknown
m = len(pair)  # reveal: 2
n = len(listed)  # reveal: unknown
o = len(items)  # reveal: unknown


def scaled(given):
    p = isinstance(one * given, torch.Tensor)  # reveal: unknown
    q = torch.is_tensor(one * given)  # reveal: unknown


parser = argparse.ArgumentParser()
parser.add_argument(name, default="cuda")
parser.add_argument("-p", "--eval-place", "--place", default="cuda:1")
parser.add_argument("where", nargs="?", default="mps")
parser.add_argument("--host", default="cpu")
parser.add_argument("--size", default=3)
parser.add_argument("--type", type=int)
args = parser.parse_args()
r = one.to(args.eval_place)  # reveal: --eval-place
s = one.to(args.where)  # reveal: where
t = one.to(args.host)  # reveal: args.host
u = one.to(SimpleNamespace(place="cuda").place)  # reveal: cuda
v = one.to(argparse.Namespace().place)  # reveal: argparse.Namespace(…).place


class Moving:
    def __iter__(self):
        for tensor in listed:
            yield tensor.cuda()


class Numbered:
    def __getitem__(self, index):
        return one


for w in Moving():
    x = w  # reveal: cuda
for y in Numbered():
    z = y  # reveal: unknown

same_kind = type(pair)(tensor.cuda() for tensor in pair)
made, _ = same_kind
same = made  # reveal: cuda [1]
asked = type(iter(items))  # reveal: unknown
new = type("New", (), {})  # reveal: unknown

LEVEL = 2
if LEVEL:
    placed = one.cuda()
else:
    placed = one
by_level = placed  # reveal: cpu if not LEVEL | cuda if LEVEL

for samples in DataLoader(items, collate_fn=lambda samples: samples):
    gathered = samples  # reveal: where DataLoader yields


def literals():
    x = torch.ones(2)
    number, rows, name, nothing = 0.25, [1, 2], "a", None
    one = x.to("cuda") if isinstance(number, (int, float)) else x  # reveal: cuda
    two = x.to("cuda") if isinstance(rows, list) else x  # reveal: cuda
    three = x.to("cuda") if isinstance(name, (list, tuple)) else x  # reveal: cpu
    four = x.to("cuda") if isinstance(True, int) else x  # reveal: cuda
    five = x.to("cuda") if isinstance(nothing, (torch.Tensor, str)) else x  # reveal: cpu


def of_types_of_cuda(given, other):
    if isinstance(given, torch.cuda.FloatTensor):
        there = given + torch.ones(3)
    moved = other.cpu()
    here = isinstance(moved, torch.cuda.FloatTensor)  # reveal: False
    either = isinstance(moved, (torch.cuda.FloatTensor, torch.cuda.HalfTensor))  # reveal: False
    number = isinstance(3, torch.cuda.FloatTensor)  # reveal: unknown
    kind = isinstance(moved, (torch.cuda.FloatTensor, Kind))  # reveal: unknown
