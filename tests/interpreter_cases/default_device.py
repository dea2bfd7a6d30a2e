"""The default device is part of the state: set, set by tensor type, set for a while."""
import torch
from torch import nn

one = torch.ones(3)  # reveal: cpu
torch.set_default_device("cuda")
two = torch.ones(3)  # reveal: cuda
three = torch.tensor([1.0])  # reveal: cuda
four = nn.Linear(2, 2)  # reveal: cuda
five = torch.ones(3, device="cpu")  # reveal: cpu
six = torch.from_numpy(array)  # reveal: cpu
with torch.device("cpu"):
    seven = torch.ones(3)  # reveal: cpu
eight = torch.ones(3)  # reveal: cuda
torch.set_default_device("cpu")
nine = torch.ones(3)  # reveal: cpu
torch.set_default_tensor_type(torch.cuda.FloatTensor)
ten = torch.ones(3)  # reveal: cuda
torch.set_default_tensor_type(torch.FloatTensor)
eleven = torch.ones(3)  # reveal: cpu
torch.set_default_dtype(torch.float64)
twelve = torch.ones(3)  # reveal: cpu
