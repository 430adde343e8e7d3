#!/usr/bin/env python3
"""One training step of a peer: the networks written the usual way on SpikingJelly 2.0.0.

Prints one JSON line a setting. Needs torch, and spikingjelly as tools/pack_deps leaves it.
Example: spikingjelly_step.py --net 6conv2fc vggsnn --precision bf16 fp16 --graph
"""

import torch

import networks
import stepping

NETS = {
    "6conv2fc": lambda s: networks.SixConvTwoFc(s.T),
    "vggsnn": lambda s: networks.VggSnn(),
    "sew_resnet18": lambda s: networks.SewResNet18(s.T),
}


def build(setting):
    network = NETS[setting.net](setting).to(setting.device)
    if setting.channels_last:
        network = network.to(memory_format=torch.channels_last)
    return stepping.make_step(setting, network, network.parameters())


if __name__ == "__main__":
    stepping.run_all(stepping.parse_arguments(__doc__, list(NETS)), build)
