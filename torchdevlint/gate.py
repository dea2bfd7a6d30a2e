"""Cheap tests on the text of a file: can any rule fire here, and can the file be analysed at all.

Most files of a project are refused here, so nothing of this needs libcst, and the searches are those
that Python does fastest: a plain word with `in`, and patterns that begin with a literal.
"""

from __future__ import annotations

import ast
import re
import warnings

from torchdevlint.options import NotAnalysed

MAX_CHARACTERS = 4_000_000
MAX_LINE_CHARACTERS = 200_000
MAX_ALTERNATIVES = 5_000
"""How many `elif` a file may have: each stands in the one before it, and the parser has no limit but its stack."""
MAX_DEPTH = 3_000
"""How many expressions may stand in each other: libcst's parser takes seconds, and has no limit but its stack."""

_LONG_LINE = re.compile(rf"[^\n]{{{MAX_DEPTH}}}")
_CONTINUED = re.compile(r"\n[ \t]*[-.+*/|&^%@]|[-+*/|&^%@][ \t\\]*\n")
"""Where an expression may go on in another line."""

# "torch" is in the name of most libraries of the field (torchvision, pytorch_lightning, …); the names
# of these others are common words, and count where they are imported
_LIBRARIES = (
    "accelerate|bitsandbytes|deepspeed|dgl|diffusers|fastai|ignite|lightning|monai|peft|timm|transformers|ultralytics"
)
_TORCH = re.compile(r"^[ \t\f]*(?:from|import)\b[^\n]*torch", re.MULTILINE)
_STAR = re.compile(r"^[ \t\f]*from +[\w.]+ +import +\*", re.MULTILINE)  # it may bring `torch`
_FROM_LIBRARY = re.compile(rf"from +(?:{_LIBRARIES})")
_IMPORT_LIBRARY = re.compile(rf"import +(?:[\w., ]+, *)?(?:{_LIBRARIES})")

# What a generator writes over a file: that file is mended elsewhere, and a fault would be found in every copy.
_GENERATED = re.compile("generated", re.IGNORECASE)
_NOT_TO_EDIT = re.compile("do not (?:edit|modify)", re.IGNORECASE)
_CODE = re.compile(r"^[^#\s]", re.MULTILINE)

# Every rule needs one of these: a device, a move or a cast, a module, a loss, a load. Tensors that are
# made, indexed or read are of no interest in a file that has nothing of the kind. Frequent ones first.
_SUBJECTS = (
    "device",
    "Module",
    ".to",
    "cuda",
    "forward",
    "load",
    "loss",
    "Loss",
    "backward",
    "entropy",
    "accelerat",
    "nccl",
    ".cpu",
    ".float(",
    ".long(",
    ".int(",
    ".half(",
    ".double(",
    ".bool(",
    ".type",
    ".bfloat16(",
    ".byte(",
    ".short(",
    ".char(",
    "anomaly",
    "LAUNCH_BLOCKING",
    "CPP_STACKTRACES",
)


NBQA_MARK = "# %%NBQA-CELL-SEP"
"""What nbQA writes before each code cell of the notebook that it makes a Python file of, with a few digits after it."""


def may_find(text: str) -> bool:
    """Whether a rule could fire in a file with this text; False only where none can."""
    return _imports_library(text) and any(word in text for word in _SUBJECTS) and not is_generated(text)


def _imports_library(text: str) -> bool:
    if "torch" in text and (_TORCH.search(text) is not None or ("torch." in text and _STAR.search(text) is not None)):
        return True
    return _FROM_LIBRARY.search(text) is not None or _IMPORT_LIBRARY.search(text) is not None


def is_generated(text: str) -> bool:
    """Whether the comments that a file begins with say that it is generated and not to be edited."""
    if not text.startswith("#"):
        return False
    code = _CODE.search(text)
    end = code.start() if code is not None else len(text)
    return _GENERATED.search(text, 0, end) is not None and _NOT_TO_EDIT.search(text, 0, end) is not None


def check_size(text: str) -> None:
    """Raise NotAnalysed for what is generated data rather than a program: it would take minutes."""
    if len(text) > MAX_CHARACTERS:
        raise NotAnalysed(f"longer than {MAX_CHARACTERS:,} characters")
    if len(text) > MAX_LINE_CHARACTERS and max(map(len, text.split("\n"))) > MAX_LINE_CHARACTERS:
        raise NotAnalysed(f"a line is longer than {MAX_LINE_CHARACTERS:,} characters")
    if text.count("elif ") > MAX_ALTERNATIVES:
        raise NotAnalysed(f"more than {MAX_ALTERNATIVES:,} `elif`")
    if len(text) > MAX_DEPTH and (_LONG_LINE.search(text) or len(_CONTINUED.findall(text)) > MAX_DEPTH // 2):
        _check_depth(text)


def _check_depth(text: str) -> None:
    """Raise NotAnalysed for expressions in each other that overrun libcst's stack; Python's parser may have another."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python says of the file's literals is not ours to say
            level: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError):
        return  # libcst tells where
    except (RecursionError, MemoryError):
        raise NotAnalysed("nested too deeply") from None
    for _ in range(MAX_DEPTH):
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        if not level:
            return
    raise NotAnalysed("nested too deeply")
