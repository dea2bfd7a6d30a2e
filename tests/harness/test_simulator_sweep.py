"""PyTorch's own samples of all operations and modules: none is refused on one device, each is on two."""

from __future__ import annotations

import pytest
import sweep
from simulated import run

pytestmark = pytest.mark.needs_torch

SPARSE = "sparse tensors on a device are not simulated, and that is said"
NOT_ON_THE_DEVICE = {
    "sparse_mm_reduce": SPARSE,
    "sparse_sampled_addmm": SPARSE,
    "to": "its sample asks for a result on the host",
    "to_sparse": SPARSE,
}
ONLY_SIZES = "of the other tensor only the shape matters"
STAYS = "the first tensor is sparse, so it stays on the host with the others"
COPIES = "what is put into a part is copied there, from any device"
NOT_REFUSED = {
    **dict.fromkeys(("as_strided_scatter", "diagonal_scatter", "select_scatter", "slice_scatter"), COPIES),
    "broadcast_tensors": "tensors are expanded each for itself",
    "expand_as": ONLY_SIZES,
    "nn_functional_ctc_loss": "targets and lengths may be anywhere",
    "reshape_as": ONLY_SIZES,
    "resize_as_": ONLY_SIZES,
    "sparse_mm_reduce": STAYS,
    "sparse_sampled_addmm": STAYS,
    "tensor_split": "places to split at must be on the host",
    "view_as": ONLY_SIZES,
}


def test_operations_on_the_device_pass() -> None:
    outcome = run(sweep.operations_on_the_device, seconds=500)
    assert outcome.ran > 1200
    assert {name: problem for name, problem in outcome.wrong.items() if name not in NOT_ON_THE_DEVICE} == {}
    assert outcome.wrong.keys() == NOT_ON_THE_DEVICE.keys()


def test_operations_on_both_are_refused() -> None:
    outcome = run(sweep.operations_on_both, seconds=500)
    assert outcome.ran > 250
    assert {name: problem for name, problem in outcome.wrong.items() if name not in NOT_REFUSED} == {}
    assert outcome.wrong.keys() == NOT_REFUSED.keys()


def test_modules_on_the_device_pass() -> None:
    outcome = run(sweep.modules_on_the_device, seconds=500)
    assert outcome.ran > 100
    assert outcome.wrong == {}


def test_modules_on_both_are_refused() -> None:
    outcome = run(sweep.modules_on_both, seconds=500)
    assert outcome.ran > 30
    assert outcome.wrong == {}
