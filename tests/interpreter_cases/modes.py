"""What a module gives depends on the mode it is in: it trains when it was built, `train()` and `eval()` switch it."""
import torch
from elsewhere import flag, use
from torch import nn


class Scored(nn.Module):
    def forward(self, x):
        return x if self.training else x.cpu()


class Kinds(nn.Module):
    def forward(self, x):
        if self.training:
            return x
        return (x.cpu(), 1)


class Several(nn.Module):
    def forward(self, x):
        return x.cuda() if self.training else x.cpu(), (x if self.training else None), 1


class Choosing(nn.Module):
    def forward(self, x, other):
        return x if self.training else other if flag else None


x = torch.zeros(4).cuda()
scored = Scored()
built = scored(x)  # reveal: cuda
scored.eval()
evaluated = scored(x)  # reveal: cpu
scored.train()
trained = scored(x)  # reveal: cuda
scored.train(flag)
unknown = scored(x)  # reveal: unknown

handed = Scored()
use(handed)
handed_output = handed(x)  # reveal: unknown

layers = nn.Sequential(Scored())
layers.eval()
layers_output = layers(x)  # reveal: cpu

kinds = Kinds()
kinds_built = kinds(x)  # reveal: cuda
kinds.eval()
kinds_evaluated = kinds(x)  # reveal: tuple of cpu, 1
kinds.train(flag)
kinds_unknown = kinds(x)  # reveal: unknown

several = Several()
first, second, third = several(x)  # reveal: tuple of cuda, cuda, 1
several.eval()
first = several(x)[0]  # reveal: cpu
nothing = several(x)[1]  # reveal: None

choosing = Choosing()
choosing.eval()
chosen = choosing(x, 1)  # reveal: 1 if elsewhere.flag | None if not elsewhere.flag


class Elsewhere(Scored):
    def train(self, mode=True):
        super().train(mode)
        return 3


elsewhere = Elsewhere()
switched = elsewhere.eval()  # reveal: 3
elsewhere_output = elsewhere(x)  # reveal: cpu
elsewhere.train()
elsewhere_trained = elsewhere(x)  # reveal: cuda

asked = getattr(nn.Linear(4, 4), "device")  # reveal: unknown
