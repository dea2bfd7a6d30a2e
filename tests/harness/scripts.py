"""Whole training scripts, each for a device; they return their numbers, which must not depend on it."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 -- as everyone calls it
from torch import nn


class Images(torch.utils.data.Dataset[tuple[torch.Tensor, int]]):
    """Generated pictures with a bright column, whose place is the label."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        generator = torch.Generator().manual_seed(index)
        image = torch.rand(1, 12, 12, generator=generator)
        image[0, :, index % 10] += 1.0
        return image, index % 10


class ConvolutionalNet(nn.Module):
    """Two convolutions, dropout, batch normalisation, two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.conv2 = nn.Conv2d(4, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(128, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.conv1(x))
        x = self.norm(F.max_pool2d(F.relu(self.conv2(x)), 2))
        x = self.dropout(torch.flatten(x, 1))
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


def images(name: str, folder: str) -> list[float]:
    """Train on batches of a worker in pinned memory, test, save and load."""
    torch.manual_seed(1)
    device = torch.device(name)
    # on a machine without a device PyTorch only warns about pinning
    options = {"num_workers": 1, "pin_memory": name == "cuda", "multiprocessing_context": "fork"}
    loader = torch.utils.data.DataLoader(Images(), batch_size=16, shuffle=True, **options)
    model = ConvolutionalNet().to(device)
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    numbers = []
    for _ in range(2):
        model.train()
        for data, target in loader:
            assert data.is_pinned() is (name == "cuda")
            data, target = data.to(device, non_blocking=True), target.to(device, non_blocking=True)  # noqa: PLW2901
            optimizer.zero_grad()
            loss = F.nll_loss(model(data), target)
            loss.backward()
            optimizer.step()
            numbers.append(loss.item())
        scheduler.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, f"{folder}/{name}.pt")
    again = ConvolutionalNet().to(device)
    again.load_state_dict(torch.load(f"{folder}/{name}.pt", map_location=device)["model"])
    again.eval()
    correct = 0
    with torch.no_grad():
        for data, target in loader:
            prediction = again(data.to(device)).argmax(dim=1, keepdim=True)
            correct += prediction.eq(target.to(device).view_as(prediction)).sum().item()
    return [*numbers, float(correct)]


def adversaries(name: str, folder: str) -> list[float]:
    """Train a generator against a discriminator with a gradient penalty."""
    torch.manual_seed(2)
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)).to(name)
    critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)).to(name)
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.5, 0.999))
    of_critic = torch.optim.RMSprop(critic.parameters(), lr=1e-2)
    criterion = nn.BCEWithLogitsLoss()
    numbers = []
    for _ in range(6):
        real = torch.randn(8, 2, device=name) + 3
        fake = generator(torch.randn(8, 4, device=name))
        ones, zeros = torch.ones(8, 1, device=name), torch.zeros(8, 1, device=name)
        mixed = (real + torch.rand(8, 1, device=name) * (fake.detach() - real)).requires_grad_()
        (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
        penalty = (slope.norm(dim=1) - 1).pow(2).mean()
        of_critic.zero_grad(set_to_none=True)
        loss = criterion(critic(real), ones) + criterion(critic(fake.detach()), zeros) + penalty
        loss.backward()
        of_critic.step()
        of_generator.zero_grad()
        criterion(critic(fake), ones).backward()
        of_generator.step()
        numbers.append(loss.item())
    return numbers


def sequences(name: str, folder: str) -> list[float]:
    """Train a recurrent net on packed sequences in mixed precision with scaled gradients and an averaged model."""
    torch.manual_seed(3)
    embedding, layer, head = nn.Embedding(20, 8, padding_idx=0), nn.LSTM(8, 8, batch_first=True), nn.Linear(8, 3)
    model = nn.ModuleList([embedding, layer, head]).to(name)
    averaged = torch.optim.swa_utils.AveragedModel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler(name, init_scale=128.0)
    numbers = []
    for step in range(6):
        lengths = torch.tensor([5, 3, 2])
        tokens = torch.randint(1, 20, (3, 5)).to(name)
        target = torch.tensor([0, 1, step % 3], device=name)
        optimizer.zero_grad()
        packed = nn.utils.rnn.pack_padded_sequence(embedding(tokens), lengths, batch_first=True)
        _, (hidden, _) = layer(packed)
        with torch.autocast(name, dtype=torch.bfloat16):
            loss = F.cross_entropy(head(hidden[-1]), target)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        averaged.update_parameters(model)
        numbers += [loss.item(), norm.item()]
    return [*numbers, float(averaged.module[2].weight.sum())]


def attention(name: str, folder: str) -> list[float]:
    """Train a transformer with a mask, validate it on the fast path."""
    torch.manual_seed(4)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    model = nn.Sequential(nn.Embedding(10, 8), nn.TransformerEncoder(layer, 2), nn.Linear(8, 10)).to(name)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    mask = nn.Transformer.generate_square_subsequent_mask(6, device=torch.device(name))
    numbers = []
    for _ in range(4):
        tokens = torch.randint(0, 10, (2, 6), device=name)
        output = model[2](model[1](model[0](tokens), mask=mask, is_causal=True))
        loss = F.cross_entropy(output.flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        numbers.append(loss.item())
    model.eval()
    with torch.inference_mode():
        numbers.append(model(tokens).sum().item())
    return numbers


def replicas(name: str, folder: str) -> list[float]:
    """Train a model that is wrapped in `DataParallel`, whatever that does on the device."""
    torch.manual_seed(5)
    inner = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(name)
    model = nn.DataParallel(inner)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    numbers = []
    for _ in range(5):
        data = torch.randn(6, 4)
        target = data.sum(1, keepdim=True).to(name)
        optimizer.zero_grad()
        loss = F.mse_loss(model(data.to(name)), target)
        loss.backward()
        optimizer.step()
        numbers.append(loss.item())
    return numbers


def accumulation(name: str, folder: str) -> list[float]:
    """Resume an interrupted training with accumulated gradients from a checkpoint on the host."""
    torch.manual_seed(6)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.to(name).parameters(), lr=0.05)
    numbers = []
    for step in range(8):
        loss = model(torch.randn(4, 3).to(name)).pow(2).mean() / 2
        loss.backward()
        numbers.append(loss.cpu().item())
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()
        if step == 3:
            torch.save([model.state_dict(), optimizer.state_dict()], f"{folder}/{name}.pt")
            state, of_optimizer = torch.load(f"{folder}/{name}.pt", map_location="cpu")
            model = nn.Linear(3, 1)
            model.load_state_dict(state)
            model.to(name)
            optimizer = torch.optim.Adam(model.parameters())
            optimizer.load_state_dict(of_optimizer)
    return numbers
