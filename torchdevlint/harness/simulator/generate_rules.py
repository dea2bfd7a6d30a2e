"""Derives the table of device checks from the `native_functions.yaml` that lies in PyTorch's wheel (needs PyYAML).

`python -m torchdevlint.harness.simulator.generate_rules [--check]`; with `--check` nothing is written, and the exit
status says whether the table is that of the installed PyTorch.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("device_rules.json")


def derive_table() -> dict[str, Any]:
    """The table for the installed PyTorch: its version, the method and arguments of each operation that is wrapped.

    This repeats torchgen's own rule (`torchgen/dest/register_dispatch_key.py`): a CUDA kernel without
    `device_check: NoCheck` is wrapped in a function that compares the devices of all tensor arguments. The copies are
    operations whose `out=` torchgen makes (`gen_composite_out_kernel` in `torchgen/native_function_generation.py`, and
    `copy_arg` in `CompositeViewCopyKernels.cpp`): they compare what they write to with what they have made.
    """
    import torch
    import torchgen
    from torchgen.api import cpp, native
    from torchgen.gen import get_grouped_native_functions, parse_native_yaml
    from torchgen.model import DeviceCheckType, DispatchKey, NativeFunctionsGroup

    folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    kernels = parsed.backend_indices[DispatchKey.CUDA]
    rules: dict[str, Any] = {}
    for group in get_grouped_native_functions(parsed.native_functions):
        grouped = isinstance(group, NativeFunctionsGroup)
        structured = grouped and group.structured
        for function in list(group.functions()) if grouped else [group]:
            if not (kernels.has_kernel(function) or (structured and kernels.has_kernel(group.out))):
                continue  # what is composed of other operations is checked in those
            if function.device_check == DeviceCheckType.NoCheck:
                continue
            arguments = [*function.func.arguments.out, *function.func.arguments.flat_positional]
            tensors = [argument for argument in arguments if argument.type.is_tensor_like()]
            if not tensors or (len(tensors) == 1 and "[" not in str(tensors[0].type)):
                continue  # one tensor is always on one device
            name = function.func.name
            method = native.name(function.func) if structured else f"{name.overload_name}_{cpp.name(function.func)}"
            rules[f"{name.name}.{name.overload_name or 'default'}"] = [
                f"wrapper_CUDA_{method}",
                [argument.name for argument in tensors],
            ]
    copies = [
        f"{function.func.name.name}.{function.func.name.overload_name}"
        for function in parsed.native_functions
        if function.func.is_out_fn() and {"generated", "view_copy"} <= function.tags
    ]
    version = torch.__version__.split("+")[0]
    return {"torch": version, "rules": dict(sorted(rules.items())), "copies": sorted(copies)}


def format_table(table: dict[str, Any]) -> str:
    """The text of the file: one line for each operation, so that changes between versions can be read."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(rule)}" for name, rule in table["rules"].items())
    copies = ",\n".join(map(json.dumps, table["copies"]))
    return f'{{"torch": {json.dumps(table["torch"])}, "rules": {{\n{lines}\n}}, "copies": [\n{copies}\n]}}\n'


def main(arguments: Sequence[str]) -> int:
    """Write the table, or with `--check` compare it; 1 if it is stale."""
    text = format_table(derive_table())
    if "--check" not in arguments:
        TABLE.write_text(text, encoding="utf-8")
        return 0
    if TABLE.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{TABLE} is not what the installed PyTorch says: run this without --check\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
