"""Reading attributes: bound methods, what wrappers forward, class methods of bases, objects of libraries."""
import torch
import transformers
from accelerate import Accelerator
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))


net = Net()
move = net.cuda
move()
one = net  # reveal: cuda
fast = torch.compile(net)
two = fast.scale  # reveal: cuda
three = fast.layer  # reveal: cuda


class Encoder(transformers.BertModel):
    pass


class Tagger(Encoder):
    pass


tagger = Tagger.from_pretrained("name")
four = tagger  # reveal: cpu
five = Tagger.unseen  # reveal: unknown

accelerator = Accelerator()
accelerator.extra = torch.ones(2)
six = accelerator.extra  # reveal: cpu
seven = accelerator.is_main_process  # reveal: unknown
eight = accelerator.unheard_of  # reveal: unknown
prepare = accelerator.prepare
nine = prepare(nn.Linear(2, 2))  # reveal: the device of the framework

tokenizer = transformers.BertTokenizer.from_pretrained("name")
batch = tokenizer("text", return_tensors="pt")
ten = batch.input_ids  # reveal: cpu
moved = batch.to("cuda")
eleven = moved.input_ids  # reveal: cuda
twelve = torch.ones(2, device=batch.device)  # reveal: cuda


class Holder:
    def __init__(self):
        self._at = torch.ones(2)
        self.other = torch.ones(2)

    @property
    def at(self):
        return self._at

    @at.setter
    def at(self, value):
        self._at = value.cuda()


holder = Holder()
thirteen = holder.at  # reveal: cpu
holder.at = torch.ones(2)
fourteen = holder.at  # reveal: unknown
fifteen = holder.other  # reveal: unknown

for parameter in net.parameters():
    parameter.grad.data = parameter.grad.data.cpu()
    sixteen = parameter  # reveal: cuda
    for row in parameter:
        seventeen = row  # reveal: cuda
