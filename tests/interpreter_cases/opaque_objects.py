"""Objects of unknown kind are heap objects too: attributes, elements, moves that may be in place or not."""
import torch
from elsewhere import Model, collate

model = Model()
one = model  # reveal: unknown
model.cuda()
two = model  # reveal: cuda
three = model(torch.ones(3).cuda())  # reveal: unknown
model.eval()
four = model(torch.ones(3).cuda())  # reveal: cuda
back = model.to("cpu")  # reveal: cpu

batch = collate()
batch.x = torch.ones(3)
five = batch.x  # reveal: cpu
moved = batch.to("cuda")
six = moved.y  # reveal: cuda


def parameters(model, data):
    model = model.to("cuda")
    b = model.weight  # reveal: cuda
    data.x = torch.ones(3).cuda()
    c = data.x  # reveal: cuda
    data["k"] = torch.ones(3).cuda()
    d = data["k"]  # reveal: cuda


def annotated(x: torch.Tensor, model: torch.nn.Module, device: torch.device):
    a = x + 1  # reveal: the device of x
    b = model.to(device)  # reveal: device
    c = x.to(device)  # reveal: device
    d = x  # reveal: the device of x
