"""What data sets of torchvision yield, and the parts of a data set: where their tensors are."""

import torch
from elsewhere import lengths, transform
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split
from torchvision import datasets, transforms

to_tensor = transforms.ToTensor()
to_gpu = transforms.Compose([to_tensor, transforms.Lambda(lambda image: image.cuda())])
one_hot = transforms.Lambda(lambda label: torch.zeros(10).scatter_(0, torch.tensor(label), value=1))

for image, label in DataLoader(datasets.MNIST("data", transform=to_tensor)):
    got = image  # reveal: cpu
    got = label  # reveal: cpu
for image, label in DataLoader(datasets.MNIST("data", True, to_gpu)):
    got = image  # reveal: cuda
    got = label  # reveal: cpu
for image, label in DataLoader(datasets.EMNIST("data", "letters", transform=to_tensor, target_transform=one_hot)):
    got = label  # reveal: cpu
for image, label in DataLoader(datasets.MNIST("data", transform=transform)):
    got = image  # reveal: where DataLoader yields
for image, label in DataLoader(datasets.MNIST("data")):
    got = image  # reveal: where DataLoader yields
for image, label in DataLoader(datasets.MNIST("data", transforms=lambda image, label: (to_gpu(image), label))):
    got = image  # reveal: where DataLoader yields
for image, label in DataLoader(datasets.MNIST("data", **transform)):
    got = image  # reveal: where DataLoader yields
for image, label in DataLoader(datasets.MNIST("data", transform=to_tensor, target_transform=transform)):
    got = image  # reveal: where DataLoader yields
for image, label in DataLoader(datasets.QMNIST("data", transform=to_tensor)):
    got = image  # reveal: where DataLoader yields


def first(samples):
    return samples[0]


pictures = datasets.ImageFolder("data", to_tensor)
for image, label in DataLoader(pictures, collate_fn=first):
    got = image  # reveal: cpu
    got = label  # reveal: unknown
labelled = datasets.ImageFolder("data", to_tensor, one_hot)
for image, label in DataLoader(labelled, collate_fn=first):
    got = label  # reveal: cpu
pictures.transform = to_gpu
for image, label in DataLoader(Subset(dataset=pictures, indices=[1])):
    got = image  # reveal: cuda

one, other = random_split(pictures, [4, 4])
for image, label in DataLoader(other):
    got = image  # reveal: cuda
for part in random_split(pictures, lengths):
    for image, label in DataLoader(part):
        got = image  # reveal: cuda
rows, _ = random_split(TensorDataset(torch.ones(4).cuda()), [2, 2])
for (row,) in DataLoader(rows):
    got = row  # reveal: cuda


class Rows(Dataset):
    def __getitem__(self, index):
        return torch.ones(3).cuda(), 1


for row, number in DataLoader(Subset(random_split(Rows(), [2, 2])[0], [1])):
    got = row  # reveal: cuda
    got = number  # reveal: cpu

torch.set_default_device("cuda")
for image, label in DataLoader(datasets.MNIST("data", transform=to_tensor)):
    got = image  # reveal: cpu
    got = label  # reveal: unknown
