"""With: a default device, no gradient, contexts that are opaque; async ones too."""
import torch


def default_device():
    with torch.device("cuda"):
        x = torch.ones(3)  # reveal: cuda
        y = torch.ones(3, device="cpu")  # reveal: cpu
    z = torch.ones(3)  # reveal: cpu


def default_device_by_name(use_cuda):
    device = torch.device("cuda" if use_cuda else "cpu")
    with device:
        x = torch.ones(3)  # reveal: device (cpu if not use_cuda | cuda if use_cuda)


def opaque_context(f):
    x = torch.ones(3).cuda()
    with f(x) as g, torch.no_grad():
        y = x  # reveal: cuda
        z = g  # reveal: unknown
    w = x  # reveal: cuda


def leaves(f):
    with f():
        return torch.ones(3).cuda()
    x = 1  # reveal: never


def caller(f):
    x = leaves(f)  # reveal: cuda


def parts(f):
    with f() as (a, b):
        x = torch.ones(3).cuda()  # reveal: cuda
    y = x  # reveal: cuda


async def asynchronous(f):
    x = torch.ones(3)
    async with f() as g:
        x = x.cuda()  # reveal: cuda
    async for item in g:
        y = x  # reveal: cuda
    z = x  # reveal: cuda
