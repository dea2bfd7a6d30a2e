"""Which element it is: keys and texts that are known, and what a comprehension chooses by them."""
import torch

HOST_KEYS = {"n", "id"}


def by_key(wanted, unseen):
    raw = {"x": torch.ones(2), "n": torch.ones(2)}
    a = {k: v if k in HOST_KEYS else v.to("cuda") for k, v in raw.items()}
    one = a["x"]  # reveal: cuda
    two = a["n"]  # reveal: cpu
    b = {k: v.to("cuda") if "x" in k else v for k, v in raw.items()}
    three = b["n"]  # reveal: cpu
    c = {k: v if k.startswith("n") else v.to("cuda") for k, v in raw.items()}
    four = c["x"]  # reveal: cuda
    d = {k: v if k.endswith("n") else v.to("cuda") for k, v in raw.items()}
    five = d["n"]  # reveal: cpu
    e = {k: v.to("cuda") if k in wanted else v for k, v in raw.items()}
    six = e["n"]  # reveal: cpu | cuda
    f = {k: v.to("cuda") if k.strip(unseen) else v for k, v in raw.items()}
    seven = f["n"]  # reveal: cpu | cuda
    g = {k: v.to("cuda") if k.startswith(unseen) else v for k, v in raw.items()}
    eight = g["n"]  # reveal: cpu | cuda
    h = {k: v.to("cuda") if k.startswith("x", 0) else v for k, v in raw.items()}
    nine = h["n"]  # reveal: cpu | cuda


def by_known_sets(wanted):
    table = {"x": torch.ones(2), "n": torch.ones(2)}
    moved = {}
    for k, v in table.items():
        if k in {"x": 1}:
            moved[k] = v.to("cuda")
        elif k.startswith("n"):
            moved[k] = v
    one = moved["x"]  # reveal: cuda
    two = moved["n"]  # reveal: cpu
    names = [*wanted, "x"]
    a = {k: v.to("cuda") if k in names else v for k, v in table.items()}
    three = a["n"]  # reveal: cpu | cuda
    b = {k: v.to("cuda") if k in ("x", wanted) else v for k, v in table.items()}
    four = b["n"]  # reveal: cpu | cuda
    c = [t.to("cuda") if i in (0,) else t for i, t in zip((0, 1), table.values())]
    five = c[0]  # reveal: cuda
    six = c[1]  # reveal: cpu
    d = [t.to("cuda") if i in (0.25,) else t for i, t in zip((0.25, 0.5), table.values())]
    seven = d[1]  # reveal: cpu | cuda


def by_flags(plan, flag):
    pair = torch.ones(2), torch.ones(2)
    a = [t.to("cuda") if wanted else t for wanted, t in zip(plan, pair)]
    one = a[0]  # reveal: cpu | cuda
    b = [t.to("cuda") if flag else t for t in pair]
    two = b[0]  # reveal: cpu if not flag | cuda if flag
    c = {k: pair[k] if k > 0 else pair[k].to("cuda") for k in range(2)}
    three = c[0]  # reveal: cpu | cuda


def outside(mode, text):
    x = torch.ones(2)
    y = x.to("cuda") if mode.startswith("x") else x
    one = y  # reveal: cpu if not mode.startswith(…) | cuda if mode.startswith(…)
    z = x.to("cuda") if "ab".startswith("a") else x
    two = z  # reveal: cpu if not "ab".startswith("a") | cuda if "ab".startswith("a")
