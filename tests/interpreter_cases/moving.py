"""Ways to move a tensor: methods, functions, storage, partial, tree_map, and what only looks like a move."""
from functools import partial

import torch
from torch import nn
from torch.utils._pytree import tree_map

x = torch.ones(3)
one = x.to("cuda")  # reveal: cuda
two = x.to(device="cuda", non_blocking=True)  # reveal: cuda
three = x.cuda(non_blocking=True)  # reveal: cuda
four = x.to(torch.float64)  # reveal: cpu
five = x.to(one)  # reveal: cuda
six = x.type_as(one)  # reveal: cuda
seven = one.cpu()  # reveal: cpu
eight = x.type("torch.cuda.FloatTensor")  # reveal: cuda
nine = one.detach().clone().requires_grad_()  # reveal: cuda
ten = x  # reveal: cpu

make = partial(torch.ones, device="cuda")
eleven = make(3)  # reveal: cuda
tree = tree_map(lambda t: t.cuda(), {"a": x, "b": [x]})  # reveal: dict of cuda, list of cuda
method = x.cuda
twelve = getattr(x, "cuda")()  # reveal: cuda
thirteen = method()  # reveal: cuda

y = torch.ones(3)
y.data = y.data.cuda()
fourteen = y  # reveal: cuda
z = torch.ones(3)
z.copy_(one)
fifteen = z  # reveal: cpu

sixteen = x.pin_memory()  # reveal: cpu
seventeen = one.float().view(-1)  # reveal: cuda
eighteen = torch.nn.functional.relu(one)  # reveal: cuda
nineteen = one.to("cuda:1")  # reveal: cuda:1
twenty = one.to("mps", torch.float16)  # reveal: mps
moved = [t.to("cuda") for t in (x, x)]  # reveal: list of cuda, cuda


def unknown(x, where):
    a = x.to(where)  # reveal: where
    b = x.cuda()  # reveal: cuda
    c = x.cpu()  # reveal: cpu


def starred(x, options):
    a = torch.ones(3).to(**options)  # reveal: unknown
    b = torch.ones(3, **options)  # reveal: unknown


def guarded_by_itself():
    x = torch.ones(3)
    if not x.is_cuda:
        x = x.cuda()
    y = x  # reveal: cuda


def guarded_by_its_type(x):
    if isinstance(x, torch.Tensor):
        x = x.cuda()
    y = x
