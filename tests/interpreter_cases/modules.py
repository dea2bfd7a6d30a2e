"""Modules move in place, for every alias and with everything they hold; copies do not."""
import copy

import torch
from torch import nn

model = nn.Linear(2, 2)  # reveal: cpu
alias = model
model.cuda()
one = model  # reveal: cuda
two = alias  # reveal: cuda

moved = nn.Linear(2, 2).to("cuda")  # reveal: cuda
back = moved.cpu()  # reveal: cpu
three = moved  # reveal: cpu

model = nn.Linear(2, 2)
other = copy.deepcopy(model)
model.cuda()
four = model  # reveal: cuda
five = other  # reveal: cpu
other = copy.deepcopy(model)  # reveal: cuda

placed = nn.Linear(2, 2, device="cuda")  # reveal: cuda
cast = nn.Linear(2, 2).half().train()  # reveal: cpu
cast = nn.Linear(2, 2).cuda().eval().requires_grad_(False)  # reveal: cuda

inner = nn.Linear(2, 2)
layers = nn.Sequential(inner, nn.ReLU(), nn.Linear(2, 2))
layers.cuda()
six = inner  # reveal: cuda
seven = layers[0]  # reveal: cuda
eight = layers(torch.ones(1, 2).cuda())  # reveal: cuda

blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
blocks.append(nn.Linear(2, 2))
blocks.to("cuda")
for block in blocks:
    nine = block  # reveal: cuda

named = nn.ModuleDict({"a": nn.Linear(2, 2)})
no_name = named["b"]  # reveal: cpu
named.cuda()
ten = named["a"]  # reveal: cuda

parallel = nn.DataParallel(nn.Linear(2, 2)).cuda()
wrapped = parallel.module  # reveal: cuda
scattered = parallel(torch.ones(1, 2))  # reveal: cuda
compiled = torch.compile(nn.Linear(2, 2).cuda())  # reveal: cuda
output, state = nn.LSTM(2, 2).cuda()(torch.ones(3, 1, 2).cuda())
hidden = state[0]  # reveal: cuda
weight = nn.Embedding(3, 3).cuda().weight.data  # reveal: cuda

eleven = nn.Linear(2, 2).to(torch.float16)  # reveal: cpu
twelve = nn.Linear(2, 2).to(dtype=torch.float16)  # reveal: cpu
thirteen = nn.Linear(2, 2).to(device="cuda", dtype=torch.float16)  # reveal: cuda


def by_flag(use_cuda):
    model = nn.Linear(2, 2)
    if use_cuda:
        model.cuda()
    x = model  # reveal: cpu if not use_cuda | cuda if use_cuda
    y = model(torch.ones(2))


def by_loop():
    model = nn.Linear(2, 2)
    for parameter in model.parameters():
        parameter.data = parameter.data.cuda()
    x = model  # reveal: cuda


def handed_over(f):
    model = nn.Linear(2, 2).cuda()
    print(model)
    x = model  # reveal: cuda
    f(model)
    y = model  # reveal: unknown


def several():
    for model in (a := nn.Linear(2, 2), b := nn.Linear(2, 2)):
        model.cuda()
    x = a  # reveal: cuda
    y = b  # reveal: cuda

whole = nn.Sequential(nn.Linear(2, 2)).cuda()
for inner in whole.modules():
    inner._buffers["scale"] = torch.ones(2)
bound_by_hand = whole  # reveal: unknown
