"""Lists, tuples, dicts and sets: elements by position and key, methods, aliases, builtins that carry them."""
from collections import OrderedDict, defaultdict

import torch

xs = [torch.ones(3), torch.ones(3).cuda()]  # reveal: list of cpu, cuda
one = xs[0]  # reveal: cpu
two = xs[1]  # reveal: cuda
alias = xs
alias.append(torch.ones(3, device="mps"))
three = xs[2]  # reveal: mps
four = xs[:1]
five = xs[i]  # reveal: cpu | cuda | mps
six = xs + [torch.ones(3)]  # reveal: list of cpu, cuda, mps, cpu
seven = [*xs, 1]  # reveal: list of cpu, cuda, mps, 1
xs.clear()
xs.extend([torch.ones(3).cuda()])
eight = xs[0]  # reveal: cuda

batch = {"x": torch.ones(3), "y": torch.ones(3).cuda()}  # reveal: dict of cpu, cuda
nine = batch["x"]  # reveal: cpu
batch["x"] = batch["x"].cuda()
ten = batch["x"]  # reveal: cuda
batch.update(z=torch.ones(3))
eleven = batch["z"]  # reveal: cpu
twelve = batch.get("y")  # reveal: cuda
for key, value in batch.items():
    thirteen = value  # reveal: cuda; cpu
for value in batch.values():
    fourteen = value  # reveal: cuda; cpu
merged = {**batch, "w": torch.ones(3, device="mps")}
fifteen = merged["w"]  # reveal: mps
sixteen = merged["x"]  # reveal: cuda

pairs = list(zip([torch.ones(3)], [torch.ones(3).cuda()]))
a, b = pairs[0]
seventeen = a  # reveal: cpu
eighteen = b  # reveal: cuda
for index, x in enumerate([torch.ones(3).cuda()]):
    nineteen = x  # reveal: cuda
moved = tuple(map(lambda t: t.cuda(), [torch.ones(3)]))
twenty = moved[0]  # reveal: cuda
last = sorted([torch.ones(3).cuda()])[0]  # reveal: cuda
summed = sum([torch.ones(3).cuda(), torch.ones(3).cuda()])  # reveal: cuda
stacked = torch.stack([torch.ones(3).cuda() for _ in range(3)])  # reveal: cuda

grown = defaultdict(list)
grown["a"].append(torch.ones(3).cuda())
of_default = grown["a"][0]  # reveal: cuda
ordered = OrderedDict(a=torch.ones(3).cuda())
of_ordered = ordered["a"]  # reveal: cuda
backwards = list(reversed([torch.ones(3).cuda(), torch.ones(3).cuda()]))[0]  # reveal: cuda
left, right = torch.ones(4, 2).cuda().chunk(2)
half = right  # reveal: cuda

nested = {"a": {"b": [torch.ones(3).cuda()]}}
deep = nested["a"]["b"][0]  # reveal: cuda


def escapes(f):
    xs = [torch.ones(3)]
    f(xs)
    y = xs[0]  # reveal: unknown


def filled(items):
    xs = []
    for item in items:
        xs.append(torch.ones(3).cuda())
    y = xs[0]  # reveal: cuda
    z = torch.cat(xs)  # reveal: cuda


def taken(number):
    layers = torch.nn.ModuleList([torch.nn.Linear(2, 2).cuda(), torch.nn.Linear(2, 2).cuda()])
    one = layers.pop(number)  # reveal: cuda
    two = torch.nn.ModuleList().pop(number)  # reveal: unknown
