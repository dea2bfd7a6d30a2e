"""What is rare: nested definitions everywhere, star expressions, chained comparison, slices, strings, await."""
import torch


def everything(x, *args, **kwargs):
    t = torch.ones(3).cuda()
    a = (t)  # reveal: cuda
    b = (t, *args)[0]
    c = {"t": t, **kwargs}
    d = [*[t], *[t]]  # reveal: list of cuda, cuda
    e = 0 < x < 1
    f = f"{t.device}" f"{x!r:>10}"
    g = lambda *a, b=t, **k: b
    h = g()  # reveal: cuda
    i = (lambda: t)()  # reveal: cuda
    j = x[1:2, ..., None]
    k = not t
    l = t if x else t  # reveal: cuda
    m = (yield t)  # reveal: unknown
    n = ...
    o = t;  p = o  # reveal: cuda
    q = [t][0:1][0]  # reveal: cuda
    r = (t for _ in args)  # reveal: iterator of cuda …
    s = {t: t}
    u = "a" "b"
    v = -1j
    w = (z := t)  # reveal: cuda
    y = z  # reveal: cuda


if (n := 3) > 2:
    counted = torch.ones(n)  # reveal: cpu

for i in range(3): last = torch.ones(3).cuda()
after = last  # reveal: cuda
while False: pass
try: tried = torch.ones(3)  # reveal: cpu
except: tried = None
class Empty: pass
assert after is not None, "message"
lambda: torch.ones(3)


def oddly(x: torch.Tensor):
    held = torch.ones(3)
    *held = 3
    one = held  # reveal: cpu
    two = torch.index_put(held)  # reveal: unknown
    three = x.get_device() == 1  # reveal: flag x.get_device() == 1
    import os
    four = os.environ()  # reveal: unknown
    while x.sum() > 0:
        for key in ["first.weight", "second.weight"]:
            five = held.cuda() if key.startswith("first") else held  # reveal: cuda; cpu


def read_in_scopes(x):
    class Shown:
        values = x.numpy()

    read = [x.numpy() for _ in range(2)]  # reveal: list of unknown …
    return x


where = read_in_scopes(torch.ones(3).cuda())  # reveal: cuda
