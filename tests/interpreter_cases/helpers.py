"""What helpers of libraries and frameworks do with what they are given."""
import copy

import torch
from accelerate import Accelerator
from accelerate.utils import send_to_device
from elsewhere import Model, data
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils._pytree import tree_map
from torch.utils.data import DataLoader, TensorDataset
from transformers import AutoModel, AutoTokenizer

device = torch.device("cuda:1")
x = torch.ones(2, 3)
net = nn.Linear(3, 3)

# helpers that move
a = send_to_device(x, device)  # reveal: cuda:1
b = send_to_device({"x": x, "n": 1}, device)  # reveal: dict of cuda:1, 1
d = send_to_device(net, device)  # reveal: cuda:1
e = send_to_device(x)  # reveal: unknown
f = send_to_device(Model, device)  # reveal: unknown

# functions of every leaf
g = tree_map(lambda t: t.cuda(), {"x": x, "y": [x]})  # reveal: dict of cuda, list of cuda
h = tree_map(lambda t: t.cuda(), [v for v in data])  # reveal: list of cuda …
i = tree_map(lambda t: t)  # reveal: unknown

# what is prepared
accelerator = Accelerator()
loader = DataLoader(TensorDataset(x, x), batch_size=2)
prepared, batches = accelerator.prepare(nn.Linear(2, 2), loader)
j = prepared  # reveal: the device of the framework
for one, two in batches:
    k = one  # reveal: the device of the framework
unknown_model = accelerator.prepare(Model())
m = unknown_model  # reveal: the device of the framework
n = accelerator.prepare(*data)  # reveal: unknown
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
o = accelerator.prepare(optimizer)  # reveal: unknown
aa = accelerator.prepare([x])  # reveal: list of cpu

# objects of libraries
packed = pack_padded_sequence(x.cuda(), [3])
p = packed.data  # reveal: cuda
q = AutoModel.from_pretrained("name")  # reveal: cpu
r = AutoModel.from_pretrained("name", device_map="auto")  # reveal: unknown
tokenizer = AutoTokenizer.from_pretrained("name")
s = tokenizer("text", return_tensors="pt")  # reveal: cpu

# copies
moved = Model()
moved.cuda()
t = copy.deepcopy(moved)  # reveal: cuda
stack = nn.Sequential(nn.Linear(3, 3)).cuda()
u = copy.deepcopy(stack)  # reveal: cuda


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)


own = Net()
other = copy.deepcopy(own)
own.cuda()
v = other.inner  # reveal: cpu
later = Model()
kept = copy.deepcopy(later)
later.cuda()
w = kept  # reveal: cpu


class Plain:
    pass


y = copy.deepcopy(Plain())  # reveal: unknown


def given(batch):
    return send_to_device(batch, device)


z = given(Model())  # reveal: cuda:1
