"""Match: each case in turn, captures, guards, and the way past all cases."""
import torch


def by_name(name):
    match name:
        case "gpu":
            x = torch.ones(3).cuda()  # reveal: cuda
        case "apple" | "mac":
            x = torch.ones(3, device="mps")  # reveal: mps
        case _:
            x = torch.ones(3)  # reveal: cpu
    y = x  # reveal: cpu if case 2 | cuda if case 0 | mps if case 1


def no_case_may_fit(name):
    x = torch.ones(3)
    match name:
        case "gpu":
            x = x.cuda()
    y = x  # reveal: cpu if no case | cuda if case 0


def captured():
    match torch.ones(3).cuda():
        case x:
            y = x  # reveal: cuda


def captured_with_pattern(value):
    x = torch.ones(3).cuda()
    match x:
        case torch.Tensor() as z:
            y = z  # reveal: cuda


def parts(value):
    match value:
        case [first, *rest]:
            x = first  # reveal: unknown
        case {"k": held, **others}:
            x = held  # reveal: unknown
        case Point(a, b=c):
            x = c  # reveal: unknown
    y = torch.ones(3)  # reveal: cpu


def guarded(value, a):
    match value:
        case 1 if a:
            x = torch.ones(3).cuda()
        case _:
            x = torch.ones(3)
    y = x  # reveal: cpu if case 1 | cuda if a and case 0


def every_case_leaves(value):
    match value:
        case 1:
            return torch.ones(3).cuda()
        case _:
            return torch.ones(3).cuda()
    x = 1  # reveal: never


def caller(value):
    x = every_case_leaves(value)  # reveal: cuda
