"""A method that calls itself is followed for two rounds, then it may have done what its class can do to its object."""
import torch
from elsewhere import tree
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.mask = torch.ones(2)
        self.moved = torch.ones(2)

    def move(self):
        self.moved = self.moved.cuda()

    def down(self, parts):
        for part in parts:
            self.down(part)


class Open(Net):
    def set(self, values):
        self.__dict__.update(values)


def walk(self, parts):
    for part in parts:
        self.walk(part)


Net.walk = walk

net = Net()
net.down(tree)
one = net.mask  # reveal: cpu
two = net.moved  # reveal: unknown
three = net.layer  # reveal: unknown
net = Net()
net.walk(tree)
four = net.mask  # reveal: unknown
opened = Open()
opened.down(tree)
five = opened.mask  # reveal: unknown
net = Net()
six = net.mask  # reveal: cpu
seven = net.layer  # reveal: cpu
