"""Ways to damage a source, each a function of a source of chance and a text; most results are no Python any more."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable
from random import Random

Mutation = Callable[[Random, str], str]

_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_TORCH_NAMES = ("torch", "nn", "F", "Tensor", "cuda", "device", "Module", "to", "cpu", "DataLoader", "forward")
_ODD = ("\0", "\ufeff", "\x0c", "\t", "\r", "\x1a", "é", "𝔘", "\u2028", "\\\n", ";", "::", "(", '"""', "#", "lambda: ")
_OPENERS = (
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("-", ""),
    ("not ", ""),
    ("f(", ")"),
    ("lambda: ", ""),
    ("x if ", " else y"),
)


def tokens_deleted(random: Random, text: str) -> str:
    """Delete up to five tokens."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return characters_deleted(random, text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans = [
        (starts[t.start[0] - 1] + t.start[1], starts[t.end[0] - 1] + t.end[1])
        for t in tokens
        if t.string and max(t.start[0], t.end[0]) <= len(starts)
    ]
    for start, end in sorted(random.sample(spans, min(len(spans), random.randint(1, 5))), reverse=True):
        text = text[:start] + text[end:]
    return text


def characters_deleted(random: Random, text: str) -> str:
    """Delete a few stretches of characters."""
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(text) + 1)
        text = text[:at] + text[at + random.randint(1, 12) :]
    return text


def truncated(random: Random, text: str) -> str:
    """Keep the beginning."""
    return text[: random.randrange(len(text) + 1)]


def beheaded(random: Random, text: str) -> str:
    """Keep the end, behind an import, so that it is looked at."""
    return "import torch\n" + text[random.randrange(len(text) + 1) :]


def lines_doubled(random: Random, text: str) -> str:
    """Write a stretch of lines again, there or elsewhere."""
    lines = text.splitlines(keepends=True)
    start = random.randrange(len(lines) + 1)
    stretch = lines[start : start + random.randint(1, 30)] * random.randint(1, 3)
    at = random.choice((start, random.randrange(len(lines) + 1)))
    return "".join(lines[:at] + stretch + lines[at:])


def lines_shuffled(random: Random, text: str) -> str:
    """Exchange a few lines."""
    lines = text.splitlines(keepends=True)
    for _ in range(min(len(lines) // 2, random.randint(1, 6))):
        one, two = random.sample(range(len(lines)), 2)
        lines[one], lines[two] = lines[two], lines[one]
    return "".join(lines)


def lines_indented(random: Random, text: str) -> str:
    """Indent a stretch of lines, under a statement or under nothing."""
    lines = text.splitlines(keepends=True)
    start = random.randrange(len(lines) + 1)
    end = start + random.randint(1, 40)
    head = random.choice(
        ("", "if x:\n", "for x in y:\n", "while True:\n", "try:\n", "def f(x):\n", "class C:\n", "with x as y:\n")
    )
    return "".join([*lines[:start], head, *("    " + line for line in lines[start:end]), *lines[end:]])


def names_exchanged(random: Random, text: str) -> str:
    """Give every place of one name the name of another."""
    names = sorted(set(_WORD.findall(text)))
    if len(names) < 2:
        return text
    one, two = random.sample(names, 2)
    return re.sub(rf"\b{one}\b", two, text)


def names_shadowed(random: Random, text: str) -> str:
    """Bind a name of torch's to something else, somewhere."""
    lines = text.splitlines(keepends=True)
    name = random.choice(_TORCH_NAMES)
    ways = (
        f"{name} = None\n",
        f"def {name}(*a, **k): return a\n",
        f"class {name}: pass\n",
        f"from x import y as {name}\n",
    )
    lines.insert(random.randrange(len(lines) + 1), random.choice((*ways, f"del {name}\n", f"global {name}\n")))
    return "".join(lines)


def names_rebound(random: Random, text: str) -> str:
    """Give one place of a name the name of another."""
    places = list(_WORD.finditer(text))
    if not places:
        return text
    for _ in range(random.randint(1, 8)):
        place, other = random.choice(places), random.choice(places)
        if len(place[0]) == len(other[0]):
            text = text[: place.start()] + other[0] + text[place.end() :]
    return text


def odd_characters(random: Random, text: str) -> str:
    """Write characters that mean something to some reader of files: null bytes, marks, line ends."""
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(_ODD) + text[at:]
    return text


def line_ends(random: Random, text: str) -> str:
    """Write other line ends, in a part or throughout."""
    end = random.choice(("\r\n", "\r", "\n\n"))
    return text.replace("\n", end, random.choice((-1, random.randint(1, 20))))


def nested(random: Random, text: str) -> str:
    """Nest an expression up to where Python itself gives up, or beyond."""
    opened, closed = random.choice(_OPENERS)
    # of brackets in brackets libcst itself makes seconds
    depth = random.choice((5, 20, 80, 90) if opened in ("[", "{", "f(") else (5, 20, 90, 190, 250, 1000))
    return f"{text}\nx = torch.ones(1).to({opened * depth}'cuda'{closed * depth})\n"


def nested_blocks(random: Random, text: str) -> str:
    """Nest statements up to where Python itself gives up, or beyond."""
    depth = random.choice((5, 15, 19, 21, 90, 101))
    head = random.choice(("if a:", "for a in b:", "while a:", "def f(a):", "class A:", "with a:", "try:"))
    inner = [" " * i + head for i in range(depth)]
    ends = [" " * i + "finally: pass" for i in range(depth - 1, -1, -1)] if head == "try:" else []
    return "\n".join([text, *inner, " " * depth + "x = torch.ones(1).cuda() + torch.ones(1)", *ends, ""])


def chained(random: Random, text: str) -> str:
    """Chain many calls, terms or branches."""
    many = random.choice((10, 100, 400))
    tail = random.choice((
        "x = torch.ones(1)" + ".cuda()" * many,
        "x = " + " + ".join(["torch.ones(1)"] * many),
        "if a: x = torch.ones(1)\n" + "\n".join(f"elif a == {i}: x = x.cuda()" for i in range(many)) + "\nx + 1",
        "x = " + "[" * min(many, 90) + "torch" + "]" * min(many, 90),
        "\n".join(f"def f{i}(x): return f{i + 1}(x.cuda())" for i in range(many)) + "\nf0(torch.ones(1))",
    ))  # fmt: skip
    return f"{text}\n{tail}\n"


MUTATIONS: tuple[Mutation, ...] = (
    tokens_deleted, characters_deleted, truncated, beheaded, lines_doubled, lines_shuffled, lines_indented,
    names_exchanged, names_shadowed, names_rebound, odd_characters, line_ends, nested, nested_blocks, chained,
)  # fmt: skip
