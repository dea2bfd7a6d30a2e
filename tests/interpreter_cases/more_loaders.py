"""Loaders of datasets that are lists, wrapped, or made by code that cannot be seen."""
import torch
from elsewhere import Wrapped, model, something
from torch.utils.data import DataLoader, Dataset, Subset, default_collate


class Numbers(Dataset):
    def __init__(self):
        self.values = [1.0, 2.0]

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return torch.ones(3), 1


class Odd(Dataset):
    __getitem__ = something


for x, n in DataLoader(Numbers(), batch_size=2):
    a = x  # reveal: cpu
    b = n  # reveal: cpu

for item in DataLoader(Odd()):
    c = item  # reveal: where DataLoader yields

for item in DataLoader(Subset(something, [0])):
    d = item  # reveal: where DataLoader yields

for item in DataLoader(Numbers(), collate_fn=lambda samples: 1):
    e = item  # reveal: where DataLoader yields

for item in DataLoader([1, 2, 3]):
    f = item  # reveal: where DataLoader yields

for item in DataLoader(Wrapped(torch.device("cuda"))):
    g = item  # reveal: where DataLoader yields


def columns(samples):
    first, second = zip(*samples)
    return torch.stack(first), torch.tensor(second)


for one, other in DataLoader([(torch.ones(2).cuda(), 1)], collate_fn=columns):
    got = one  # reveal: cuda
    got = other  # reveal: cpu


def through(samples):
    return default_collate(samples)


for one, other in DataLoader([(torch.ones(2).cuda(), 1)], collate_fn=default_collate):
    got = one  # reveal: cuda
    got = other  # reveal: cpu
for one, other in DataLoader([(torch.ones(2).cuda(), 1)], collate_fn=through):
    got = one  # reveal: cuda
