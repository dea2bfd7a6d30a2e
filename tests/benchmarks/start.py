"""What a run costs before its first finding, and what it costs where there is nothing to find."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator

RUNS = 7
_TIMED = """\
import sys, time
before = set(sys.modules)
start = time.process_time()
{0}
print((time.process_time() - start) * 1e3, "libcst" in sys.modules)
"""
_WITH_TORCH = "import torch\\nx = torch.ones(3)\\nx.cuda()\\n"
_PLUGIN = """\
from argparse import Namespace
from torchdevlint.flake8_plugin import Plugin
options = Namespace(select={select}, extend_select=None, ignore=None, extend_ignore=None, extended_default_select=[],
                    extended_default_ignore=[], enable_extensions=None, per_file_ignores=None)
Plugin.parse_options(options)
list(Plugin(None, ["{text}"], "train.py").run())
"""
SCRIPTS = {
    "libcst alone": "import libcst",
    "the engine, to its first finding": f'from torchdevlint.engine import analyse\nassert analyse("{_WITH_TORCH}")',
    "the plugin, to its first finding": _PLUGIN.format(select=["TDL"], text=_WITH_TORCH),
    "the plugin, over a file without torch": _PLUGIN.format(select=["TDL"], text="import os\\n"),
    "the plugin, deselected": _PLUGIN.format(select=["E"], text=_WITH_TORCH),
}


def figures() -> Iterator[str]:
    """Yield the median of each start; the runs take turns, so that what else the machine does hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in SCRIPTS}
    imported: dict[str, bool] = {}
    for _ in range(RUNS):
        for name, script in SCRIPTS.items():
            command = [sys.executable, "-c", _TIMED.format(script)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            taken, loaded = done.stdout.split()
            times[name].append(float(taken))
            imported[name] = loaded == "True"
    for name, taken_ in times.items():
        note = "" if imported[name] else ", libcst is not imported"
        yield f"{statistics.median(taken_):7.1f} ms  {name}{note}"
