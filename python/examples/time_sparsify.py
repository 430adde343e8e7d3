"""What the mask search adds to a training step.

    python time_sparsify.py [device] [width]        # cpu, 64

Prints the milliseconds of a step (forward, backward, Adam) of a net of three convolutions over 4 time steps, batch 32,
plain and under `sparsify`, for a loop over steps and for time folded into the batch. Medians of 15 steps.
"""

from __future__ import annotations

import statistics
import sys
import time

import torch
from torch import nn

from spikenm.torch import sparsify

T, BATCH, SIZE, CLASSES = 4, 32, 16, 10


class Net(nn.Module):
    """Convolutions with leaky membranes behind them, and a linear layer."""

    def __init__(self, width: int, folded: bool) -> None:
        super().__init__()
        self.folded = folded
        self.convs = nn.ModuleList(nn.Conv2d(inputs, width, 3, padding=1) for inputs in (2, width, width))
        self.fc = nn.Linear(width * SIZE * SIZE, CLASSES)

    def layer(self, layer: nn.Module, x: torch.Tensor) -> torch.Tensor:
        if self.folded:
            return layer(x.flatten(0, 1)).unflatten(0, x.shape[:2])
        return torch.stack([layer(step) for step in x])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for conv in self.convs:
            v, spikes = torch.zeros(()), []
            for current in self.layer(conv, x):
                v = 0.5 * v.to(current.device) + current
                spikes.append(torch.sigmoid(4 * (v - 0.5)))
            x = torch.stack(spikes)
        return self.layer(self.fc, x.flatten(2)).mean(0)


def step_ms(device: str, width: int, folded: bool, searched: bool) -> float:
    """The median of 15 steps, behind 5 that are not counted."""
    torch.manual_seed(0)
    net = Net(width, folded).to(device)
    optimizer = torch.optim.Adam(net.parameters())
    nm = sparsify(net, "2:4", steps=100, time_steps=T if folded else 0) if searched else None
    if nm is not None:
        optimizer.add_param_group({"params": nm.logits(), "lr": nm.options.logit_lr})
    x, y = torch.rand(T, BATCH, 2, SIZE, SIZE, device=device), torch.randint(0, CLASSES, (BATCH,), device=device)
    taken = []
    for _ in range(20):
        start = time.perf_counter()
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        if nm is not None:
            nm.after_backward()
        optimizer.step()
        if nm is not None:
            nm.end_step()
        if device == "cuda":
            torch.cuda.synchronize()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken[5:])


def main(device: str = "cpu", width: int = 64) -> None:
    for folded in (False, True):
        plain, searched = (step_ms(device, width, folded, each) for each in (False, True))
        way = "folded" if folded else "loop"
        print(f"{device}  width {width}  {way:6}  plain {plain:.1f} ms  sparsify {searched:.1f} ms  {searched / plain:.2f} x", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(text) for text in sys.argv[2:3]))
