"""What an opaque value is shown to be by its use, and what calls of library objects and odd moves give."""
import torch
from elsewhere import Model
from lightning import LightningModule
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from transformers import AutoTokenizer

x = torch.ones(2, 3)
tokenizer = AutoTokenizer.from_pretrained("name")

a = torch.zeros(3, device=tokenizer)  # reveal: a device
packed = pack_padded_sequence(x.cuda(), [3])
b = packed(x)  # reveal: unknown
c = packed.to(torch.float16)  # reveal: cuda
d = LightningModule()  # reveal: unknown
net = nn.Linear(3, 3)
e = net.extra_repr()  # reveal: unknown
f = torch.add(1, 2)  # reveal: unknown [0-]
g = nn.ReLU()()  # reveal: unknown
h = torch.trace(x.cuda())  # reveal: cuda [0]
i = torch.histc(x)  # reveal: cpu [1]
j = net.to(torch.float16)  # reveal: cpu


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Model()
        self.second = self.first


shared = Shared()
shared.cuda()
k = shared.second  # reveal: cuda


def opaque(one, two, three, optimizer, model):
    a = torch.max(one, x.cuda())  # reveal: cuda
    two.unsqueeze(0)
    b = x.to(two)  # reveal: the device of two
    two.float()
    c = torch.stack([three])  # reveal: unknown [1-]
    optimizer.add_param_group({"params": []})
    model.load_state_dict(one)
    d = nn.CrossEntropyLoss(weight=one)  # reveal: cpu
    e = model.to(*three)  # reveal: unknown
    first = torch.device("cuda" if one else optimizer)
    f = torch.zeros(3, device=first)  # reveal: first
    return a


def early(flag):
    if flag:
        with torch.device("cuda"):
            inside = torch.ones(3)  # reveal: cuda
            return inside
    after = torch.ones(3)  # reveal: cpu
    return after


def copied(model):
    import copy

    other = copy.deepcopy(model)
    other.to("cuda:1")
    model.cuda()
    kept = other  # reveal: cuda:1


def carried(data):
    data.x = torch.ones(3)
    data.n = 1
    moved = data.to("cuda")
    a = moved.x  # reveal: cuda
    b = moved.n  # reveal: 1
    return a
