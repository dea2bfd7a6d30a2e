"""Operations that a file defines itself: what they give is where `forward` puts it."""

import torch


class Empty(torch.autograd.Function):
    pass


class Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.cuda()


class Both(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x, x.cuda()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.x = inputs[0]

    @staticmethod
    def backward(ctx, first, second):
        return first


x = torch.ones(3)
one = Empty.apply(x)  # reveal: unknown
two = Forward.apply(x)  # reveal: cuda
run = Both.apply
three, four = run(x)
five = three  # reveal: cpu
six = four  # reveal: cuda
picked = {True: x}[torch.cuda.is_available()]  # reveal: cpu
