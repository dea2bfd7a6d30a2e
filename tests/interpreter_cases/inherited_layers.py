"""Classes derived from torch's layers, and modules that place their own parts."""
import torch
from elsewhere import Base, build
from torch import nn


class Layer(nn.Linear):
    pass


layer = Layer(2, 3)
one = layer  # reveal: cpu
layer.cuda()
two = layer  # reveal: cuda


class Stack(nn.ModuleList):
    pass


stack = Stack([nn.Linear(2, 2), nn.Linear(2, 2)])
three = stack.cuda()  # reveal: cuda


class Named(nn.Module):
    pass


named = Named(weight=torch.ones(2))
four = named.weight  # reveal: cpu


class Apart(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = nn.Linear(2, 2).to("cuda:0")
        self.back = nn.Linear(2, 2).to("cuda:1")
        self.rest = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))
        self.kept = torch.ones(2)
        self.seen = build()
        self.seen.cuda()
        self.one = nn.Linear(2, 2).cuda() if build() else None

    def forward(self, x):
        a = self.front(x)  # reveal: cuda:0
        b = self.back(a.to("cuda:1"))  # reveal: cuda:1
        c = self.rest  # reveal: unknown
        d = self.scale  # reveal: unknown
        e = self.kept  # reveal: unknown


apart = Apart()
five = apart.rest  # reveal: unknown


class HalfSeen(Base, nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        a = self.layer  # reveal: unknown


class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = [build()]
        self.nested = [[nn.Linear(2, 2)]]
        self.deep = nn.ModuleList()
        self.deep.append(self)

    def cuda(self):
        return self


lists = Lists()
six = lists.nested[0][0]  # reveal: unknown


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)

    @property
    def net(self):
        return self.inner

    @staticmethod
    def fixed(x):
        return x

    @classmethod
    def make(cls, x):
        return x

    def forward(self, x):
        return self.net(x)


made = Calls().cuda()
seven = made(torch.ones(2).cuda())  # reveal: cuda
eight = made.net(torch.ones(2).cuda())  # reveal: cuda
nine = made.fixed(torch.ones(2))  # reveal: cpu
ten = made.make(torch.ones(2))  # reveal: cpu
