"""Values that are one of several: what moves with a module that holds them, and what meets them."""
import torch
from elsewhere import Model, flag
from torch import nn


class Net(nn.Module):
    def __init__(self, deep, table):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        if deep:
            self.head = nn.Linear(3, 3)
        else:
            self.head = None
        self.scale = nn.Parameter(torch.ones(3)) if deep else None

    def forward(self, x):
        return self.layer(x)


net = Net(flag, None)
net.cuda()
a = net.head  # reveal: None if not elsewhere.flag | cuda if elsewhere.flag
b = net.scale  # reveal: None if not elsewhere.flag | cuda if elsewhere.flag
c = net(torch.ones(3).cuda())  # reveal: cuda

layers = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3).cuda())
d = layers  # reveal: unknown
e = nn.LayerNorm(3, elementwise_affine=False)  # reveal: cpu
f = nn.Identity()(torch.ones(3).cuda())  # reveal: cuda
g = nn.ReLU()(Model)  # reveal: unknown

wrapped = Model()
parallel = nn.DataParallel(wrapped)
h = wrapped  # reveal: unknown
optimizer = torch.optim.SGD((net if flag else wrapped).parameters(), lr=0.1)
groups = [{"params": p} for p in (net.parameters() if flag else wrapped.parameters())]
optimizer = torch.optim.SGD(net.parameters() if flag else wrapped.parameters(), lr=0.1)
optimizer.zero_grad()


def held(items, hidden):
    items.append(nn.Linear(3, 3))
    hidden(items)
    i = nn.Sequential(*items)  # reveal: unknown
    modules = [nn.Linear(3, 3)]
    hidden(modules)
    j = nn.ModuleList(modules)  # reveal: unknown
    return i
