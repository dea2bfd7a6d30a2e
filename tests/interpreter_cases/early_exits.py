"""Return, raise and assert: the guard of what left holds no more behind it."""
import sys

import torch


def host_first(use_cuda):
    x = torch.ones(3)
    if not use_cuda:
        return x
    y = x.cuda()  # reveal: cuda
    return y


def caller(flag):
    x = host_first(flag)  # reveal: cpu if not flag | cuda if flag
    y = host_first(True)  # reveal: cuda
    z = host_first(False)  # reveal: cpu


def raises(a):
    x = torch.ones(3)
    if a:
        x = x.cuda()
    else:
        raise ValueError
    y = x  # reveal: cuda


def both_leave(a):
    if a:
        return torch.ones(3).cuda()
    else:
        return torch.ones(3)
    y = 1  # reveal: never


def after_both(a):
    x = both_leave(a)  # reveal: cpu if not a | cuda if a


def exits(a):
    x = torch.ones(3)
    if not a:
        sys.exit(1)
    y = x  # reveal: cpu


def nothing_returned(x):
    x.sum()


def falls_through(a):
    if a:
        return torch.ones(3).cuda()


def callers(a):
    x = nothing_returned(a)  # reveal: None
    y = falls_through(a)  # reveal: None if not a | cuda if a


def returned_from_loop(items):
    for item in items:
        return torch.ones(3).cuda()
    return torch.ones(3).cuda()


def caller_of_loop(items):
    x = returned_from_loop(items)  # reveal: cuda
