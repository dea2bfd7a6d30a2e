"""Devices: literals, conditionals, names, comparison, indices, strings, and what takes one."""
import argparse

import torch

host = torch.device("cpu")  # reveal: cpu
first = torch.device("cuda", 1)  # reveal: cuda:1
second = torch.device("cuda:0")  # reveal: cuda:0
copied = torch.device(first)  # reveal: cuda:1
by_index = torch.ones(3).to(1)  # reveal: cuda:1
by_index = torch.ones(3).cuda(0)  # reveal: cuda:0

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # reveal: cpu if not cuda | cuda if cuda
x = torch.ones(3).to(device)  # reveal: device (cpu if not cuda | cuda if cuda)
y = torch.ones(3, device=device)  # reveal: device (cpu if not cuda | cuda if cuda)
z = torch.ones(3).to(x.device)  # reveal: device (cpu if not cuda | cuda if cuda)
name = str(device)
w = torch.ones(3).to(name)  # reveal: device (cpu if not cuda | cuda if cuda)

text = "cuda" if torch.cuda.is_available() else "cpu"
v = torch.ones(3).to(text)  # reveal: text (cpu if not cuda | cuda if cuda)

available = torch.cuda.is_available()  # reveal: flag cuda
chosen = torch.device("cuda:0" if available else "cpu")  # reveal: cpu if not cuda | cuda:0 if cuda
count = torch.cuda.device_count() > 0  # reveal: flag cuda

parser = argparse.ArgumentParser()
args = parser.parse_args()
u = torch.ones(3).to(args.device)  # reveal: args.device
args.place = torch.device("cuda")
t = torch.ones(3).to(args.place)  # reveal: cuda

current = torch.accelerator.current_accelerator()
r = torch.ones(3).to(current)  # reveal: torch.accelerator.current_accelerator()

if available:
    place = torch.device("cuda")
else:
    place = torch.device("cpu")
s = torch.ones(3).to(place)  # reveal: cpu if not cuda | cuda if cuda


def parameter(device, rank):
    a = torch.ones(3, device=device)  # reveal: device
    b = torch.ones(3).to(device=device)  # reveal: device
    c = torch.ones(3).to(f"cuda:{rank}")  # reveal: rank (cuda)
    d = torch.ones(3).cuda(rank)  # reveal: rank
    e = torch.ones(3, device=torch.device(device))  # reveal: device


def tested(device):
    x = torch.ones(3).to(device)
    if device == "cpu":
        y = x  # reveal: device
    if torch.device("cuda").type == "cuda":
        z = x.cuda()  # reveal: cuda
    else:
        z = x  # reveal: never


def followed(x, y):
    a = torch.ones(3).to(x.device)  # reveal: x.device
    b = torch.zeros_like(x)  # reveal: the device of x
    c = x.new_zeros(3)  # reveal: the device of x
    d = torch.ones(3).type_as(x)  # reveal: the device of x


def rebound(device):
    x = torch.ones(3).to(device)  # reveal: device
    device = "cpu"
    y = x  # reveal: device
    z = torch.ones(3).to(device)  # reveal: cpu
