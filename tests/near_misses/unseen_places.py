"""Correct code of which a part, or what a device is, cannot be seen."""

from __future__ import annotations

UNSEEN = {
    "a load after training": """
        def train(net, data, path, device):
            net.to(device)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x in data:
                optimizer.zero_grad()
                net(x.to(device)).sum().backward()
                optimizer.step()
                net.keep_best(path)
            net.load_state_dict(torch.load(path + "/best.pt"))
    """,
    "the groups of an own optimizer": """
        class Own(torch.optim.Optimizer):
            def __init__(self, params, lr, device):
                super().__init__(params, {"lr": lr})
                self.device = device
                self.scale = torch.ones(3, device=device)
                for group in self.param_groups:
                    group["lr"] = group["lr"].to(self.device)

            def step(self):
                for group in self.param_groups:
                    for parameter in group["params"]:
                        parameter.grad.mul_(self.scale)
    """,
    "a start value of a sum of layers": """
        class Net(nn.Module):
            def __init__(self, n):
                super().__init__()
                self.steps = nn.ModuleList()
                for _ in range(n):
                    self.steps.append(Step(n))
                self.last = nn.Linear(3, 3)

            def forward(self, parts):
                out = torch.tensor(0.0)
                for i, x in enumerate(parts):
                    x = self.steps[i](x)
                    out = torch.add(out, x)
                return self.last(out)
    """,
    "a start value of a sum": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)

            def forward(self, parts):
                out = torch.tensor(0.0)
                for x in parts:
                    out = out + self.layer(x)
                return self.layer(out)
    """,
    "arguments that are spread, some of them for the host": """
        def inputs(device):
            return {"x": torch.ones(3, device=device), "sizes": torch.tensor([[1, 2]]), "length": 3}

        def run(build, device):
            model = build()
            model.to(device)
            return model(**inputs(device))
    """,
    "a device that is set later": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
                self.place = None

            def forward(self, x):
                return self.layer(x) + torch.zeros(3, 3).to(self.place)
    """,
    "a device of another module": """
        import config
        from settings import device

        net = nn.Linear(3, 3).to("cuda")
        print(net(torch.ones(3).to(device)), net(torch.ones(3, device=config.device)))
    """,
    "questions and moves that are kept in a table": """
        checks = {"cuda": torch.cuda.is_available}
        if checks["cuda"]:
            print(len(checks))

        class Settings:
            probe = torch.cuda.is_available

        if Settings.probe and Settings.probe():
            print([nn.Linear(3, 3)(x) for x in (torch.ones(3),)])
        if torch.cuda.is_available == Settings.probe:
            print("the same")
    """,
    "arguments that cannot be seen, some of them moves": """
        from torch.nn.utils.rnn import pack_padded_sequence

        def run(arguments, settings, x):
            settings.register(*arguments)
            net = nn.Linear(3, 3)
            net(*arguments)
            settings.cuda = settings.make()
            settings.train()
            settings.cuda
            return pack_padded_sequence(*arguments), settings(x.cuda, key=settings.cpu)
    """,
    "lengths at a place that nothing else is sent to": """
        from torch.nn.utils.rnn import pack_padded_sequence

        def run(loader, place):
            for x, lengths in loader:
                pack_padded_sequence(x.to(place), lengths.to(place), batch_first=True)
    """,
    "a generator that cannot be seen": """
        from torch.utils.data import DataLoader, random_split

        torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")

        def run(data, generator, **options):
            for x in DataLoader(data, shuffle=True, generator=generator):
                torch.randn(3, generator=generator)
            for x in DataLoader(data, shuffle=True, **options):
                print(torch.randn(3, generator=torch.Generator(**options)))
            return random_split(data, [3, 5], generator=generator)
    """,
    "a list that holds itself": """
        def run(device, known=[]):
            known.append(known)
            x = torch.ones(3).to(device)
            if device in known or known == "cuda":
                return x
            known += known
            return torch.cat(known) + x
    """,
    "a type that the device is not": """
        device = "cuda" if torch.cuda.is_available() else "cpu"
        net, x = nn.Linear(3, 3).to(device), torch.ones(3).to(device)
        if device == "mps":
            x = x.cpu()
        net(x)
    """,
    "an index that the device has not": """
        device = torch.device("cuda:0")
        net, x = nn.Linear(3, 3).to(device), torch.ones(3).to(device)
        if device == "cuda:1":
            x = x.cpu()
        net(x)
    """,
    "an index that the device may have": """
        device = torch.device("cuda")
        net, x = nn.Linear(3, 3).to(device), torch.ones(3)
        if device != "cuda:1":
            x = x.to(device)
            net(x)
    """,
    "several devices are asked for": """
        def run(device):
            net = nn.Linear(3, 3).to(device)
            if device not in ("cpu", "cuda"):
                raise ValueError(device)
            if device in ("cuda", "cpu"):
                return net(torch.ones(3).to(device))
    """,
    "what is only imported": """
        net, x = nn.Linear(3, 3), torch.ones(3)
        if __name__ != "__main__":
            net.cuda()
        net(x)
    """,
    "a count on the right": """
        net = nn.Linear(3, 3)
        if 0 < torch.cuda.device_count():
            net.cuda()
        elif 1 > torch.cuda.device_count():
            net(torch.ones(3))
    """,
    "a default device that another function sets": """
        def on_gpu():
            torch.set_default_device("cuda")
            return torch.ones(3)


        def on_host():
            return torch.ones(3) + torch.ones(3, device="cpu")
    """,
    "the type of a device has no index": """
        device = torch.device("cuda:1")
        print(torch.ones(3).to(device.type) + torch.ones(3).to("cuda:0"))
    """,
    "networks on the device of the process": """
        def run(gpu):
            net = nn.Linear(3, 3)
            if torch.cuda.is_available():
                if gpu is not None:
                    net.cuda(gpu)
                else:
                    net.cuda()
            x = torch.ones(3)
            if gpu is not None:
                x = x.cuda(gpu)
            if torch.cuda.is_available():
                x = x.cuda(gpu)
            return net(x)
    """,
    "what is read goes to CUDA at once, where the next call fails anyway": """
        def vocoder(path, network):
            network.load_state_dict(torch.load(path, map_location="cpu"))
            return torch.load(path + ".vocoder")["model"].cuda().eval()
    """,
    "weights beside the code": """
        HERE: str = __file__.rpartition("/")[0]

        def build(device):
            network = nn.Linear(3, 3)
            network.load_state_dict(torch.load(HERE + "/weights.pt"))
            return network.to(device)
    """,
    "a part of a batch that is moved in place, for all that can be seen, may take the others along": """
        def train(loader):
            net = nn.Linear(3, 3).cuda()
            for batch in loader:
                batch["x"].cuda()
                net(batch["y"])
    """,
    "a module that is handed both sides of a batch may give what is of either": """
        @torch.no_grad()
        def evaluate(model, loader, device):
            model.eval()
            predicted, expected = [], []
            for image, text, answer in loader:
                image = image.to(device)
                predicted.append(model(image, answer, train=False))
                expected.append(answer)
            return (torch.cat(predicted) == torch.cat(expected)).float().mean()
    """,
}
