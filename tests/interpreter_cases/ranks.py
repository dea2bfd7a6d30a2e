"""Ranks as intervals: sizes, indexing, reductions, iteration, joins."""
import torch


def sizes(n, shape):
    a = torch.ones(3)  # reveal: cpu [1]
    b = torch.ones(3, 2)  # reveal: cpu [2]
    c = torch.ones((3, 2, 1))  # reveal: cpu [3]
    d = torch.ones([3])  # reveal: cpu [1]
    e = torch.ones(())  # reveal: cpu [0]
    f = torch.ones(size=(2, 2))  # reveal: cpu [2]
    h = torch.ones(n, n)  # reveal: cpu [2]
    i = torch.arange(n)  # reveal: cpu [1]
    j = torch.eye(3)  # reveal: cpu [1-]
    k = torch.full((2, 2), 1.0)  # reveal: cpu [2]
    l = torch.randint(0, 9, (3,))  # reveal: cpu [1]


def data(value):
    a = torch.tensor(1.0)  # reveal: cpu [0]
    b = torch.tensor([1.0, 2.0])  # reveal: cpu [1]
    c = torch.tensor([[1.0], [2.0]])  # reveal: cpu [1-]
    d = torch.tensor(value)  # reveal: cpu [0-]
    e = torch.tensor([])  # reveal: cpu [1]


def indexed(i, mask):
    x = torch.ones(3, 4, 5)
    a = x[0]  # reveal: cpu [2]
    b = x[0, 1]  # reveal: cpu [1]
    c = x[0, 1, 2]  # reveal: cpu [0]
    d = x[:, 0]  # reveal: cpu [2]
    e = x[None]  # reveal: cpu [4]
    f = x[..., 0]  # reveal: cpu [2]
    g = x[1:2]  # reveal: cpu [3]
    h = x[i]  # reveal: cpu [2-]
    j = x[-1]  # reveal: cpu [2]


def reduced():
    x = torch.ones(3, 4)
    a = x.sum()  # reveal: cpu [0]
    b = x.sum(dim=1)  # reveal: cpu [1]
    c = x.mean()  # reveal: cpu [0]
    d = torch.sum(x)  # reveal: cpu [0]
    e = x.sum(dim=1, keepdim=True)  # reveal: cpu [2]
    f = x.max()  # reveal: cpu [0]
    best = x.cuda().max(0).values  # reveal: cuda
    where = x.cuda().median(0, keepdim=True).indices  # reveal: cuda
    low = torch.min(x.cuda(), 0).values  # reveal: cuda


def shaped():
    x = torch.ones(3, 4)
    a = x.t()  # reveal: cpu [2]
    b = x.unsqueeze(0)  # reveal: cpu [3]
    c = x.flatten()  # reveal: cpu [1-]
    d = torch.stack([x, x])  # reveal: cpu [3]
    e = torch.cat([x, x])  # reveal: cpu [1-]
    f = x + 1  # reveal: cpu [2]
    g = x + torch.ones(2, 3, 4)  # reveal: cpu [3]
    h = x @ x  # reveal: cpu [0-]


def joined(a):
    x = torch.ones(3) if a else torch.ones(3, 3)  # reveal: cpu [1-2]


def rows():
    for row in torch.ones(3, 4):
        a = row  # reveal: cpu [1]
    b, c = torch.ones(2)
    d = b  # reveal: cpu [0]
