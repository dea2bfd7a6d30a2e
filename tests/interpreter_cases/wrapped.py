"""What stands around a module: wrappers, parameters, calls of modules that only their use proves."""
import torch
from elsewhere import build
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.mean = torch.ones(2)


net = Net().cuda()
wrapped = FSDP(net)
one = wrapped.layer  # reveal: cuda
two = wrapped.mean  # reveal: cpu

for parameter in net.parameters():
    parameter.unseen.data = torch.ones(2)
    three = parameter  # reveal: cuda
first = list(net.parameters())[0]
state = net.state_dict()
four = state["layer.weight"]  # reveal: cuda

encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2).cuda()
layers = encoder.layers
five = layers(torch.ones(2).cuda())  # reveal: cuda


def proven(data):
    model = build()
    model.eval()
    x = data.to("cuda")
    a = model(x)  # reveal: cuda
    b = model()  # reveal: unknown
    c = model(data)  # reveal: unknown
    d = model([x])  # reveal: unknown


pairs = TensorDataset(torch.ones(8, 2), torch.ones(8).cuda())
loader = DataLoader(pairs)
six = loader.unheard_of()  # reveal: unknown
x, y = pairs[0]
seven = y  # reveal: cuda


class Unseen(torch.utils.data.Dataset):
    def __init__(self, items):
        self.items = items


eight = Unseen([1])[0]  # reveal: unknown
mixed = TensorDataset(torch.ones(8), build())
nine = mixed[0]  # reveal: tuple of cpu, unknown
eleven = DataLoader(build())[0]  # reveal: unknown
twelve = FSDP(None).weight  # reveal: unknown
engine = build()
loss = nn.MSELoss()(torch.ones(2), torch.ones(2))
engine.backward(loss)
thirteen = loss  # reveal: cpu

weight = torch.ones(2).cuda() if build() else None
target = torch.ones(2)
target.data = weight
ten = target  # reveal: cuda if build(…)
