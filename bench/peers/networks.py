"""The three networks written the usual way on SpikingJelly. Time is outermost: [T,B,C,H,W]."""

import torch.nn as nn


def lif():
    from spikingjelly.activation_based import neuron, surrogate

    return neuron.LIFNode(
        tau=2.0,
        v_threshold=1.0,
        v_reset=0.0,
        surrogate_function=surrogate.ATan(),
        detach_reset=True,
        step_mode="m",
    )


def dense_conv(cin, cout, kernel, stride=1):
    return nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False)


def dense_linear(cin, cout):
    return nn.Linear(cin, cout, bias=False)


def folded(layer, x):
    """[T,B,…] through a layer that knows no time."""
    y = layer(x.flatten(0, 1))
    return y.view(*x.shape[:2], *y.shape[1:])


def vote(x):
    """[T,B,100] → [T,B,10]."""
    return x.view(*x.shape[:2], 10, 10).mean(-1)


class Block(nn.Module):
    """Convolution, batch norm, neuron; `conv` makes the convolution, a masked one perhaps."""

    def __init__(self, cin, cout, kernel=3, stride=1, norm=True, conv=dense_conv):
        super().__init__()
        self.conv = conv(cin, cout, kernel, stride)
        self.norm = nn.BatchNorm2d(cout) if norm else nn.Identity()
        self.spike = lif()

    def forward(self, x):
        return self.spike(folded(lambda z: self.norm(self.conv(z)), x))


class Stem(nn.Module):
    """The first layer of a static image [B,C,H,W]: one current, shown T times."""

    def __init__(self, cin, cout, steps):
        super().__init__()
        self.steps = steps
        self.conv, self.norm, self.spike = dense_conv(cin, cout, 3), nn.BatchNorm2d(cout), lif()

    def forward(self, x):
        return self.spike(self.norm(self.conv(x)).unsqueeze(0).repeat(self.steps, 1, 1, 1, 1))


class SixConvTwoFc(nn.Module):
    def __init__(self, steps, conv=dense_conv, width=256):
        super().__init__()
        w = width
        self.stem = Stem(3, w, steps)
        self.first = nn.Sequential(*[Block(w, w, conv=conv) for _ in range(2)])
        self.second = nn.Sequential(*[Block(w, w, conv=conv) for _ in range(3)])
        self.fc = nn.Sequential(
            Block(w * 64, w * 8, 1, norm=False, conv=conv),
            Block(w * 8, 100, 1, norm=False, conv=conv),
        )
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        x = folded(self.pool, self.first(self.stem(x)))
        x = folded(self.pool, self.second(x))
        return vote(self.fc(x.flatten(2)[..., None, None]).flatten(2))


class VggSnn(nn.Module):
    """The first convolution has two input channels, no block of four, and stays dense."""

    PLAN = (64, 128, "pool", 256, 256, "pool", 512, 512, "pool", 512, 512, "pool")

    def __init__(self, conv=dense_conv, linear=dense_linear):
        super().__init__()
        layers, channels = [], 2
        for item in self.PLAN:
            if item == "pool":
                layers.append(nn.AvgPool2d(2))
                continue
            layers.append(Block(channels, item, conv=dense_conv if channels == 2 else conv))
            channels = item
        self.layers, self.fc = nn.ModuleList(layers), linear(512 * 9, 100)

    def forward(self, x):
        for layer in self.layers:
            x = folded(layer, x) if isinstance(layer, nn.AvgPool2d) else layer(x)
        return vote(self.fc(x.flatten(2)))


class SewBlock(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.body = nn.Sequential(Block(cin, cout, 3, stride), Block(cout, cout))
        self.skip = nn.Identity() if stride == 1 and cin == cout else Block(cin, cout, 1, stride)

    def forward(self, x):
        return self.body(x) + self.skip(x)


class SewResNet18(nn.Module):
    PLAN = (
        (64, 64, 1),
        (64, 64, 1),
        (64, 128, 2),
        (128, 128, 1),
        (128, 256, 2),
        (256, 256, 1),
        (256, 512, 2),
        (512, 512, 1),
    )

    def __init__(self, steps):
        super().__init__()
        self.stem = Stem(3, 64, steps)
        self.blocks, self.fc = nn.Sequential(*[SewBlock(*item) for item in self.PLAN]), nn.Linear(
            512, 100
        )

    def forward(self, x):
        return vote(self.fc(self.blocks(self.stem(x)).mean((-2, -1))))
