"""Scripts that are mended in the tests of fixes, and what becomes of them."""

from __future__ import annotations

from textwrap import dedent

from torchdevlint.checking.documents import Document
from torchdevlint.checking.fixing import FixTask, mended
from torchdevlint.checking.outcomes import Task


def after(text: str, code: str) -> str:
    """The text after the fixes of one rule, unsafe ones too."""
    source = dedent(text)
    task = Task("train.py", lambda found: found == code, source)
    return mended(FixTask(task, unsafe=True, write=False), Document(source, "utf-8")).after


def written(text: str, code: str) -> list[str]:
    """The lines that the fixes of one rule change or add, without their indentation."""
    source = dedent(text)
    before = source.split("\n")
    return [line.strip() for line in after(source, code).split("\n") if line not in before]


HEAD = "import torch\nfrom torch import nn\n"
CHOSEN = f'{HEAD}device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
MODEL = f"{CHOSEN}model = nn.Linear(3, 3)\n"
MOVED = f"{MODEL}model.to(device)\n"


def module(forward: str, init: str = "self.layer = nn.Linear(3, 3)", head: str = HEAD) -> str:
    """A module with a constructor and a `forward` of some lines."""
    lines = [f"        {line}" for line in forward.split("\n")]
    inits = [f"        {line}" for line in init.split("\n")]
    return "\n".join(
        [
            f"{head}class Net(nn.Module):",
            "    def __init__(self, given=None):",
            "        super().__init__()",
            *inits,
            "    def forward(self, x, y=None):",
            *lines,
            "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')",
            "net = Net().to(device)",
            "net(torch.ones(2, 3).to(device))",
            "",
        ]
    )
