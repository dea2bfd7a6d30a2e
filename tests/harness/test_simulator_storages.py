"""Storages, copies of objects, and files of tensors."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from simulated import run, simulated
from torch import nn

from torchdevlint.harness.simulator import Machine

pytestmark = pytest.mark.needs_torch
CUDA = torch.device("cuda", 0)


@simulated(Machine(2))
def test_storages_say_where_they_are() -> None:
    storage = torch.ones(2, device="cuda:1").untyped_storage()
    assert (storage.device, storage.is_cuda, storage.get_device()) == (torch.device("cuda", 1), True, 1)
    assert (storage.cpu().device.type, storage.cpu().get_device()) == ("cpu", -1)
    assert storage.cuda().device == storage.to(device=0).device == CUDA
    assert storage.to(device=1) is storage
    assert storage.clone().device == storage.device
    assert torch.UntypedStorage(4, device="cuda:1").device.index == 1
    assert torch.UntypedStorage(4, device="cpu").device.type == "cpu"
    assert torch.cuda.FloatStorage(2).device == CUDA
    assert torch.UntypedStorage(0).cuda(1).device.index == 1
    meta = torch.ones(2, device="meta").untyped_storage()
    assert meta.clone().device.type == meta.device.type == "meta"
    with pytest.raises(AssertionError, match="META device module is not loaded"):
        storage.to(device="meta")


@simulated()
def test_copies_of_objects_stay_on_the_device() -> None:
    model = nn.Linear(2, 2).cuda()
    assert copy.deepcopy(model).weight.device == CUDA
    assert pickle.loads(pickle.dumps(model)).weight.device == CUDA  # noqa: S301


def _save(path: str, legacy: bool) -> None:
    model = nn.Linear(2, 2).cuda()
    tensors = {"model": model.state_dict(), "host": torch.ones(2)}
    torch.save(tensors, path, _use_new_zipfile_serialization=not legacy)


def _load(path: str, **kwargs: Any) -> tuple[str, str]:
    loaded = torch.load(path, **kwargs)
    return str(loaded["model"]["weight"].device), str(loaded["host"].device)


def _fail(path: str, **kwargs: Any) -> str:
    with pytest.raises(RuntimeError) as caught:
        torch.load(path, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize("legacy", [False, True])
def test_files_remember_devices(tmp_path: Path, legacy: bool) -> None:
    path = str(tmp_path / "checkpoint.pt")
    run(_save, path=path, legacy=legacy)
    assert run(_load, path=path) == ("cuda:0", "cpu")
    assert run(_load, path=path, map_location="cpu") == ("cpu", "cpu")
    assert run(_load, path=path, map_location="cuda") == ("cuda:0", "cuda:0")
    assert run(_load, Machine(2), path=path, map_location={"cuda:0": "cuda:1"}) == ("cuda:1", "cpu")
    assert run(_load, None, path=path, map_location="cpu") == ("cpu", "cpu")
    message = run(_fail, None, path=path)
    assert message.startswith(
        "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False"
    )
    assert run(_fail, Machine(visible=False), path=path) == message


@simulated()
def test_checkpoints_return_to_the_model() -> None:
    model = nn.Linear(2, 2).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2, device="cuda")).sum().backward()
    optimizer.step()
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")
    fresh = nn.Linear(2, 2).cuda()
    fresh.load_state_dict(loaded["model"])
    again = torch.optim.Adam(fresh.parameters())
    again.load_state_dict(loaded["optimizer"])
    assert fresh.weight.device == CUDA
    assert {each["exp_avg"].device for each in again.state.values()} == {CUDA}
    fresh(torch.ones(1, 2, device="cuda")).sum().backward()
    again.step()


@simulated()
def test_the_model_on_the_host_after_saving_fails() -> None:
    model = nn.Linear(2, 2).cuda()
    torch.save(model.cpu().state_dict(), io.BytesIO())
    with pytest.raises(RuntimeError, match=r"got mat1 is on cuda:0, different from other tensors on cpu.*CUDA_addmm"):
        model(torch.ones(1, 2, device="cuda"))
