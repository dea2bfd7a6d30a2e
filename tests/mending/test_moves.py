"""Fixes of moves, and of the order of statements."""

from __future__ import annotations

from textwrap import dedent

import pytest
from mending_scripts import HEAD, MODEL, MOVED, after, written

from torchdevlint.engine import analyse


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("if torch.cuda.is_available():\n    model.cuda\n", "model.cuda()"),
        ("model.cuda\n", ""),
        ("model.to\n", ""),
    ],
)
def test_a_method_is_called_that_needs_no_argument(use: str, fixed: str) -> None:
    assert "|".join(written(f"{MODEL}{use}", "TDL202")) == fixed


@pytest.mark.parametrize(
    ("saved", "fixed"),
    [
        ("state = model.cpu().state_dict()", "state = {k: v.cpu() for k, v in model.state_dict().items()}"),
        ("state = model.cpu().state_dict().items()", ""),
        ("state = model.cpu().eval().state_dict()", ""),
        ("model.cpu()", ""),
    ],
)
def test_a_state_is_copied_to_the_host(saved: str, fixed: str) -> None:
    text = f"{MOVED}x = torch.ones(2, 3).to(device)\nfor _ in range(2):\n    model(x)\n    {saved}\n"
    assert "|".join(written(text, "TDL203")) == fixed


@pytest.mark.parametrize(
    ("loader", "fixed"),
    [
        ("DataLoader(data, pin_memory=True)", "DataLoader(data)"),
        ("DataLoader(pin_memory=True, dataset=data)", "DataLoader(dataset=data)"),
        ("DataLoader(data, pin_memory=(True), batch_size=2)", "DataLoader(data, batch_size=2)"),
        ("DataLoader(\n    data,\n    pin_memory=True,  # why\n    batch_size=2)", "data,  # why"),
        ("DataLoader(\n    data,  # why\n    pin_memory=True)", ""),
        ("DataLoader(data, **{'pin_memory': True})", ""),
    ],
)
def test_an_argument_is_dropped_with_its_comma(loader: str, fixed: str) -> None:
    head = f"{MOVED}from torch.utils.data import DataLoader, TensorDataset\ndata = TensorDataset(torch.ones(4, 3).to(device))\n"
    text = f"{head}loader = {loader}\nfor (x,) in loader:\n    model(x)\n"
    found = [line.removeprefix("loader = ") for line in written(text, "TDL205")]
    assert "|".join(found) == fixed


@pytest.mark.parametrize(
    ("leaf", "fixed"),
    [
        ("x = torch.ones(3, requires_grad=True)\nx = x.to(device)", "x = x.detach().to(device).requires_grad_()"),
        ("z = torch.ones(3, requires_grad=True)\nx = z.to(device)", ""),
        ("x = torch.ones(3, requires_grad=True).to(device)", "x = torch.ones(3).to(device).requires_grad_()"),
        ("x = nn.Parameter(torch.ones(3)).to(device)", "x = nn.Parameter(torch.ones(3).to(device))"),
        ("x = nn.Parameter(torch.ones(3) * 2).to(device)", ""),
        ("x = nn.Parameter(\n    torch.ones(3)).to(\n    device)", ""),
    ],
)
def test_a_leaf_is_made_of_the_copy(leaf: str, fixed: str) -> None:
    use = "model(torch.ones(3).to(device))\noptimizer = torch.optim.SGD([x], lr=0.1)\n"
    found = written(f"{MOVED}{leaf}\n{use}", "TDL207")
    assert "|".join(found) == (fixed if "requires_grad=True).to" not in leaf else "")


@pytest.mark.parametrize(
    ("move", "fixed"),
    [
        ("x.to(like=y)", "x = x.to(y)"),
        ("x.to(like=y, copy=True)", ""),
    ],
)
def test_an_argument_loses_its_name(move: str, fixed: str) -> None:
    text = f"{MOVED}x, y = torch.ones(2, 3), torch.ones(2, 3)\nx = {move}\nmodel(y.to(device))\n"
    assert "|".join(written(text, "TDL208")) == fixed


@pytest.mark.parametrize(
    ("step", "fixed"),
    [
        ("total += loss", "total += loss.detach()"),
        ("total += loss * 2", "total += (loss * 2).detach()"),
        ("kept.append(loss)", "kept.append(loss.detach())"),
        ("kept += [loss]", ""),
        ("kept = kept + [loss]", ""),
    ],
)
def test_what_is_added_up_is_detached(step: str, fixed: str) -> None:
    body = f"    loss = model(torch.ones(2, 3)).sum()\n    loss.backward()\n    {step}\nprint(total, len(kept))\n"
    assert "|".join(written(f"{MODEL}total, kept = 0, []\nfor _ in range(9):\n{body}", "TDL304")) == fixed


OPTIMIZED = "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
STEP = "model(torch.ones(2, 3).to(device)).sum().backward()\noptimizer.step()\n"


@pytest.mark.parametrize(
    ("between", "moves"),
    [
        ("", True),
        ("print(device)\n", True),
        ("scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\n# there\n", True),
        ("print(model)\n", False),
        ("model.eval()\n", False),
        ("device = torch.device('cuda')\n", False),
        ("for p in model.parameters():\n    pass\n", False),
        ("print(1); ", False),
    ],
)
def test_a_module_moves_before_its_optimizer(between: str, moves: bool) -> None:
    text = f"{MODEL}{OPTIMIZED}{between}model.to(device)\n{STEP}"
    comment = "# there\n" if "# there" in between else ""
    first = f"{MODEL}{comment}model.to(device)\n{OPTIMIZED}{between.removesuffix(comment)}{STEP}"
    assert after(text, "TDL302") == (first if moves else text)


@pytest.mark.parametrize(
    ("move", "moves"),
    [
        ("model = model.to(device)\n", True),
        ("if torch.cuda.is_available():\n    # both\n    model.cuda()\n    other = other.cuda()\n", True),
        ("if torch.cuda.is_available():\n    model.cuda()\n    print(1)\n", False),
        ("if torch.cuda.is_available():\n    model.cuda()\n    moved = other.cuda()\n", False),
        ("if torch.cuda.is_available():\n    model.cuda()\nelse:\n    print(1)\n", False),
        ("print(model.to(device))\n", False),
        ("moved = model.to(device)\n", False),
        ("other.to(device), model.to(device)\n", False),
    ],
)
def test_a_statement_moves_that_does_nothing_else(move: str, moves: bool) -> None:
    head = f"{MODEL}other = nn.Linear(3, 3)\n"
    text = f"{head}{OPTIMIZED}{move}{STEP}"
    assert after(text, "TDL302") == (f"{head}{move}{OPTIMIZED}{STEP}" if moves else text)


@pytest.mark.parametrize(("above", "below"), [("\n", "\n"), ("", "")])
def test_a_block_that_stands_apart_does_so_where_other_lines_do(above: str, below: str) -> None:
    block = "if torch.cuda.is_available():\n    model.cuda()\n"
    text = f"{MODEL}{above}{OPTIMIZED}\n{block}\n{STEP}"
    assert after(text, "TDL302") == f"{MODEL}{above}{block}{below}{OPTIMIZED}\n{STEP}"


def test_a_block_that_is_moved_twice_leaves_no_empty_line_between_optimizers() -> None:
    other = "second = torch.optim.SGD(other.parameters(), lr=0.1)\n"
    block = "if torch.cuda.is_available():\n    model.cuda()\n    other.cuda()\n"
    head, step = f"{MODEL}other = nn.Linear(3, 3)\n", f"{STEP}second.step()\n"
    assert after(f"{head}{OPTIMIZED}{other}\n{block}\n{step}", "TDL302") == f"{head}{block}{OPTIMIZED}{other}\n{step}"


def test_a_block_that_is_moved_twice_stands_apart_from_optimizers_that_do() -> None:
    other = "second = torch.optim.SGD(other.parameters(), lr=0.1)\n"
    block = "# there\nif torch.cuda.is_available():\n    model.cuda()\n    other.cuda()\n"
    head, step = f"{MODEL}other = nn.Linear(3, 3)\n\n", f"{STEP}second.step()\n"
    text = f"{head}# both\n{OPTIMIZED}{other}\n{block}\n{step}"
    assert after(text, "TDL302") == f"{head}{block}\n# both\n{OPTIMIZED}{other}\n{step}"


def test_a_statement_moves_before_a_block() -> None:
    build = "if torch.cuda.is_available():\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nelse:\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)\n"
    assert after(f"{MODEL}{build}model.to(device)\n{STEP}", "TDL302") == f"{MODEL}model.to(device)\n{build}{STEP}"


def test_a_statement_of_another_block_does_not_move() -> None:
    text = f"{MODEL}{OPTIMIZED}for _ in range(1):\n    model.to(device)\n{STEP}"
    assert after(text, "TDL302") == text


TRAINER = """
    class Trainer:
        def __init__(self, model, device):
            self.device = device
            self.model = nn.Linear(3, 3)
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            {between}
            self.model.to(self.device)

        def step(self, x):
            self.model(x.to(self.device)).sum().backward()
            self.optimizer.step()

    trainer = Trainer(None, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    trainer.step(torch.ones(2, 3))
"""


@pytest.mark.parametrize(
    ("between", "moves"),
    [
        ("self.epochs = 3", True),
        ("self.setup()", False),
        ("self.device = 'cuda'", False),
        ("self.model.eval()", False),
        ("print(self)", False),
        ("del self.device", False),
    ],
)
def test_a_method_may_change_what_a_statement_uses(between: str, moves: bool) -> None:
    text = HEAD + dedent(TRAINER.format(between=between))
    lines = after(text, "TDL302").split("\n")
    moved = next(n for n, line in enumerate(lines) if "self.model.to" in line)
    built = next(n for n, line in enumerate(lines) if "optim.SGD" in line)
    assert (moved < built) is moves


def test_the_last_line_moves_if_it_has_an_end() -> None:
    build = 'import os\nimport torch\nprint(torch.cuda.is_available())\nos.environ["CUDA_VISIBLE_DEVICES"] = "1"'
    assert after(build, "TDL506") == build
    assert after(f"{build}\n", "TDL506").split("\n")[2].startswith("os.environ")


def test_a_replacement_moves_before_the_optimizer() -> None:
    text = f"{MODEL}model = nn.Sequential(model)\n{OPTIMIZED}{{}}{STEP}"
    late = "model[0] = nn.Linear(3, 3)\n"
    assert after(text.format(late), "TDL305") == text.replace(OPTIMIZED, late + OPTIMIZED).format("")
    assert after(text.format(f"print(model)\n{late}"), "TDL305") == text.format(f"print(model)\n{late}")


def test_a_module_moves_before_something_is_taken_out_of_it() -> None:
    kept, use = "kept = model.state_dict()\n", "for name, x in model.state_dict().items():\n    print(x - kept[name])\n"
    text = f"{MODEL}{kept}{{}}model.to(device)\n{use}"
    assert after(text.format(""), "TDL115") == f"{MODEL}model.to(device)\n{kept}{use}"
    assert after(text.format("print(model)\n"), "TDL115") == text.format("print(model)\n")


@pytest.mark.parametrize(
    ("use", "code", "fixed"),
    [
        ("rows[chosen] = model(torch.ones(2, 3).to(device))", "TDL101", ""),
        ("rows[chosen] = model(torch.ones(2, 3).to(device))", "TDL109", ""),
        ("rows[torch.tensor([1, 2])] = model(torch.ones(2, 3).to(device))", "TDL101", ""),
        ("rows[chosen] = 1", "TDL109", "rows[chosen.cpu()] = 1"),
        ("rows[chosen] += 1", "TDL109", "rows[chosen.cpu()] += 1"),
        ("some = rows[chosen]", "TDL109", "some = rows[chosen.cpu()]"),
    ],
)
def test_what_is_written_to_is_not_copied(use: str, code: str, fixed: str) -> None:
    text = f"{MOVED}rows = torch.zeros(9, 3)\nchosen = torch.randint(0, 9, (2,)).to(device)\n"
    assert "|".join(written(f"{text}{use}\n", code)) == fixed


@pytest.mark.parametrize(
    ("put", "fixed"),
    [
        ("rows[chosen] = torch.ones(3, 3)", "rows[chosen] = torch.ones(3, 3).to(rows.device)"),
        ("x = rows[chosen] = torch.ones(3, 3)", "x = rows[chosen] = torch.ones(3, 3).to(rows.device)"),
        ("rows[chosen], y = torch.ones(3, 3), 1", "rows[chosen], y = torch.ones(3, 3).to(rows.device), 1"),
        ("y, rows[chosen] = 1, torch.ones(3, 3)", "y, rows[chosen] = 1, torch.ones(3, 3).to(rows.device)"),
        ("rows[chosen], y = made()", ""),
        ("rows[chosen], *y = torch.ones(3, 3), 1", ""),
        ("(rows[chosen],) = torch.ones(1, 3, 3)", ""),
        ("for rows[chosen] in [torch.ones(3, 3)]:\n    pass", ""),
    ],
)
def test_what_is_put_into_it_moves_but_not_what_is_unpacked(put: str, fixed: str) -> None:
    text = f"{MOVED}rows = torch.zeros(9, 3).to(device)\nchosen = torch.rand(9) > 0.5\n"
    made = "def made():\n    return torch.ones(3, 3), 1\n"
    assert "|".join(written(f"{text}{made}{put}\n", "TDL101")) == fixed
    assert "TDL101" in {one.code for one in analyse(f"{text}{made}{put}\n")}


@pytest.mark.parametrize(
    ("early", "place"),
    [
        ("", "device"),
        ("show(model, data)\n", "next(model.parameters()).device"),
        ("print(show)\n", "next(model.parameters()).device"),
    ],
)
def test_a_name_is_used_that_is_there_when_a_function_runs(early: str, place: str) -> None:
    text = f"""{HEAD}model = nn.Linear(3, 3)
data = [torch.ones(2, 3)]
def show(model, data):
    for x in data:
        print(model(x))
{early}device = "cuda" if torch.cuda.is_available() else "cpu"
model = model.to(device)
show(model, data)
"""
    assert written(text, "TDL102") == [f"print(model(x.to({place})))"]
