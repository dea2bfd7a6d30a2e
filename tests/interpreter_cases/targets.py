"""Targets: several, tuples, stars, nested ones, elements, attributes, walrus, augmented and annotated."""
import torch


def several():
    a = b = torch.ones(3).cuda()  # reveal: cuda
    x = a  # reveal: cuda
    y = b  # reveal: cuda


def tuples():
    a, b = torch.ones(3), torch.ones(3).cuda()
    x = a  # reveal: cpu
    y = b  # reveal: cuda
    a, b = b, a
    x = a  # reveal: cuda
    y = b  # reveal: cpu


def stars():
    first, *middle, last = torch.ones(3), torch.ones(3).cuda(), torch.ones(3).cuda(), torch.ones(3)
    x = first  # reveal: cpu
    y = middle  # reveal: list of cuda, cuda
    z = last  # reveal: cpu


def nested():
    (a, (b, [c, d])) = torch.ones(3), (torch.ones(3).cuda(), [torch.ones(3), torch.ones(3, device="mps")])
    x = a  # reveal: cpu
    y = b  # reveal: cuda
    z = d  # reveal: mps


def of_a_tensor():
    a, b = torch.ones(2, 3).cuda()
    x = a  # reveal: cuda [1]


def of_an_unknown(value):
    a, *b = value
    x = a  # reveal: unknown
    c, d = torch.ones(3).max(dim=0)
    y = d  # reveal: cpu


def walrus():
    if (x := torch.ones(3).cuda()) is not None:
        y = x  # reveal: cuda
    z = x  # reveal: cuda


def augmented():
    x = torch.ones(3).cuda()
    x += 1
    y = x  # reveal: cuda [1]
    x *= torch.ones(3).cuda()
    z = x  # reveal: cuda [1]


def annotated():
    x: torch.Tensor = torch.ones(3).cuda()
    y = x  # reveal: cuda
    z: int
    w = x  # reveal: cuda


def deleted():
    x = torch.ones(3).cuda()
    y = x
    del x
    x = y  # reveal: cuda
    del y
    y = x  # reveal: cuda


def elements():
    xs = [torch.ones(3), torch.ones(3)]
    xs[0] = xs[0].cuda()
    a = xs[0]  # reveal: cuda
    b = xs[1]  # reveal: cpu
    c = xs[-1]  # reveal: cpu


def part_of_a_tensor():
    x = torch.ones(3).cuda()
    x[0] = 1
    x[:, 0] = torch.ones(3)
    y = x  # reveal: cuda
