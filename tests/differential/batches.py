"""Data: samples, datasets, loaders, and how a loop gets at the parts of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .moves import Scope
from .sketch import Page, Sketch


@dataclass(frozen=True, slots=True)
class Source:
    """Where batches come from: an expression to iterate, the form of what it yields, whether it is moved already."""

    loader: str
    form: str
    moved: bool = False

    @contextmanager
    def loop(self, sketch: Sketch, page: Page, loader: str, x: str, y: str) -> Iterator[None]:
        """Write a loop whose body has the input and the target of a batch under two names."""
        sketch.mark("loop")
        dice = sketch.dice
        counted = dice.chance(25)
        if self.form == "tuple" and dice.chance(70):
            head = f"for step, ({x}, {y}) in enumerate({loader}):" if counted else f"for {x}, {y} in {loader}:"
            with page.block(head):
                yield
            return
        batch = "batch" if x == "data" else dice.one_of("batch", "data")
        with page.block(f"for step, {batch} in enumerate({loader}):" if counted else f"for {batch} in {loader}:"):
            page.say(*parts(sketch, self.form, batch, x, y))
            yield


def parts(sketch: Sketch, form: str, batch: str, x: str, y: str) -> list[str]:
    """Return the statements that take a batch apart."""
    if form == "dict":
        sketch.mark("container")
        return [f'{x} = {batch}["x"]', f'{y} = {batch}["y"]']
    return sketch.dice.one_of(
        [f"{x}, {y} = {batch}"], [f"{x}, {y} = {batch}[0], {batch}[1]"], [f"{x} = {batch}[0]", f"{y} = {batch}[1]"]
    )


def tensors(sketch: Sketch, target: str, *, tokens: bool) -> tuple[str, str]:
    """Return the expressions that make all inputs and all targets."""
    xs = "torch.randint(0, 20, (8, 5))" if tokens else f"torch.randn(8, {sketch.width})"
    ys = f"torch.randint(0, {sketch.classes}, (8,))" if target == "classes" else "torch.randn(8, 1)"
    return xs, ys


def source(sketch: Sketch, scope: Scope, target: str, *, tokens: bool) -> Source:
    """Write a dataset and its loader."""
    dice = sketch.dice
    xs, ys = tensors(sketch, target, tokens=tokens)
    form = "tuple"
    match dice.weighted((6, "tensors"), (3, "function"), (4, "class"), (3, "list"), (2, "dicts")):
        case "tensors":
            dataset, page = sketch.fresh("dataset", "data", "train_set"), sketch.main
            if dice.chance(60):
                page.say(f"{dataset} = TensorDataset({xs}, {ys})")
            else:
                page.say(f"inputs, targets = {xs}, {ys}", f"{dataset} = TensorDataset(inputs, targets)")
        case "function":
            name = sketch.fresh("load_data", "make_data")
            with _function(sketch, f"def {name}(n=8):") as page:
                page.say(
                    f"xs = {xs.replace('8', 'n', 1)}", f"ys = {ys.replace('8', 'n', 1)}", "return TensorDataset(xs, ys)"
                )
            dataset = f"{name}()"
        case "class":
            name = sketch.fresh("Samples", "ToyDataset", "Records")
            form = dice.one_of("tuple", "dict")
            item = "self.xs[index], self.ys[index]"
            with _function(sketch, f"class {name}(Dataset):") as page:
                with page.block("def __init__(self):"):
                    page.say(f"self.xs = {xs}", f"self.ys = {ys}")
                page.say("")
                with page.block("def __len__(self):"):
                    page.say("return len(self.xs)")
                page.say("")
                with page.block("def __getitem__(self, index):"):
                    page.say(
                        f"return {item}" if form == "tuple" else 'return {"x": self.xs[index], "y": self.ys[index]}'
                    )
            dataset = f"{name}()"
        case "list":
            sketch.mark("comprehension", "container")
            dataset = f"list(zip({xs}, {ys}))"
        case _:
            sketch.mark("comprehension", "container")
            form = "dict"
            dataset = f'[{{"x": x, "y": y}} for x, y in zip({xs}, {ys})]'
    return _loader(sketch, scope, dataset, form)


def _loader(sketch: Sketch, scope: Scope, dataset: str, form: str) -> Source:
    dice, main = sketch.dice, sketch.main
    options = [dice.one_of("batch_size=8", "batch_size=8", "batch_size=4")]
    moved = False
    if dice.chance(40):
        options.append("shuffle=True")
        if dice.chance(20):
            if sketch.slips():
                main.say(f"generator = torch.Generator(device={scope.where()})")
            else:
                main.say("generator = torch.Generator().manual_seed(0)")
            options.append("generator=generator")
    if dice.chance(15):
        options.append(f"pin_memory={scope.scheme.flag or 'True'}")
    if dice.chance(25):
        sketch.mark("collate_fn")
        form, moved, collate = _collate(sketch, scope, form)
        options.append(f"collate_fn={collate}")
        if moved:
            options = [option for option in options if not option.startswith("pin")]
    else:
        sketch.mark("no collate_fn")
    name = sketch.fresh("loader", "train_loader", "dataloader")
    main.say(f"{name} = DataLoader({dataset}, {', '.join(options)})")
    return Source(name, form, moved)


def _collate(sketch: Sketch, scope: Scope, form: str) -> tuple[str, bool, str]:
    """Write a collate function; return the form of its batches, whether it moves them, and how it is given."""
    dice = sketch.dice
    stacked = (
        ("torch.stack([x for x, _ in samples])", "torch.stack([y for _, y in samples])")
        if form == "tuple"
        else ('torch.stack([s["x"] for s in samples])', 'torch.stack([s["y"] for s in samples])')
    )
    sketch.mark("comprehension")
    moved = dice.chance(35) and scope.scheme.parameter is None and scope.scheme.flag is None
    form = dice.one_of("tuple", "dict")
    name = sketch.fresh("collate", "collate_batch", "stack")
    with _function(sketch, f"def {name}(samples):") as page:
        page.say(f"xs = {stacked[0]}", f"ys = {stacked[1]}")
        if moved:
            page.say(f"xs, ys = xs.to({scope.where()}), ys.to({scope.where()})")
        page.say("return xs, ys" if form == "tuple" else 'return {"x": xs, "y": ys}')
    return form, moved, name


@contextmanager
def _function(sketch: Sketch, head: str) -> Iterator[Page]:
    sketch.data.say("", "")
    with sketch.data.block(head):
        yield sketch.data
