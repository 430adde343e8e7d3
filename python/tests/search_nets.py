"""Small nets over time that the tests of the mask search share."""

from __future__ import annotations

import torch
from torch import nn

from spikenm.torch import sparsify


class LoopNet(nn.Module):
    """Convolution, leaky membranes and a linear layer, step by step; or with time folded into the batch."""

    def __init__(self, folded: bool = False) -> None:
        super().__init__()
        self.conv, self.fc, self.folded = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.Linear(8 * 16, 8), folded

    def forward(self, x):  # [T,B,8,4,4]
        T = len(x)
        currents = self.conv(x.flatten(0, 1)).unflatten(0, x.shape[:2]) if self.folded else torch.stack([self.conv(step) for step in x])
        spikes = membranes(currents)
        if self.folded:
            return self.fc(spikes.flatten(0, 1).flatten(1)).unflatten(0, (T, -1)).mean(0)
        return torch.stack([self.fc(s.flatten(1)) for s in spikes]).mean(0)


def membranes(currents):
    """Leaky membranes with smooth firing, [T,B,...]."""
    v, spikes = torch.zeros_like(currents[0]), []
    for current in currents:
        v = 0.5 * v + current
        spikes.append(torch.sigmoid(4 * (v - 0.2)))
    return torch.stack(spikes)


def some_batch(T: int = 4, B: int = 3, device: str = "cpu"):
    generator = torch.Generator().manual_seed(3)
    x, y = torch.rand(T, B, 8, 4, 4, generator=generator), torch.randint(0, 8, (B,), generator=generator)
    return x.to(device), y.to(device)


def made(folded: bool = False, device: str = "cpu", **options):
    torch.manual_seed(1)
    net = LoopNet(folded).to(device)
    return net, sparsify(net, "2:4", **({"steps": 10, "time_steps": 4 if folded else 0} | options))


def with_optimiser(folded: bool = False, device: str = "cpu"):
    net, nm = made(folded, device, redraw_every=2)
    return net, nm, torch.optim.SGD(net.parameters(), lr=0.1)


def loss_of(net, x, y):
    return nn.functional.cross_entropy(net(x), y)


def train(net, nm, opt, steps: int, device: str = "cpu") -> None:
    x, y = some_batch(device=device)
    for _ in range(steps):
        opt.zero_grad()
        loss_of(net, x, y).backward()
        nm.after_backward()
        opt.step()
        nm.end_step()
