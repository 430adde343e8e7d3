"""What `sparsify` and its operations refuse, by name; the net is then as it was."""

from __future__ import annotations

import pytest

import spikenm

torch = pytest.importorskip("torch")
nn = torch.nn
try:
    from search_nets import LoopNet, loss_of, made, some_batch

    from spikenm.torch import sparsify
    from spikenm.torch._ops import ops
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"pattern": "4:2"}, "pattern: found '4:2', wanted n:m"),
        ({"steps": 0}, "steps: found 0, wanted a whole number of at least 1"),
        ({"preset": "best"}, "preset: found 'best', wanted 'default' or 'paper'"),
        ({"colour": 1}, "colour: found a choice of this name"),
        ({"noise": (0.1, 0.0)}, "noise: found"),
        ({"redraw_every": "x%"}, "redraw_every: found 'x%'"),
        ({"pattern": None}, "pattern: found None, wanted n:m"),
        ({"steps": True}, "steps: found True, wanted a whole number"),
        ({"seed": 2**63}, "seed: found 9223372036854775808, wanted a whole number"),
        ({"noise": "a"}, "noise: found 'a', wanted a positive number or two"),
        ({"noise": (1.0,)}, "noise: found .1.0,., wanted a positive number or two"),
        ({"noise": (float("nan"),) * 2}, "noise: found .nan, nan., wanted a positive number"),
        ({"noise": float("inf")}, "noise: found inf, wanted a positive number"),
        ({"tau_max": float("inf")}, "tau_max: found inf, wanted a finite number"),
        ({"tau_min": "a"}, "tau_min: found 'a', wanted a finite number"),
        ({"prior_kappa": "a"}, "prior_kappa: found 'a', wanted a finite number of at least 0"),
        ({"draws_start": -5}, "draws_start: found -5, wanted a whole number from 0 to 64"),
        ({"draws_start": 2.5}, "draws_start: found 2.5, wanted a whole number from 0 to 64"),
        ({"layers": [5]}, "layers: found .5., wanted globs"),
        ({"layers": "head*"}, "layers: 'head.' matches no layer; the layers are conv, fc"),
        ({"pattern": "2:64", "layers": "conv"}, "found no whole block of 64 in conv"),
        ({"pattern": "2:5", "preset": "paper", "share": 3},
         "^conv: share 3 with axis flat needs blocks that do not cross output channels, but a channel has 72 weights and a block 5; use axis in$"),
    ],
)
def test_mistakes_are_named(change, sentence):
    with pytest.raises(spikenm.Error, match=sentence):
        sparsify(LoopNet(), **({"steps": 10} | change))


# What would have to be copied to be read.
UNFIT = {
    "float64, wanted float32": lambda net: net.double(),
    "bfloat16, wanted float32": lambda net: net.bfloat16(),
    "a transposed layout, wanted one that lies in order": lambda net: net.to(memory_format=torch.channels_last),
    "it on meta, wanted cpu": lambda net: net.to("meta"),
}


@pytest.mark.parametrize("sentence", UNFIT)
def test_weights_that_do_not_fit_are_refused_by_name_before_and_after(sentence):
    with pytest.raises(spikenm.Error, match=f"^conv.weight: found {sentence}"):
        sparsify(UNFIT[sentence](LoopNet()), steps=10)
    x, y = some_batch()
    for training in (True, False):
        net, _ = made()
        UNFIT[sentence](net).train(training)
        with pytest.raises(spikenm.Error, match=f"^conv.weight: found {sentence}"):
            net(x)
    net, nm = made(redraw_every=1)
    loss_of(net, x, y).backward()
    UNFIT[sentence](net)
    with pytest.raises(spikenm.Error, match=f"^conv.weight: found {sentence}"):
        nm.end_step()


def test_a_transposed_linear_weight_is_refused():
    net = LoopNet()
    net.fc.weight = nn.Parameter(torch.rand(8 * 16, 8).t())
    with pytest.raises(spikenm.Error, match="^fc.weight: found a transposed layout"):
        sparsify(net, steps=10)


def test_weights_that_are_no_numbers_or_not_there_are_refused():
    net = LoopNet()
    net.fc.weight.data[0, 0] = float("nan")
    with pytest.raises(spikenm.Error, match="^fc.weight: found nan or inf"):
        sparsify(net, steps=10)
    with pytest.raises(spikenm.Error, match="^0.weight: found no values yet"):
        sparsify(nn.Sequential(nn.LazyLinear(8)), steps=10)


def test_a_weight_that_two_layers_share_is_refused_by_both_names():
    net = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))
    net[2].weight = net[0].weight
    with pytest.raises(spikenm.Error, match="^0.weight and 2.weight: found one weight in both"):
        sparsify(net, steps=10)
    one = nn.Linear(16, 16)
    assert list(sparsify(nn.Sequential(one, nn.ReLU(), one), steps=10).searches) == ["0"]  # one layer, used twice


def same_in_second() -> nn.Module:
    return nn.Sequential(nn.Conv2d(4, 8, 3), nn.Conv2d(8, 8, 3, padding="same"))


def container_in_second() -> nn.Module:
    layers = pytest.importorskip("spikingjelly.activation_based.layer")
    return nn.Sequential(layers.SeqToANNContainer(nn.Linear(16, 16)), layers.TLastSeqToANNContainer(nn.Linear(16, 16)))


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (same_in_second, {"time_steps": 4}),
        (container_in_second, {}),
        (lambda: nn.Sequential(nn.Linear(16, 8), nn.Conv2d(3, 8, 3)), {"pattern": "2:4", "share": 2, "axis": "flat"}),
    ],
)
def test_a_net_that_is_refused_is_as_it_was(make, options):
    net = make()
    before = list(net.state_dict())
    with pytest.raises(spikenm.Error):
        sparsify(net, steps=10, **options)
    assert list(net.state_dict()) == before
    assert not any("forward" in vars(module) or module._forward_pre_hooks for module in net.modules())


def test_operations_refuse_sizes_that_do_not_belong_together():
    weight, logits, draws = torch.rand(8, 16), torch.zeros(32, 4), torch.zeros(32, 2, dtype=torch.uint8)
    refused = {
        "logits: found 12, wanted 128": lambda: ops.nm_top(logits[:3], weight, 2, 4, 1, False, 1.0),
        "draws: found 5 in a block, wanted 1 to 4": lambda: ops.nm_top(logits, weight, 5, 4, 1, False, 1.0),
        "draws: found them of other blocks, wanted 32 rows": lambda: ops.nm_mask(draws[:1], weight, 4, 1, False),
        "logits: found 4, wanted 128": lambda: ops.nm_distill(logits[:1], weight, weight, 4, 1, False, 1.0, 1.0),
        "credit: found 3 values, wanted 128": lambda: ops.nm_distill(logits, weight, torch.zeros(3), 4, 1, False, 1.0, 1.0),
        "weight: found blocks of 0 with share 1": lambda: ops.nm_blocks([8, 16], 0, 1, False),
        "weight: found blocks of 4 with share 0": lambda: ops.nm_blocks([8, 16], 4, 0, False),
    }
    for sentence, call in refused.items():
        with pytest.raises(RuntimeError, match=f"^{sentence}"):
            call()


def test_operations_refuse_what_they_could_not_read_in_place():
    weight = torch.rand(8, 16)
    logits = torch.zeros(32, 4)
    for found, sentence in ((weight.double(), "values of another type, wanted float32"), (torch.rand(16, 8).t(), "a transposed or cut tensor")):
        with pytest.raises(RuntimeError, match=f"^weight: found {sentence}"):
            ops.nm_top(logits, found, 2, 4, 1, False, 1.0)


def test_nets_that_do_not_fit_are_refused_by_name():
    net, nm = made()
    with pytest.raises(spikenm.Error, match="conv.weight: found a parametrization"):
        sparsify(net, steps=1)
    with pytest.raises(spikenm.Error, match="still searched for"):
        nm.save("x.safetensors")
    circular = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, padding_mode="circular"))
    with pytest.raises(spikenm.Error, match="0: found padding"):
        sparsify(circular, steps=1, time_steps=2)
    net, _ = made(folded=True)
    with pytest.raises(spikenm.Error, match="wanted a multiple of time_steps, 4"):
        net(some_batch(T=3, B=1)[0])
