"""Results of operations: where the operands are, unknown where they differ or one is unknown."""
import torch
import torch.nn.functional as F

host = torch.ones(3, 3)
there = torch.ones(3, 3).cuda()
one = there + there  # reveal: cuda
two = there + 1  # reveal: cuda
three = 1 - there  # reveal: cuda
four = there + torch.tensor(1.0)  # reveal: cuda
five = there + host  # reveal: unknown
six = there @ there  # reveal: cuda
seven = -there  # reveal: cuda
eight = there > 0  # reveal: cuda
nine = there == there  # reveal: cuda
ten = torch.where(there > 0, there, there)  # reveal: cuda
eleven = torch.cat((there, there), dim=1)  # reveal: cuda
twelve = F.softmax(there, dim=1)  # reveal: cuda
thirteen = F.cross_entropy(there, there)  # reveal: cuda
fourteen = there.matmul(there).sum()  # reveal: cuda
fifteen = there[there > 0]  # reveal: cuda
sixteen = ~(there > 0)  # reveal: cuda
seventeen = there.topk(2)  # reveal: tuple of cuda, cuda
values, indices = there.sort()
eighteen = indices  # reveal: cuda
nineteen = there.shape  # reveal: unknown
twenty = there.sum().item()  # reveal: unknown
more = there.cpu().numpy()  # reveal: unknown
again = torch.from_numpy(more)  # reveal: cpu


def with_unknown(x):
    a = x + there  # reveal: cuda
    b = torch.relu(x)  # reveal: the device of x
    c = x.view(-1)  # reveal: the device of x


def chained(x):
    y = x.cuda().float().view(-1).unsqueeze(0)  # reveal: cuda
