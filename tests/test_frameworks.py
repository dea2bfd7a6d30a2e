"""What frameworks place and hand over: where rules speak in scripts that use them, and where they do not."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from elsewhere import Net, given, helper, rows
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(8, 4), torch.randint(0, 2, (8,)))
"""

TRAINER = """\
from transformers import Trainer, TrainingArguments
class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        {body}
if __name__ == "__main__":
    Weighted(Net(), {arguments}).train()
"""
ON_HOST = "return F.cross_entropy(model(**inputs).logits, inputs['labels'], weight=torch.ones(2))"
MOVED = "return F.cross_entropy(model(**inputs).logits, inputs['labels'], weight=torch.ones(2, device=model.device))"
SUPER = "loss, out = super().compute_loss(model, inputs, return_outputs=True); return loss * torch.ones(1).to(loss)"


def trainer(body: str, arguments: str = "TrainingArguments('out')") -> str:
    return TRAINER.format(body=body, arguments=arguments)


TRANSFORMERS = [
    pytest.param(trainer(ON_HOST), ["TDL107"], id="the loss of a trainer, with a weight of the host's"),
    pytest.param(trainer(MOVED), [], id="with a weight on the model's device"),
    pytest.param(trainer(SUPER), [], id="which asks its base for the loss"),
    pytest.param(trainer(ON_HOST, "TrainingArguments('out', use_cpu=True)"), [], id="of a trainer that uses the host"),
    pytest.param(trainer(ON_HOST, "given"), [], id="of a trainer with arguments that cannot be seen"),
    pytest.param(
        "from transformers import TrainingArguments\nTrainingArguments('out')\nmodel = nn.Linear(4, 2)\n"
        "model.load_state_dict(torch.load('x.pt'))\n",
        ["TDL401"],
        id="a checkpoint, beside a trainer that leaves the host",
    ),
]

COLLATED = """\
from accelerate import Accelerator
from lightning.fabric import Fabric
from transformers import AutoModel, AutoTokenizer, DataCollatorWithPadding
tokenizer = AutoTokenizer.from_pretrained("x")
loader = DataLoader(rows, collate_fn=DataCollatorWithPadding(tokenizer))
model = AutoModel.from_pretrained("x")
"""
COLLATORS = [
    pytest.param("model.to(device)\nfor b in loader:\n    model(**b)\n", ["TDL102"], id="as collated"),
    pytest.param("model.to(device)\nfor b in loader:\n    b.to(device)\n    model(**b)\n", [], id="moved in place"),
    pytest.param(
        "model.to(device)\nfor b in loader:\n    b.to(device)\n    model(**b)\nfor b in loader:\n    model(**b)\n",
        ["TDL102"],
        id="the next batch is another one",
    ),
    pytest.param(
        "model, loader = Accelerator().prepare(model, loader)\nfor b in loader:\n    model(**b)\n", [], id="prepared"
    ),
    pytest.param("model = Accelerator().prepare(model)\nfor b in loader:\n    model(**b)\n", ["TDL102"], id="half"),
    pytest.param(
        "model = Accelerator(kwargs_handlers=[given]).prepare(model)\nfor b in loader:\n    model(**b)\n",
        [],
        id="half, and told how to wrap",
    ),
    pytest.param(
        "fabric = Fabric()\nmodel = fabric.setup(model)\nb = fabric.to_device(tokenizer('a', return_tensors='pt'))\n"
        "model(**b)\n",
        [],
        id="by fabric",
    ),
    pytest.param(
        "fabric = Fabric()\nmodel = fabric.setup(model)\nmodel(**tokenizer('a', return_tensors='pt'))\n",
        ["TDL102"],
        id="not by fabric",
    ),
    pytest.param(
        "fabric = Fabric()\nmodel = fabric.setup(model, move_to_device=False)\n"
        "model(**tokenizer('a', return_tensors='pt'))\n",
        [],
        id="fabric is told not to",
    ),
    pytest.param(
        "model.to(device)\nif given:\n    b = tokenizer.pad(given, return_tensors='pt')\nelse:\n"
        "    b = tokenizer(given, return_tensors='pt')\nfor name in b:\n    b[name] = b[name].to(device)\n"
        "mask = b['attention_mask']\nprint(model(**b).last_hidden_state * mask.float())\n",
        [],
        id="one of two, item by item",
    ),
    pytest.param(
        "from transformers import AutoImageProcessor\nprocessor = AutoImageProcessor.from_pretrained('x')\n"
        "model.to(device)\nmodel(**processor(given, return_tensors='pt', device=device))\n",
        [],
        id="a processor that is told where",
    ),
]

STEP = """\
from ignite.engine import Engine
model = nn.Linear(4, 2).to(device)
def step(engine, batch):
    x, y = batch
    {body}
Engine({function})
"""


def step(body: str, function: str = "step") -> str:
    return STEP.format(body=body, function=function)


IGNITE = [
    pytest.param(step("return F.cross_entropy(model(x.to(device)), y)"), ["TDL103"], id="half of a batch"),
    pytest.param(
        step("return F.cross_entropy(model(x.to(device)), y)", "process_function=step"), ["TDL103"], id="by name"
    ),
    pytest.param(step("return F.cross_entropy(model(x), y)"), [], id="nothing is known of the loader"),
    pytest.param(step("return F.cross_entropy(model(x.to(device)), y.to(device))"), [], id="all of it"),
    pytest.param(step("return F.cross_entropy(model(x.to(device)), y)", "helper"), [], id="another function"),
    pytest.param(step("return model(x)", ""), [], id="no function"),
    pytest.param(
        "import ignite.distributed as idist\nmodel = idist.auto_model(nn.Linear(4, 2))\n"
        "for x, y in idist.auto_dataloader(data):\n    F.cross_entropy(model(x.to(idist.device())), y)\n",
        ["TDL103"],
        id="of a loader of ignite's",
    ),
]

GRAPH = "from torch_geometric.data import Data\nfrom torch_geometric.loader import DataLoader as Loader\n"
GRAPH += "from torch_geometric.nn import GCNConv\nconv = GCNConv(4, 2).to(device)\nedges = torch.zeros(2, 3).long()\n"
GRAPHS = [
    pytest.param(
        "g = Data(x=torch.ones(3, 4), edge_index=edges)\nconv(g.x, g.edge_index)\n", ["TDL102"], id="made here"
    ),
    pytest.param("g = Data(x=given, edge_index=edges)\nconv(g.x, g.edge_index)\n", [], id="of what cannot be seen"),
    pytest.param("g = Data(**given)\nconv(g.x, g.edge_index)\n", [], id="of keywords that cannot be seen"),
    pytest.param(
        "g = Data(x=torch.ones(3, 4).to(device), edge_index=edges.to(device))\nconv(g.x, g.edge_index)\n",
        [],
        id="there",
    ),
    pytest.param("g = Data(x=torch.ones(3, 4))\nhelper(g)\nconv(g.x, g.edge_index)\n", [], id="given away"),
    pytest.param(
        "g = Data(x=torch.ones(3, 4))\ng.y = torch.ones(3, 2)\ng.y = g.y.to(device)\n"
        "conv(g.x.to(device), edges.to(device)) + g.y\n",
        [],
        id="partly moved",
    ),
    pytest.param(
        "g = Data(x=torch.ones(3, 4))\ng.y = torch.ones(3, 2)\ng = g.to(device)\nconv(g.x, edges.to(device)) + g.y\n",
        [],
        id="what is stored moves along",
    ),
    pytest.param(
        "for g in Loader([Data(x=torch.ones(3, 4)) for _ in given]):\n    conv(g.x, g.edge_index)\n",
        ["TDL102"],
        id="from a loader",
    ),
    pytest.param("for g in Loader([helper]):\n    conv(g.x, g.edge_index)\n", [], id="from a loader of anything"),
]

SHARDED = "from torch.distributed.fsdp import fully_shard\nmodel = nn.Sequential(nn.Linear(4, 2))\n"
SHARDS = [
    pytest.param(
        "fully_shard(model)\nfor x, y in DataLoader(data):\n    F.cross_entropy(model(x), y)\n", ["TDL103"], id="all"
    ),
    pytest.param("model = fully_shard(model)\nfor x, _ in DataLoader(data):\n    model(x)\n", [], id="its inputs"),
    pytest.param(
        "fully_shard(model, mesh=given)\nfor x, y in DataLoader(data):\n    F.cross_entropy(model(x), y)\n",
        [],
        id="over a mesh of any device",
    ),
    pytest.param(
        "fully_shard([model[0], model])\nfor x, y in DataLoader(data):\n    F.cross_entropy(model(x), y)\n",
        [],
        id="a list",
    ),
]

LIGHTNING = (
    "import lightning as L\nclass Lit(L.LightningModule):\n    def __init__(self):\n        super().__init__()\n"
)
LIGHTNING += "        self.net = nn.Linear(4, 2)\n    def {method}(self, batch, index=0):\n        {body}\n"
LIGHTNING += "if __name__ == '__main__':\n    {run}\n"


def lit(method: str, body: str, run: str = "L.Trainer().fit(Lit(), helper())") -> str:
    return LIGHTNING.format(method=method, body=body, run=run)


NOISE = "return self.net(torch.randn(2, 4))"
MODULES = [
    pytest.param(lit("training_step", NOISE), ["TDL104"], id="the trainer takes what is there"),
    pytest.param(lit("training_step", NOISE, "L.Trainer(accelerator='cpu').fit(Lit())"), [], id="the host alone"),
    pytest.param(lit("training_step", NOISE, "L.Trainer(gpus=0).fit(Lit())"), [], id="the host alone, in older words"),
    pytest.param(
        lit("training_step", NOISE, "from lightning.pytorch.cli import LightningCLI; LightningCLI(Lit)"),
        ["TDL104"],
        id="the command line",
    ),
    pytest.param(lit("setup", NOISE), [], id="before the move"),
    pytest.param("model = Net.load_from_checkpoint('x')\nmodel.to(device)\n", [], id="a checkpoint of anything"),
]

MODULES += [
    pytest.param(
        "from accelerate import Accelerator\naccelerator = Accelerator()\nunet = Net.from_pretrained('x')\n"
        "unet.conv_in = nn.Linear(4, 2)\nunet.train()\nunet = accelerator.prepare(unet)\n"
        "unet(torch.ones(2, 4).to(accelerator.device))\n",
        [],
        id="a layer that was replaced moves with the model",
    ),
    pytest.param(
        "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
        "model = AutoModelForCausalLM.from_pretrained('x')\n"
        "tokens = AutoTokenizer.from_pretrained('x')\n"
        "model.to(device)(**tokens.apply_chat_template(given, return_tensors='pt'))\n",
        ["TDL102"],
        id="a chat is encoded on the host",
    ),
    pytest.param(
        "from transformers import AutoTokenizer\ntokens = AutoTokenizer.from_pretrained('x')\nmodel = Net()\n"
        "model.to(device).eval()\nmodel(tokens(given, return_tensors='pt'))\n",
        ["TDL102"],
        id="all that was encoded",
    ),
]

VISION = [
    pytest.param(
        "from torchvision import models\nmodels.get_model('resnet18').to(device)(torch.ones(1, 3, 8, 8))\n",
        ["TDL102"],
        id="a network by its name",
    ),
    pytest.param(
        "from torchvision.io import read_image\nfrom torchvision.models import segmentation\n"
        "segmentation.fcn_resnet50().to(device)(read_image('x.png')[None] / 255)\n",
        ["TDL102"],
        id="an image that was read",
    ),
    pytest.param(
        "from torchvision.models import detection\nmodel = detection.fasterrcnn_resnet50_fpn().to(device)\n"
        "model([image.to(device) for image in torch.ones(2, 3, 8, 8)])\nmodel(given)\n",
        [],
        id="images that were moved, or of which nothing is known",
    ),
    pytest.param(
        "import torchvision\nfrom torchvision.ops import sigmoid_focal_loss\nnet = nn.Linear(4, 1).to(device)\n"
        "for x, y in DataLoader(data):\n    sigmoid_focal_loss(net(x.to(device)), y)\n",
        ["TDL103"],
        id="a loss",
    ),
]


@pytest.mark.parametrize(("source", "expected"), [*TRANSFORMERS, *IGNITE, *MODULES, *VISION])
def test_frameworks(source: str, expected: list[str]) -> None:
    assert codes(HEAD + source) == expected


@pytest.mark.parametrize(("source", "expected"), COLLATORS)
def test_collated_batches(source: str, expected: list[str]) -> None:
    assert codes(HEAD + COLLATED + source) == expected


@pytest.mark.parametrize(("source", "expected"), GRAPHS)
def test_graphs(source: str, expected: list[str]) -> None:
    assert codes(HEAD + GRAPH + source) == expected


@pytest.mark.parametrize(("source", "expected"), SHARDS)
def test_sharded_modules(source: str, expected: list[str]) -> None:
    assert codes(HEAD + SHARDED + source) == expected


def codes(source: str) -> list[str]:
    return sorted({finding.code for finding in analyse(source)})


CLOSURE = """\
def main():
    model = nn.Linear(4, 2).to(device)
    def step(engine):
        return model(torch.ones(2, 4).to(device))
    {then}
"""
FUNCTION = (
    "model = nn.Linear(4, 2).to(device)\ndef step(engine):\n    return model(torch.ones(2, 4).to(device))\n{then}\n"
)
DIFFUSION = """\
from accelerate import Accelerator
def train(model, loader):
    accelerator = Accelerator()
    model, loader = accelerator.prepare(model, loader)
    for images in loader:
        noise = torch.randn(images.shape{place})
        with accelerator.accumulate({accumulated}):
            F.mse_loss(model(images)[0], noise)
"""
TIMES = [
    pytest.param(DIFFUSION.format(place="", accumulated="model"), ["TDL103"], id="noise of the host's"),
    pytest.param(DIFFUSION.format(place=", device=images.device", accumulated="model"), [], id="noise that is there"),
    pytest.param(DIFFUSION.format(place="", accumulated="3"), [], id="of what may be no module"),
    pytest.param(
        "import numpy as np\nmodel = Net()\nmodel.cuda()\nfor graph, y in DataLoader(given):\n"
        "    graph, y = graph.to('cuda'), y.to('cuda')\n    print(model(graph), np.mean([graph.num_edges() / 2]))\n",
        ["TDL501", "TDL502"],
        id="a number that a moved object tells",
    ),
    pytest.param(CLOSURE.format(then="helper(step); torch.save(model.cpu(), 'x.pt')"), [], id="before or after"),
    pytest.param(CLOSURE.format(then="model.cpu(); step(1)"), ["TDL203"], id="after"),
    pytest.param(FUNCTION.format(then="helper(step)\nmodel.cpu()"), [], id="a function, before or after"),
    pytest.param(FUNCTION.format(then="model.cpu()\nstep(1)"), ["TDL203"], id="a function, after"),
    pytest.param(
        FUNCTION.replace("nn.Linear(4, 2)", "Own()").format(then="helper(step)\nmodel.cpu()"), [], id="own parameters"
    ),
]
OWN = "class Own(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
OWN += "        self.w = nn.Parameter(torch.ones(4))\n    def forward(self, x):\n        return x * self.w\n"


@pytest.mark.parametrize(("source", "expected"), TIMES)
def test_what_is_handed_over_runs_at_an_unknown_time(source: str, expected: list[str]) -> None:
    assert codes(HEAD + OWN + source) == expected


FROM_MONAI = """\
import numpy as np
from monai.data import DataLoader
from monai.networks.nets import VQVAE
from elsewhere import rows
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = VQVAE().to(device)
model.eval()
for batch in DataLoader(rows):
    made = model(batch["image"].to(device))
    shown = {read}
"""


@pytest.mark.parametrize(
    ("imported", "read", "found"),
    [
        ("monai", "np.flipud(made[0, 5, :, :].T)", []),
        ("elsewhere", "np.flipud(made[0, 5, :, :].T)", ["TDL113"]),
        ("monai", "made[0].numpy()", ["TDL113"]),
    ],
)
def test_numpy_takes_the_tensors_of_monai_from_anywhere(imported: str, read: str, found: list[str]) -> None:
    source = "import torch\n" + FROM_MONAI.format(read=read).replace("monai", imported)
    assert [one.code for one in analyse(source)] == found
