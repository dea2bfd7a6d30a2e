"""Train a small network that tells activities (walking, sitting, ...) from accelerometer windows."""

import argparse

import numpy as np
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class ActivityNet(nn.Module):
    def __init__(self, channels=3, classes=6):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(channels, 32, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(32, 64, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(1),
        )
        self.classify = nn.Linear(64, classes)

    def forward(self, x):
        return self.classify(self.features(x).flatten(1))


def make_loader(path, split, batch_size):
    data = np.load(path)
    windows = torch.from_numpy(data[f"{split}_windows"]).float()
    labels = torch.from_numpy(data[f"{split}_labels"]).long()
    return DataLoader(TensorDataset(windows, labels), batch_size=batch_size, shuffle=split == "train")


def train_epoch(model, loader, criterion, optimizer, device):
    model.train()
    running_loss = 0.0
    for windows, labels in loader:
        windows, labels = windows.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = criterion(model(windows), labels)
        loss.backward()
        optimizer.step()
        running_loss += loss
    return running_loss / len(loader)


@torch.no_grad()
def evaluate(model, loader, criterion, device):
    model.eval()
    total = 0.0
    for windows, labels in loader:
        windows = windows.to(device)
        outputs = model(windows)
        total += criterion(outputs, labels).item()
    return total / len(loader)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="activities.npz")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--resume", help="a checkpoint to go on from")
    args = parser.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = make_loader(args.data, "train", args.batch_size)
    test_loader = make_loader(args.data, "test", args.batch_size)

    model = ActivityNet()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    model.to(device)

    if args.resume:
        checkpoint = torch.load(args.resume)
        model.load_state_dict(checkpoint["model"])

    # sitting and standing are rare
    class_weights = torch.tensor([1.0, 1.0, 1.0, 2.5, 2.5, 1.0], device="cuda")
    criterion = nn.CrossEntropyLoss(weight=class_weights)

    for epoch in range(args.epochs):
        train_loss = train_epoch(model, train_loader, criterion, optimizer, device)
        test_loss = evaluate(model, test_loader, criterion, device)
        print(f"epoch {epoch}: train {train_loss:.4f}, test {test_loss:.4f}")

    torch.save({"model": model.state_dict()}, "activity_net.pt")

    silence = torch.zeros(1, 3, 128)
    silence.cuda()
    print("no movement at all is class", model(silence).argmax(1).item())


if __name__ == "__main__":
    main()
