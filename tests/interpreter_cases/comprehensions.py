"""Comprehensions and generator expressions: a scope of their own, elements of what they yield."""
import torch


def over_known():
    xs = [torch.ones(3), torch.ones(3).cuda()]
    ys = [x for x in xs]  # reveal: list of cpu, cuda
    zs = [x.cuda() for x in xs]  # reveal: list of cuda, cuda
    first = zs[0]  # reveal: cuda


def over_unknown(items):
    xs = [torch.ones(3).cuda() for item in items]  # reveal: list of cuda …
    x = xs[0]  # reveal: cuda
    for y in xs:
        z = y  # reveal: cuda


def with_condition(items, a):
    xs = [torch.ones(3).cuda() for item in items if a]  # reveal: list of cuda …


def two_clauses(items):
    xs = [torch.ones(3).cuda() for a in items for b in a]  # reveal: list of cuda …


def sets_and_generators(items):
    xs = {torch.ones(3).cuda() for item in items}  # reveal: set of cuda …
    ys = (torch.ones(3) for item in items)  # reveal: iterator of cpu …
    x = next(ys)  # reveal: cpu


def dictionaries(items):
    xs = {k: v.cuda() for k, v in items.items()}
    x = xs["a"]  # reveal: cuda
    moved = {k: torch.ones(3).cuda() for k in items}  # reveal: dict of cuda …
    y = moved["k"]  # reveal: cuda
    for key, value in moved.items():
        z = value  # reveal: cuda


def known_dictionary():
    batch = {"x": torch.ones(3), "y": torch.zeros(3)}
    batch = {k: v.cuda() for k, v in batch.items()}
    x = batch["x"]  # reveal: cuda


def scope(items):
    x = torch.ones(3).cuda()
    ys = [x for x in [torch.ones(3)]]  # reveal: list of cpu
    z = x  # reveal: cuda


def unpacked():
    a, b = (x.cuda() for x in (torch.ones(3), torch.ones(2)))
    y = a  # reveal: cuda
    z = b  # reveal: cuda
