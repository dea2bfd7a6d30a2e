"""Data loaders: items share a symbol, moving one member says nothing of where it is but makes it be there."""
import torch
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.ones(8, 2), torch.zeros(8))
loader = DataLoader(dataset, batch_size=4)
for x, y in loader:
    one = x  # reveal: cpu
    two = y.cuda()  # reveal: cuda
    three = y  # reveal: cpu
for index, (x, y) in enumerate(loader):
    four = x.cuda()  # reveal: cuda
x, y = next(iter(loader))
five = x  # reveal: cpu

placed = TensorDataset(torch.ones(8, 2).cuda())
for (x,) in DataLoader(placed):
    six = x  # reveal: cuda


def unknown(loader, device):
    for x, y in loader:
        a = x  # reveal: where loader yields
        x = x.to(device)
        b = x  # reveal: device
        c = y  # reveal: where loader yields


def whole_batches(loader):
    for batch in loader:
        a = batch["x"]  # reveal: where loader yields
        b = batch["x"].cuda()  # reveal: cuda
        batch = {k: v.cuda() for k, v in batch.items()}
        c = batch["x"]  # reveal: cuda
