"""What data sets of torchvision yield, and the parts of a data set: where their tensors are."""

import torch
from elsewhere import lengths, show, transform
from ignite.distributed import auto_dataloader
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

held = datasets.MNIST("data", transform=to_tensor)
for image, label in held:
    got = image  # reveal: cpu
    got = label  # reveal: unknown
got = held[0][0]  # reveal: cpu
got = datasets.MNIST("data")[0][0]  # reveal: unknown
for image, label in DataLoader(held, batch_size=None):
    got = image  # reveal: cpu
    got = label  # reveal: unknown
for image, label in DataLoader(held, 4, True, None, None, 0, lambda samples: (samples[0][0].cuda(), 1)):
    got = image  # reveal: cuda

loader = DataLoader(held)
held.transform = to_gpu
for image, label in loader:
    got = image  # reveal: unknown
loader = DataLoader(held)
loader.dataset.transform = to_tensor
for image, label in loader:
    got = image  # reveal: unknown
loader = DataLoader(held)
loader.collate_fn = first
for image, label in loader:
    got = image  # reveal: unknown
one, other = random_split(held, [4, 4])
one.dataset.transform = to_gpu
for image, label in DataLoader(other):
    got = image  # reveal: cuda
held.transforms = transform
for image, label in DataLoader(held):
    got = image  # reveal: where DataLoader yields

for image, label in auto_dataloader(datasets.MNIST("data", transform=to_tensor), 4, True, 2):
    got = image  # reveal: where auto_dataloader yields
for image, label in DataLoader(**transform):
    got = image  # reveal: where DataLoader yields

growing = transforms.Compose([to_tensor])
growing.transforms.append(lambda image: image.cuda())
for image, label in DataLoader(datasets.MNIST("data", transform=growing)):
    got = image  # reveal: cuda
replaced = transforms.Compose([to_tensor])
replaced.transforms = transform
got = replaced(image)  # reveal: unknown
shown = datasets.MNIST("data", transform=to_tensor)
show(Subset(shown, [1]))
for image, label in DataLoader(shown):
    got = image  # reveal: where DataLoader yields
pairs = TensorDataset(torch.ones(4), torch.ones(4))
pairs.tensors = tuple(tensor.cuda() for tensor in pairs.tensors)
got = pairs[0][0]  # reveal: unknown
for one, other in DataLoader(pairs):
    got = one  # reveal: where DataLoader yields
show(random_split([torch.ones(3)], lengths)[0])

torch.set_default_device("cuda")
for image, label in DataLoader(datasets.MNIST("data", transform=to_tensor)):
    got = image  # reveal: cpu
    got = label  # reveal: unknown
loader = DataLoader(datasets.MNIST("data", transform=to_tensor))
torch.set_default_device("cpu")
for image, label in loader:
    got = image  # reveal: unknown
