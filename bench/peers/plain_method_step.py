#!/usr/bin/env python3
"""One search step of our method (2:4, preset paper) written plainly on SpikingJelly and torch.

Two rows a setting: `mask`, with two Gumbel draws a block and the straight-through gradient; `eid`,
with the weight gradient made step by step and the credits distilled into the logits too. One JSON
line a row. The first layer has fewer than four input channels, hence no block, and stays dense.
Example: plain_method_step.py --net 6conv2fc --precision bf16
"""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

import networks
import stepping

N, M = 2, 4
LAMBDA, TAU, LOGIT_RATE = 5.0, 1.0, 0.02


class ConvByStep(torch.autograd.Function):
    """A convolution that makes its weight gradient in T slices; `layer.credit` gets Σ_t |g^t|."""

    @staticmethod
    def forward(ctx, x, weight, layer):
        ctx.save_for_backward(x, weight)
        ctx.layer = layer
        return F.conv2d(x, weight, padding=layer.padding)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        layer = ctx.layer
        grad_weight, credit = 0, 0
        for x_t, grad_t in zip(x.chunk(layer.T), grad.chunk(layer.T)):
            g = torch.nn.grad.conv2d_weight(x_t, weight.shape, grad_t, padding=layer.padding)
            grad_weight, credit = grad_weight + g, credit + g.float().abs()
        layer.credit = credit
        return (
            torch.nn.grad.conv2d_input(x.shape, weight, grad, padding=layer.padding),
            grad_weight,
            None,
        )


class MaskedConv(nn.Module):
    """Blocks of M along the input channels; a new mask every step."""

    def __init__(self, cin, cout, kernel, stride=1, *, setting):
        super().__init__()
        assert stride == 1 and cin % M == 0
        self.padding, self.T, self.dtype = kernel // 2, setting.T, setting.dtype
        self.by_step = setting.method == "eid"
        self.weight = nn.Parameter(0.02 * torch.randn(cout, cin, kernel, kernel))
        self.logits = nn.Parameter(0.01 * torch.randn(self.weight.numel() // M, M))
        self.credit = None

    def blocks(self, values):
        """[Cout,Cin,kh,kw] → [blocks, M]."""
        return values.permute(0, 2, 3, 1).reshape(-1, M)

    def mask(self):
        """N hard draws OR-ed, with the gradient of their softmax."""
        log_p = F.log_softmax(self.logits, -1)
        none = torch.ones_like(log_p)
        for _ in range(N):
            noise = -torch.log(-torch.log(torch.rand_like(log_p).clamp_(1e-9, 1 - 1e-7)))
            soft = F.softmax((log_p + noise) / TAU, -1)
            hard = torch.zeros_like(soft).scatter_(-1, soft.argmax(-1, keepdim=True), 1.0)
            none = none * (1 - (soft - (soft - hard).detach()))
        cout, cin, height, width = self.weight.shape
        return (1 - none).view(cout, height, width, cin).permute(0, 3, 1, 2)

    def forward(self, x):
        weight = (self.weight * self.mask()).to(self.dtype)
        if self.by_step:
            return ConvByStep.apply(x.to(self.dtype), weight, self)
        return F.conv2d(x.to(self.dtype), weight, padding=self.padding)

    def divergence(self):
        """Σ_blocks KL(q ‖ π) with q = softmax of the credit over its block's mean."""
        credit = self.blocks(self.credit)
        q = F.softmax(credit / credit.mean(-1, keepdim=True).clamp_min(1e-30), -1)
        return F.kl_div(F.log_softmax(self.logits, -1), q, reduction="sum")


class MaskedLinear(MaskedConv):
    """The same over [T,B,C]."""

    def __init__(self, cin, cout, *, setting):
        super().__init__(cin, cout, 1, setting=setting)

    def forward(self, x):
        return networks.folded(super().forward, x[..., None, None]).flatten(2)


def make_network(setting):
    conv = functools.partial(MaskedConv, setting=setting)
    if setting.net == "6conv2fc":
        return networks.SixConvTwoFc(setting.T, conv)
    return networks.VggSnn(conv, functools.partial(MaskedLinear, setting=setting))


def build(setting):
    network = make_network(setting).to(setting.device)
    if setting.channels_last:
        network = network.to(memory_format=torch.channels_last)
    masked = [layer for layer in network.modules() if isinstance(layer, MaskedConv)]
    logits = [layer.logits for layer in masked]
    others = [p for name, p in network.named_parameters() if not name.endswith("logits")]
    groups = [{"params": others}, {"params": logits, "lr": LOGIT_RATE}]
    n_blocks = sum(p.shape[0] for p in logits)

    def distil():
        (LAMBDA / n_blocks * sum(layer.divergence() for layer in masked)).backward()

    return stepping.make_step(setting, network, groups, distil if setting.method == "eid" else None)


if __name__ == "__main__":
    stepping.run_all(
        stepping.parse_arguments(__doc__, ["6conv2fc", "vggsnn"]), build, ("mask", "eid")
    )
