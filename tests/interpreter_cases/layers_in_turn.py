"""Layers of the file that a `Sequential` calls one after the other, and functions that reach every layer."""
import torch
from elsewhere import another, place
from torch import nn
from torchvision import transforms


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = torch.ones(4)
        self.scale = 1

    def forward(self, x):
        return x.to("cuda:1")


on_host = torch.zeros(2, 4)
mixed = nn.Sequential(nn.Linear(4, 4), another()).cuda()
mixed_output = mixed(on_host)  # reveal: cuda
in_turn = nn.Sequential(nn.Linear(4, 4), Scaled())
in_turn_output = in_turn(on_host)  # reveal: cuda:1
deep = nn.Sequential(nn.Sequential(nn.Sequential(nn.Sequential(nn.Sequential(nn.Linear(4, 4), Scaled())))))
deep_output = deep(on_host)  # reveal: unknown

for layer in in_turn.modules():
    layer.scale = 2
for layer in another().modules():
    layer.scale = 2
scaled = Scaled()
kept = scaled.factor  # reveal: cpu
nn.Sequential(scaled, nn.Linear(4, 4)).apply(lambda layer: setattr(layer, "factor", on_host.cuda()))
rebound = scaled.factor  # reveal: cuda
another().apply(lambda layer: layer)
setattr(torch, input(), on_host)
setattr(scaled, "factor", on_host)
back = scaled.factor  # reveal: cpu

linear = nn.Linear(4, 4)
handed = nn.Sequential(nn.Sequential(linear, another()))
place(handed)
handed_layer = linear  # reveal: unknown


class Given(nn.Linear):
    def __init__(self, where):
        super().__init__(4, 4, device=where)


class Built(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 4), Scaled())
        self.last = nn.Linear(4, 4).cuda()


built_output = Built()(on_host)  # reveal: cuda
given_output = Given("cuda")(on_host.cuda())  # reveal: cuda

steps = transforms.Compose([transforms.ToTensor(), *another()])
stepped = steps(on_host)  # reveal: unknown

by_name = nn.ModuleDict()
by_name.add_module("1", nn.Linear(4, 4).cuda())
by_name.add_module("2", nn.Linear(4, 4))
named = by_name["1"]  # reveal: cuda
