"""Correct code in which values are moved, replaced, added up and handed on."""

from __future__ import annotations

HANDLED = {
    "a table that is moved to where it is already": """
        from accelerate import Accelerator

        def run(batches, handlers):
            owner = Accelerator(kwargs_handlers=handlers)
            steps = torch.arange(9).to(owner.device)
            weights = torch.ones(9).to(owner.device)
            for batch in batches:
                indices = torch.multinomial(weights, 4)
                print(steps[indices].to(indices.device))
    """,
    "a switch that is turned off on one way": """
        def run(batches, args):
            piped = args.reader in ("cpu", "gpu")
            if args.audio:
                if piped:
                    piped = False
            device = torch.device("cuda")
            features = nn.Linear(3, 3).to(device)
            for batch in batches:
                if piped:
                    sound, length = batch
                    sound = features(sound)
                else:
                    batch = [t.to(device) for t in batch]
                    sound, length = batch
                    sound = features(sound)
    """,
    "gradients that go to the host where the table is kept there": """
        class Table(nn.Module):
            def __init__(self, rows, mixed):
                super().__init__()
                self.mixed = mixed
                self.rows = nn.Embedding(rows, 4)

            def update(self, indices, positions):
                gradient = self.rows(indices).detach()
                if self.mixed:
                    gradient = gradient.cpu()
                self.rows.weight.data.index_add_(0, positions.view(-1), gradient)
    """,
    "a deviation whose third argument is no keepdim": """
        def scaled(values, device):
            spread = torch.rand(8).std(0, True)
            return torch.rand(8, device="cuda") / spread
    """,
    "values that are copied into a part of a copy": """
        def patched(device):
            rows = torch.zeros(4, 3, device="cuda")
            return rows.select_scatter(torch.ones(3), 0, 1) + rows
    """,
    "a total that each pass replaces": """
        def run(net, batches):
            total = 0.0
            for x in batches:
                loss = net(x).mean()
                loss.backward()
                total += loss
                total = torch.zeros(1)
            return total
    """,
    "two totals that are added up": """
        net = nn.Linear(3, 3)
        first = second = 0
        for x in torch.randn(3, 3):
            first += net(x).mean()
            second += net(x).pow(2).mean()
        for x in torch.randn(3, 3):
            first += net(x).abs().mean()
        (first + 0.5 * second).backward()
    """,
    "types that are compared by name": """
        first, second = torch.ones(3), torch.ones(3).cuda()
        print(first.type() == second.type(), first.type() != second.data.type())
    """,
    "a dataclass that places what it is given": """
        from dataclasses import dataclass

        @dataclass
        class Batch:
            x: torch.Tensor

            def __post_init__(self):
                self.x = self.x.cuda()

        @dataclass
        class Labelled(Batch):
            y: int = 0

        print(Batch(x=torch.ones(3)).x + torch.ones(3).cuda(), Labelled(x=torch.ones(3)).x + torch.ones(3).cuda())
    """,
    "parameters that are moved by name": """
        net = nn.Linear(3, 3)
        for name, parameter in net.named_parameters():
            parameter.data = parameter.data.cuda()
        net(torch.ones(3).cuda())
    """,
    "an attribute that an inherited method makes anew": """
        class Base:
            def reset(self):
                self.state = torch.zeros(1, 3, device=self.device)

        class Agent(Base):
            def __init__(self, device):
                self.device = device
                self.net = nn.Linear(3, 3).to(device)
                self.state = torch.zeros(1, 3)

            def act(self, x):
                return self.net(x.to(self.device)) + self.state
    """,
    "items that are replaced": """
        net = nn.Linear(3, 3).cuda()
        batch = {"x": torch.ones(3)}
        batch = {**batch, **{key: value.cuda() for key, value in batch.items()}}
        parts = [torch.ones(3).cuda(), torch.ones(3)]
        parts[-1] = parts[-1].cuda()
        net(batch["x"]), net(parts[1]), net(parts[-1])
    """,
    "a failure that a test expects": """
        import unittest
        import pytest

        def test_input():
            net = nn.Linear(3, 3).cuda()
            with pytest.raises(RuntimeError, match="same device"):
                net(torch.ones(3))

        class Tests(unittest.TestCase):
            def test_input(self):
                net = nn.Linear(3, 3).cuda()
                with self.assertRaises(RuntimeError):
                    net(torch.ones(3))
    """,
    "a dtype that is a parameter": """
        def run(net, dtype):
            net = nn.Linear(3, 3).to(dtype)
            return net(torch.zeros(3)).detach().numpy()
    """,
    "a key that is given anew": """
        net = nn.Linear(3, 3).cuda()
        batch = {"x": torch.ones(3)}
        batch = dict(batch, x=batch["x"].cuda())
        net(batch["x"])
        net(batch.get("y", torch.ones(3, device="cuda")))
        print(batch.get("z"))
    """,
    "a key that is taken out": """
        net = nn.Linear(3, 3).cuda()
        batch = {"sizes": torch.ones(3), "x": torch.ones(3).cuda()}
        sizes = batch.pop("sizes")
        for value in batch.values():
            net(value)
    """,
    "a weight that is shared": """
        embedding = nn.Embedding(9, 3).cuda()
        out = nn.Linear(3, 9, bias=False)
        out.weight = embedding.weight
        out(embedding(torch.tensor([1]).cuda()))
    """,
    "networks of computed names": """
        class Model:
            names = ["A", "B"]

            def __init__(self, device):
                self.device = device
                self.netA = nn.Linear(3, 3)
                self.netB = nn.Linear(3, 3)

            def setup(self):
                for name in self.names:
                    getattr(self, "net" + name).to(self.device)

            def run(self, x):
                return self.netB(self.netA(x.to(self.device)))

        model = Model("cuda")
        model.setup()
        model.run(torch.ones(3))
    """,
    "a tensor of a class that is moved for all": """
        class Shared:
            table = torch.zeros(3)

            @classmethod
            def place(cls, device):
                cls.table = cls.table.to(device)

        class Part(Shared):
            def read(self, x):
                return x + self.table

        Shared.place("cuda")
        Part().read(torch.ones(3).cuda())
    """,
    "noise where the tensor is": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)

            def forward(self, x):
                scale = self.layer(x)
                if scale.is_cuda:
                    noise = torch.cuda.FloatTensor(3).normal_()
                else:
                    noise = torch.FloatTensor(3).normal_()
                return scale * noise

        Net().cuda()(torch.ones(3).cuda())
        Net()(torch.ones(3))
    """,
    "the first pass is another one": """
        net = nn.Linear(3, 3).cuda()
        everything, last = torch.Tensor(), torch.zeros(3)
        for i, x in enumerate(torch.randn(5, 2, 3)):
            out = net(x.cuda())
            if i == 0:
                everything = out
            else:
                everything = torch.cat((everything, out, last))
            last = out
        for step in range(3):
            if step > 0:
                x = net(x)
            else:
                x = net(x.cuda())
    """,
    "a backward pass that a framework runs": """
        from accelerate import Accelerator

        accelerator = Accelerator()
        net = accelerator.prepare(nn.Linear(3, 3))
        total = 0
        for x in torch.randn(3, 3).to(accelerator.device):
            total += net(x).mean()
        accelerator.backward(total)
    """,
    "losses that are read out of a container": """
        from collections import defaultdict

        net = nn.Linear(3, 3)
        by_name, listed = defaultdict(float), []
        for x in torch.randn(3, 3):
            by_name["first"] += net(x).pow(2).mean()
            by_name["second"] += net(x).abs().mean()
            listed.append(net(x).mean())
        sum(weight * by_name[name] for name, weight in {"first": 1.0, "second": 0.1}.items()).backward()
        for loss in listed:
            loss.backward()
    """,
    "a loss that loses its graph in place": """
        def train(net, optimizer, batches):
            running = 0.0
            for x in batches:
                loss = net(x).pow(2).mean()
                loss.backward()
                optimizer.step()
                loss.detach_()
                running += loss
            return running
    """,
    "a sum that an object keeps and another method runs backward on": """
        class Trainer:
            def __init__(self, net):
                self.net = net
                self.objective = 0.0

            def gather(self, batches):
                for x in batches:
                    self.objective += self.net(x).mean()

            def update(self):
                self.objective.backward()
                self.objective = 0.0

        Trainer(nn.Linear(3, 1)).gather([torch.ones(3)])
    """,
    "a sum that an object keeps and gives away": """
        class Distance:
            def __init__(self, layers):
                self.layers = nn.ModuleList(layers)
                self.value = 0.0

            def measure(self, x):
                for layer in self.layers:
                    x = layer(x)
                    self.value += x.pow(2).mean()
                return self.value

        Distance([nn.Linear(3, 3)]).measure(torch.ones(3))
    """,
    "modules of a class whose base cannot be seen": """
        from agents import Agent

        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Embedding(3, 3)

            def forward(self, x, mask):
                return (x + self.embedding(x.long())) * mask

        class Speaker(Agent):
            def __init__(self, options):
                super().__init__(options)
                self.encoder = Encoder()

            def represent(self, x):
                mask = torch.ones(3)
                if self.use_cuda:
                    mask = mask.cuda()
                return self.encoder(x, mask)
    """,
    "a loss that other code builds": """
        import losses

        def train(loader, net, device):
            net.to(device)
            criterion, extra = losses.select("margin")
            criterion.to(device)
            for labels, x in loader:
                loss = criterion(net(x.to(device)), labels)
                loss.backward()
    """,
    "an accelerator object that is told to stay on the host": """
        from accelerate import Accelerator

        def run(inputs):
            accelerator = Accelerator(cpu=True)
            net = accelerator.prepare(nn.Linear(3, 3))
            return net(torch.ones(3, 3))
    """,
    "a forward that moves what it is handed": """
        def padded(sequence, length):
            if sequence.shape[1] < length:
                return torch.cat([torch.zeros(length, 3), sequence], dim=1)
            return sequence

        class Net(nn.Module):
            def __init__(self, device):
                super().__init__()
                self.layer = nn.Linear(3, 3)
                self.device = device

            def forward(self, past, features):
                past = padded(past.repeat_interleave(2, dim=0), 4)
                return self.layer(past.to(self.device)) + self.layer(features.to(self.device))
    """,
    "what may be one of several and is indexed": """
        from accelerate import Accelerator
        from diffusers import DDPMScheduler

        def extract(table, steps):
            if not isinstance(table, torch.Tensor):
                table = torch.from_numpy(table)
            return table[steps].float().to(steps.device)

        def main(args, loader, net):
            accelerator = Accelerator()
            if args.long:
                scheduler = DDPMScheduler(args.first)
            else:
                scheduler = DDPMScheduler(args.second)
            net, loader = accelerator.prepare(net, loader)
            for batch in loader:
                steps = torch.randint(0, 10, (3,), device=batch.device)
                scheduler.add_noise(net(batch, steps), batch, steps)
                print(extract(scheduler.alphas_cumprod, steps))
    """,
}
