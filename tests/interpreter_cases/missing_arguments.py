"""Calls that hide their arguments or miss some: what cannot be seen is unknown, and nothing raises."""
import torch
from elsewhere import args, data, kwargs
from torch import nn

x = torch.ones(2, 3)

a = torch.zeros_like()  # reveal: unknown
b = torch.relu()  # reveal: unknown
c = torch.cat()  # reveal: unknown
d = torch.device()  # reveal: unknown
e = torch.device("nowhere")  # reveal: unknown
f = torch.tensor(*args)  # reveal: unknown
g = torch.as_tensor(data)  # reveal: unknown
h = x.to(*args)  # reveal: unknown
i = x.to(*args, device="cuda")  # reveal: cuda
j = torch.Tensor.to()  # reveal: unknown
k = torch.Tensor.float()  # reveal: unknown
m = torch.zeros(2, 3, out=x.cuda())  # reveal: cuda
torch.set_default_device()
n = torch.ones(2)  # reveal: cpu
net = nn.Linear(3, 3)
o = net.apply()  # reveal: cpu
p = net.to(torch.float16)  # reveal: cpu
q = net.add_module("inner", nn.Linear(3, 3))  # reveal: None
torch.optim.SGD(lr=0.1)
torch.Tensor.backward()
r = nn.DataParallel()  # reveal: unknown
s = nn.Parameter(data)  # reveal: unknown
t = nn.Parameter()  # reveal: unknown
u = torch.relu(data)  # reveal: unknown
v = torch.max(data, x.cuda())  # reveal: cuda
y = torch.einsum("ij,jk", x.cuda(), x.cuda())  # reveal: cuda
z = torch.Tensor.eval()  # reveal: unknown


def of_unknown(model, size, option):
    one = torch.zeros(3, device=f"cuda:{0}")  # reveal: cuda:0
    two = torch.zeros(3, device="cuda:" + str(size + 1))  # reveal: the device of this process (cuda)
    three = torch.zeros(3, device="cuda" if option else model.device)  # reveal: cuda if option | model.device if not option
    place = "cuda" if option else model.device
    four = torch.zeros(3, device=place)  # reveal: place (cuda if option | model.device if not option)
    five = model.to(torch.ones(3).cuda())  # reveal: cuda
    first = torch.device("cuda") if option else "cpu"
    six = torch.zeros(3, device=first)  # reveal: first (cpu if not option | cuda if option)
    seven = torch.zeros(3).type(torch.cuda.FloatTensor if option else size)  # reveal: cpu
    return one
