"""Ranks of results: what sizes, dimensions and operands say about them."""
import torch

x = torch.ones(2, 3)
sizes = (2, 3, 4)

a = torch.tensor(1.0)  # reveal: cpu [0]
b = torch.scalar_tensor(1.0)  # reveal: cpu [0]
c = x.view(sizes)  # reveal: cpu [3]
d = x.view((6,))  # reveal: cpu [1]
e = torch.dist(x, x)  # reveal: cpu [0]
f = torch.dot(x[0], x[0])  # reveal: cpu [0]
g = torch.mv(x, x[0])  # reveal: cpu [1]


def reduced(dims, many):
    a = x.sum(dims)  # reveal: cpu [0-2]
    b = x.sum(*many)  # reveal: cpu [0-2]
    c = x.sum((0, 1))  # reveal: cpu [0]
    d = x.sum(0, True)  # reveal: cpu [2]
    e = x.sum(0, keepdim=many)  # reveal: cpu [1-2]
    f = x.sum(())  # reveal: cpu [0-2]
    g = x.std(0, True)  # reveal: cpu [1]
    h = x.std(0, True, True)  # reveal: cpu [2]
    i = x.std(keepdim=True)  # reveal: cpu [2]
    j = x.std(keepdim=many)  # reveal: cpu [0-2]
    k = torch.std(x[0], 0, False)  # reveal: cpu [0]
    return a
