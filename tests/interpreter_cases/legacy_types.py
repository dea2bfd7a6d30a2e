"""Legacy tensor types, also chosen by a conditional: a factory of which the condition decides the device."""
import torch

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
one = Tensor(3, 2)  # reveal: cpu if not cuda | cuda if cuda
two = torch.cuda.LongTensor([1])  # reveal: cuda
three = torch.FloatTensor(3)  # reveal: cpu
four = torch.ones(3).type(Tensor)  # reveal: cpu if not cuda | cuda if cuda
five = torch.ones(3).type(torch.cuda.FloatTensor)  # reveal: cuda
six = torch.ones(3).type(torch.float64)  # reveal: cpu
eight = torch.Tensor([1.0])  # reveal: cpu

if cuda:
    Long = torch.cuda.LongTensor
else:
    Long = torch.LongTensor
nine = Long([1])  # reveal: cpu if not cuda | cuda if cuda
ten = one.cuda()  # reveal: cuda
