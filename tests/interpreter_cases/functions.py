"""Calls: positions, keywords, defaults, stars, kinds of parameter, results, recursion."""
import torch


def plain(a, b=None, *rest, c=0, **others):
    x = a  # reveal: cuda; mps; cpu
    return a


one = plain(torch.ones(3).cuda())  # reveal: cuda
two = plain(b=1, a=torch.ones(3, device="mps"))  # reveal: mps
three = plain(*[torch.ones(3), 1])  # reveal: cpu


def collects(*rest, **others):
    x = rest[0]  # reveal: cuda
    y = rest[1]  # reveal: cpu
    z = others["key"]  # reveal: mps
    return rest


given = collects(torch.ones(3).cuda(), torch.ones(3), key=torch.ones(3, device="mps"))
first = given[0]  # reveal: cuda


def positional_only(a, /, b, *, c):
    x = a  # reveal: cpu
    y = b  # reveal: cuda
    z = c  # reveal: mps


positional_only(torch.ones(3), torch.ones(3).cuda(), c=torch.ones(3, device="mps"))


def keywords(a, b):
    x = a  # reveal: cuda
    y = b  # reveal: cpu


keywords(**{"b": torch.ones(3), "a": torch.ones(3).cuda()})
options = dict(a=torch.ones(3).cuda(), b=torch.ones(3))
keywords(**options)


def pair():
    return torch.ones(3), torch.ones(3).cuda()


a, b = pair()
left = a  # reveal: cpu
right = b  # reveal: cuda
whole = pair()  # reveal: tuple of cpu, cuda


def passes_on(*args, **kwargs):
    return plain(*args, **kwargs)


four = passes_on(torch.ones(3).cuda())  # reveal: cuda


def recursive(n, x):
    if n == 0:
        return x
    return recursive(n - 1, x)


five = recursive(3, torch.ones(3).cuda())

double = lambda t: (t, t.cuda())
host, accelerated = double(torch.ones(3))
six = host  # reveal: cpu
seven = accelerated  # reveal: cuda


def higher(f, x):
    return f(x)


eight = higher(lambda t: t.cuda(), torch.ones(3))  # reveal: cuda


def generator(items):
    for item in items:
        yield torch.ones(3).cuda()
    yield from [torch.ones(3).cuda()]


for nine in generator([1, 2]):
    ten = nine  # reveal: cuda


async def coroutine():
    return torch.ones(3).cuda()


async def awaits():
    x = await coroutine()  # reveal: cuda


def unseen(f, x):
    y = torch.ones(3).cuda()
    z = f(y)  # reveal: unknown
    w = y  # reveal: cuda
