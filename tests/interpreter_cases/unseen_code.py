"""Code that cannot be seen may move, fill and change what it is given."""
import torch
from elsewhere import Model, helper, move_all
from torch import nn
from transformers import AutoTokenizer

model = Model()
model.cuda()
one = model  # reveal: cuda
helper(model)
two = model  # reveal: unknown


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.plain = torch.ones(2)
        self.itself = self


net = Net()
three = net.plain  # reveal: cpu
move_all(net)
four = net  # reveal: unknown
five = net.layer  # reveal: unknown
six = net.plain  # reveal: unknown


class Box:
    def __init__(self):
        self.net = nn.Linear(2, 2)
        self.kept = torch.ones(2)


box = Box()
helper(box)
seven = box.net  # reveal: unknown
eight = box.kept  # reveal: unknown

items = [nn.Linear(2, 2), [nn.Linear(2, 2)]]
helper(items)
nine = items[0]  # reveal: unknown

again = items if helper() else net
helper(again)

known = {"x": torch.ones(2)}
known.update(helper())
ten = known["x"]  # reveal: unknown
known = {"x": torch.ones(2)}
known.update(x=torch.ones(2).cuda())
eleven = known["x"]  # reveal: cuda
known.update({"x": torch.ones(2), "y": torch.ones(2).cuda()})
twelve = known["x"]  # reveal: cpu
thirteen = known["y"]  # reveal: cuda


def handed(given):
    layer = nn.Linear(2, 2).cuda()
    helper(layer.extra_repr)
    one = layer  # reveal: cuda
    layer.register_forward_hook(helper)
    two = layer(torch.ones(2).cuda())  # reveal: cuda
    helper(layer.cpu)
    three = layer  # reveal: unknown
    four = given.type()  # reveal: the device of given
    spread = torch.distributions.Normal(torch.ones(1), torch.ones(1))
    five = spread.sample()  # reveal: cpu
    helper(spread)
    six = spread.sample()  # reveal: cpu
    seven = torch.ones(2).type(given.cuda().type())  # reveal: cuda


tokenizer = AutoTokenizer.from_pretrained("x")
batch = tokenizer("a", return_tensors="pt").to("cuda")
batch.describe(0)
fourteen = batch["input_ids"]  # reveal: cuda
batch.describe(helper())
fifteen = batch["input_ids"]  # reveal: unknown
