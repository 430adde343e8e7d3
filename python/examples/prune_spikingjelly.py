"""Prunes a small SpikingJelly net in a plain loop: our search against a fixed random mask of the same rule.

    python prune_spikingjelly.py [seeds] [pattern]        # 3, 2:8

Prints the test accuracy of each seed, and their mean. Two trainings run at a time, each on one thread, in a process of its own.
Data: event recordings of moving shapes that are made on the fly.
"""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import torch
from spikingjelly.activation_based import functional, layer, neuron, surrogate
from torch import nn

import spikenm
from spikenm.torch import Sparsifier, sparsify

T, BATCH, LR = 4, 30, 5e-3


def spiking_net() -> nn.Sequential:
    """Three convolutions and a linear layer, all steps in one call."""

    def block(inputs: int, out: int) -> list[nn.Module]:
        spikes = neuron.LIFNode(v_threshold=0.5, surrogate_function=surrogate.ATan(), detach_reset=True, step_mode="m")
        return [layer.Conv2d(inputs, out, 3, padding=1, bias=False, step_mode="m"), layer.BatchNorm2d(out, step_mode="m"),
                spikes, layer.AvgPool2d(2, step_mode="m")]

    return nn.Sequential(*block(2, 16), *block(16, 32), *block(32, 32), layer.Flatten(step_mode="m"), layer.Linear(32 * 16, 10, step_mode="m"))


def train(seed: int, pattern: str, searched: bool, data: spikenm.data.Samples, epochs: int) -> tuple[nn.Module, Sparsifier]:
    """Three quarters of the steps are the search; a random mask is there from the start."""
    torch.manual_seed(seed)
    net = spiking_net()
    optimizer = torch.optim.Adam(net.parameters(), lr=LR)
    per_epoch = len(data) // BATCH
    total = epochs * per_epoch
    if searched:
        nm = sparsify(net, pattern, steps=total * 3 // 4, seed=seed)
        optimizer.add_param_group({"params": nm.logits(), "lr": nm.options.logit_lr})
    else:
        nm = sparsify(net, pattern, steps=1, seed=seed, logit_std=1.0, prior_kappa=0.0)
        nm.freeze()
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total)
    frames, labels = torch.from_numpy(data.frames), torch.from_numpy(data.labels)
    for step in range(total):
        if step % per_epoch == 0:
            order = torch.randperm(len(data))
        batch = order[step % per_epoch * BATCH :][:BATCH]
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(frames[batch].transpose(0, 1)).mean(0), labels[batch]).backward()
        functional.reset_net(net)
        nm.after_backward()
        optimizer.step()
        nm.end_step()
        schedule.step()
        if searched and nm.step == nm.steps and not nm.frozen:
            nm.freeze()
    return net, nm


@torch.no_grad()
def accuracy(net: nn.Module, data: spikenm.data.Samples) -> float:
    net.eval()
    scores = net(torch.from_numpy(data.frames).transpose(0, 1)).mean(0)
    functional.reset_net(net)
    return 100 * (scores.argmax(1) == torch.from_numpy(data.labels)).float().mean().item()


def trained_accuracy(seed: int, pattern: str, searched: bool, recordings: int, epochs: int) -> float:
    torch.set_num_threads(1)
    training = spikenm.data.samples("moving-shapes", T, part="train", train_size=recordings, test_size=500)
    test = spikenm.data.samples("moving-shapes", T, train_size=recordings, test_size=500)
    return accuracy(train(seed, pattern, searched, training, epochs)[0], test)


def main(seeds: int = 3, pattern: str = "2:8", recordings: int = 600, epochs: int = 12) -> list[tuple[float, float]]:
    """Test accuracy in percent of each seed: (searched, random)."""
    rows = []
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        jobs = [(seed, pattern, searched, recordings, epochs) for seed in range(seeds) for searched in (True, False)]
        found = pool.map(trained_accuracy, *zip(*jobs))
        for seed in range(seeds):
            searched, random = next(found), next(found)
            print(f"seed {seed}  {pattern}  searched {searched:.1f} %  random {random:.1f} %", flush=True)
            rows.append((searched, random))
    searched, random = (sum(column) / len(rows) for column in zip(*rows))
    print(f"mean    {pattern}  searched {searched:.1f} %  random {random:.1f} %")
    return rows


if __name__ == "__main__":
    main(*(int(text) for text in sys.argv[1:2]), *sys.argv[2:3])
