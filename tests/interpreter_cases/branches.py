"""If, elif and else: each way under its guard, joined where they meet."""
import torch


def one_way(use_cuda):
    x = torch.ones(3)  # reveal: cpu
    if use_cuda:
        x = x.cuda()  # reveal: cuda
    y = x  # reveal: cpu if not use_cuda | cuda if use_cuda


def the_other_way(use_cuda):
    x = torch.ones(3).cuda()
    if not use_cuda:
        x = x.cpu()  # reveal: cpu
    y = x  # reveal: cpu if not use_cuda | cuda if use_cuda


def three_ways(a, b):
    if a:
        x = torch.ones(3).cuda()
    elif b:
        x = torch.ones(3, device="mps")
    else:
        x = torch.ones(3)
    y = x  # reveal: cpu if not a and not b | cuda if a | mps if not a and b


def same_on_both(a):
    if a:
        x = torch.ones(3).cuda()
    else:
        x = torch.zeros(3).cuda()
    y = x  # reveal: cuda


def nested(a, b):
    x = torch.ones(3)
    if a:
        if b:
            x = x.cuda()
        y = x  # reveal: cpu if not b | cuda if b
    z = x  # reveal: cpu if a and not b | cpu if not a | cuda if a and b


def twice_the_same_guard(a):
    x = torch.ones(3)
    if a:
        x = x.cuda()
    if a:
        y = x  # reveal: cpu if not a | cuda if a
    z = x  # reveal: cpu if not a | cuda if a


def unknown_on_one_way(a, f):
    x = torch.ones(3)
    if a:
        x = f(x)
    y = x  # reveal: cpu if not a | unknown if a


def known_tests():
    x = torch.ones(3)
    if False:
        x = x.cuda()  # reveal: never
    if True:
        y = x.cuda()  # reveal: cuda
    else:
        y = x  # reveal: never
    z = y  # reveal: cuda


def conjunction(a, b):
    x = torch.ones(3)
    if a and b:
        x = x.cuda()
    y = x  # reveal: cpu if not a and b | cuda if a and a and b and b


def conditional_expression(a):
    x = torch.ones(3).cuda() if a else torch.ones(3)  # reveal: cpu if not a | cuda if a
