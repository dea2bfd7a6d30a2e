"""For and while: two passes, so that what a pass leaves is there in the next; a loop runs at least once."""
import torch


def carried(items):
    x = torch.ones(3)
    for item in items:
        y = x  # reveal: cpu; cuda
        x = torch.ones(3).cuda()  # reveal: cuda
    z = x  # reveal: cuda


def in_the_body(items):
    for item in items:
        x = torch.ones(3).cuda()
    y = x  # reveal: cuda


def while_true(f):
    x = torch.ones(3)
    while True:
        x = x.cuda()
        if f():
            break
    y = x  # reveal: cuda


def without_end():
    while True:
        x = torch.ones(3)  # reveal: cpu
    y = x  # reveal: never


def continued(items, a):
    x = torch.ones(3)
    for item in items:
        if a:
            continue
        x = x.cuda()  # reveal: cuda
    y = x  # reveal: cpu if a | cuda if not a


def broken(items, a):
    x = torch.ones(3)
    for item in items:
        if a:
            x = x.cuda()
            break
    z = x  # reveal: cpu | cuda


def known_elements():
    for x in [torch.ones(3), torch.ones(3).cuda()]:
        y = x  # reveal: cpu; cuda


def over_nothing():
    x = torch.ones(3)
    for item in []:
        x = x.cuda()  # reveal: never
    y = x  # reveal: cpu


def over_a_tensor():
    for row in torch.ones(3, 2).cuda():
        y = row  # reveal: cuda [1]


def nested(items):
    x = torch.ones(3)
    for a in items:
        for b in items:
            x = x.to("cuda")  # reveal: cuda
    y = x  # reveal: cuda


def while_else(a):
    x = torch.ones(3)
    while a:
        x = x.cuda()
    else:
        x = x.cpu()  # reveal: cpu
    y = x  # reveal: cpu
