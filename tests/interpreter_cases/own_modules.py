"""Modules of the file: what they hold moves with them, what they only keep does not; forward is followed."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.first = nn.Linear(2, width)
        self.second = nn.Linear(width, 2)
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.zeros(2))
        self.kept = torch.ones(2)

    def forward(self, x):
        hidden = self.first(x)  # reveal: cuda
        return self.second(hidden) * self.scale


net = Net()
one = net  # reveal: cpu
two = net.scale  # reveal: cpu
net.cuda()
three = net.first  # reveal: cuda
four = net.scale  # reveal: cuda [1]
five = net.mean  # reveal: cuda
six = net.kept  # reveal: cpu
seven = net(torch.ones(1, 2).cuda())  # reveal: cuda


class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


inner = nn.Linear(2, 2)
wrapper = Wrapper(inner).to("cuda")
eight = inner  # reveal: cuda
nine = wrapper.inner  # reveal: cuda
ten = wrapper(torch.ones(2).cuda())  # reveal: cuda


class Follows(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        here = x  # reveal: the device of self
        mask = torch.zeros(2, device=x.device)  # reveal: the device of self
        like = torch.zeros_like(x)  # reveal: the device of self
        out = self.layer(x)  # reveal: the device of self
        made = torch.zeros(2)  # reveal: cpu
        return out + mask


class Child(Net):
    def __init__(self):
        super().__init__(8)
        self.third = nn.Linear(2, 2)


child = Child().cuda()
eleven = child.first  # reveal: cuda
twelve = child.third  # reveal: cuda


class ToHost(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        x = x.to(self.layer.weight.device)  # reveal: cuda
        return self.layer(x).cpu()


to_host = ToHost().cuda()
thirteen = to_host(torch.ones(2))  # reveal: cpu
