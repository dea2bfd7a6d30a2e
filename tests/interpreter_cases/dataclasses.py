"""Dataclasses: what makes a field of each object, and an object with some fields bound anew."""

from dataclasses import dataclass, field, replace

import torch


@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor
    far: torch.Tensor = field(default_factory=lambda: torch.ones(1).cuda())
    near: torch.Tensor = field(default=torch.ones(1))
    known: torch.Tensor = field(repr=False)


batch = Batch(torch.ones(2), torch.ones(2))
first = batch.far  # reveal: cuda
second = replace(batch, x=batch.x.cuda())
third = second.x  # reveal: cuda
fourth = second.y  # reveal: cpu
fifth = second.far  # reveal: cuda
sixth = replace(torch.batch, x=1).x  # reveal: unknown
seventh = Batch(*torch.list).far  # reveal: unknown
eighth = Batch(batch.x, batch.y, batch.x).far  # reveal: cpu
