"""Credits are sums over time steps of |gradient|, however time reaches a layer; what hides it is refused."""

from __future__ import annotations

import copy

import pytest

import spikenm

torch = pytest.importorskip("torch")
nn = torch.nn
try:
    from search_nets import LoopNet, loss_of, made, membranes, some_batch

    from spikenm.torch import sparsify
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)

T, B = 4, 3
# What a layer is, and the shape of its input without time and batch.
LAYERS = {
    "linear": (lambda **more: nn.Linear(16, 8, **more), (16,)),
    "linear over tokens": (lambda **more: nn.Linear(16, 8, **more), (5, 16)),
    "conv1d": (lambda **more: nn.Conv1d(8, 8, 3, padding=1, **more), (8, 9)),
    "conv2d": (lambda **more: nn.Conv2d(8, 8, 3, padding=1, **more), (8, 4, 4)),
    "stride": (lambda **more: nn.Conv2d(8, 8, 3, stride=2, padding=1, **more), (8, 7, 6)),
    "groups": (lambda **more: nn.Conv2d(8, 16, 3, groups=2, padding=1, **more), (8, 4, 4)),
    "dilation": (lambda **more: nn.Conv2d(8, 8, 3, padding=2, dilation=2, **more), (8, 6, 5)),
    "conv1d, all of it": (lambda **more: nn.Conv1d(8, 16, 3, stride=2, padding=2, dilation=2, groups=2, **more), (8, 11)),
}


class OneLayer(nn.Module):
    """A layer and membranes behind it; `way` is how the layer sees time."""

    def __init__(self, layer, way: str) -> None:
        super().__init__()
        self.way, self.layer = way, layer
        if way == "container":
            self.layer = pytest.importorskip("spikingjelly.activation_based.layer").SeqToANNContainer(layer)
        elif way == "each step":
            self.layer = spikenm.networks._EachStep(layer)

    def forward(self, x):
        if self.way == "loop":
            currents = torch.stack([self.layer(step) for step in x])
        elif self.way == "folded":
            currents = self.layer(x.flatten(0, 1)).unflatten(0, x.shape[:2])
        else:
            currents = self.layer(x)
        return membranes(currents).square().mean((0, 1)).sum()


def oracle(layer, mask, x):
    """Sums of |gradient| over T copies of the weight, in double."""
    exact = copy.deepcopy(layer).double()
    weights = [(exact.weight.detach() * mask).requires_grad_() for _ in x]
    currents = [torch.func.functional_call(exact, {"weight": w}, step) for w, step in zip(weights, x.double())]
    membranes(torch.stack(currents)).square().mean((0, 1)).sum().backward()
    return sum(w.grad.abs() for w in weights)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("way", ["loop", "folded", "container", "each step"])
@pytest.mark.parametrize("kind", LAYERS)
def test_credits_are_those_of_one_copy_of_the_weight_per_step(kind, way, bias):
    torch.manual_seed(2)
    make, shape = LAYERS[kind]
    plain = make(bias=bias)
    x = torch.rand(T, B, *shape)
    net = OneLayer(copy.deepcopy(plain), way)
    nm = sparsify(net, "2:4", steps=10, draws_start=0, time_steps=T if way == "folded" else 0)
    net(x).backward()
    (search,) = nm.searches.values()
    expected = oracle(plain, search.mask, x)
    assert (search.sink.grad - expected).abs().max() <= 1e-6 * expected.max()
    nm.after_backward()  # time was seen


@pytest.mark.parametrize("mode_is_set_later", [False, True])
@pytest.mark.parametrize("kind", [name for name in LAYERS if name != "linear over tokens"])
def test_the_step_mode_of_spikingjelly_is_read_at_each_call(kind, mode_is_set_later):
    layers = pytest.importorskip("spikingjelly.activation_based.layer")
    functional = pytest.importorskip("spikingjelly.activation_based.functional")
    torch.manual_seed(2)
    make, shape = LAYERS[kind]
    plain = make()
    given = {"kernel_size": 3, **{key: getattr(plain, key) for key in ("stride", "padding", "dilation", "groups")}} if isinstance(plain, nn.modules.conv._ConvNd) else {}
    sizes = (plain.in_features, plain.out_features) if isinstance(plain, nn.Linear) else (plain.in_channels, plain.out_channels)
    made = getattr(layers, type(plain).__name__)(*sizes, **given)
    made.load_state_dict(plain.state_dict())
    net = OneLayer(made, "m")
    if not mode_is_set_later:
        functional.set_step_mode(net, "m")
    nm = sparsify(net, "2:4", steps=10, draws_start=0)
    functional.set_step_mode(net, "m")
    x = torch.rand(T, B, *shape)
    net(x).backward()
    expected = oracle(plain, nm.searches["layer"].mask, x)
    assert (nm.searches["layer"].sink.grad - expected).abs().max() <= 1e-6 * expected.max()


def test_a_container_of_spikingjelly_may_change_its_step_mode():
    layers = pytest.importorskip("spikingjelly.activation_based.layer")
    torch.manual_seed(2)
    plain, x = nn.Linear(16, 8), torch.rand(T, B, 16)
    container = layers.StepModeContainer(False, "s", copy.deepcopy(plain))
    nm = sparsify(container, "2:4", steps=10, draws_start=0)
    expected = oracle(plain, nm.searches["0"].mask, x)
    for mode in "sm":
        container.step_mode = mode
        nm.searches["0"].forget_credit()
        currents = torch.stack([container(step) for step in x]) if mode == "s" else container(x)
        membranes(currents).square().mean((0, 1)).sum().backward()
        assert (nm.searches["0"].sink.grad - expected).abs().max() <= 1e-6 * expected.max()
    with pytest.raises(spikenm.Error, match=r"0\.0: found it in a TLastSeqToANNContainer \(0\), wanted a SeqToANNContainer"):
        sparsify(nn.Sequential(layers.TLastSeqToANNContainer(nn.Linear(16, 8))), "2:4", steps=10)


def test_loops_and_folded_time_give_the_same_gradients():
    found = []
    for folded in (False, True):
        net, nm = made(folded)
        loss_of(net, *some_batch()).backward()
        nm.after_backward()
        found.append([p.grad for p in net.parameters()])
    for a, b in zip(*found):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("way", ["folded", "each step"])
def test_a_copy_of_a_net_makes_its_own_credits(way):
    torch.manual_seed(2)
    net = OneLayer(nn.Linear(16, 8), way)
    sparsify(net, "2:4", steps=10, time_steps=T if way == "folded" else 0)
    other = copy.deepcopy(net)
    x = torch.rand(T, B, 16)
    for each in (net, other):
        each(x).backward()
    first, second = (next(m for m in each.modules() if hasattr(m, "sink")) for each in (net, other))
    assert first is not second and first.sink.grad.max() > 0
    assert torch.equal(first.sink.grad, second.sink.grad)


class HiddenTime(LoopNet):
    """Folds time into the batch and tells nobody: for both layers, or for the last one alone."""

    def __init__(self, hides: str) -> None:
        super().__init__()
        self.hides = hides

    def forward(self, x):
        folded = self.hides == "both"
        currents = self.conv(x.flatten(0, 1)).unflatten(0, x.shape[:2]) if folded else torch.stack([self.conv(step) for step in x])
        spikes = membranes(currents).flatten(2)
        if self.hides == "function":
            return pytest.importorskip("spikingjelly.activation_based.functional").seq_to_ann_forward(spikes, self.fc).mean(0)
        return self.fc(spikes).mean(0)  # a linear layer takes any number of axes


@pytest.mark.parametrize(("hides", "name"), [("both", "conv"), ("last", "fc"), ("function", "fc")])
def test_time_that_nobody_saw_is_refused_by_name(hides, name):
    net = HiddenTime(hides)
    nm = sparsify(net, "2:4", steps=10)
    loss_of(net, *some_batch()).backward()
    with pytest.raises(spikenm.Error, match=f"^{name}: found its weight used once in the step, on an input of .*wanted one use for each time step"):
        nm.after_backward()
    # A loop that goes on all the same: its two uses are no two steps of time.
    loss_of(net, *some_batch()).backward()
    with pytest.raises(spikenm.Error, match=f"^{name}: found its weight used once"):
        nm.after_backward()
    assert all(search.sink.grad is None for search in nm.searches.values())


def test_a_layer_in_front_of_time_is_used_once():
    class Image(LoopNet):
        def forward(self, x):
            return torch.stack([self.fc(s.flatten(1)) for s in membranes(self.conv(x).expand(T, -1, -1, -1, -1))]).mean(0)

    torch.manual_seed(1)
    net = Image()
    nm = sparsify(net, "2:4", steps=10)
    x, y = some_batch()
    loss_of(net, x[0], y).backward()
    credit = nm.searches["conv"].sink.grad.clone()
    nm.after_backward()
    assert credit.max() > 0


def test_a_net_without_time_says_so():
    torch.manual_seed(1)
    net = nn.Sequential(nn.Flatten(), nn.Linear(8 * 16, 8))
    nm = sparsify(net, "2:4", steps=10, time_steps=1)
    x, y = some_batch()
    loss_of(net, x[0], y).backward()
    weight = net[1].weight.detach().requires_grad_()
    nn.functional.cross_entropy(nn.functional.linear(x[0].flatten(1), weight, net[1].bias), y).backward()
    torch.testing.assert_close(nm.searches["1"].sink.grad, weight.grad.abs())
    nm.after_backward()


def test_a_dense_run_as_a_net_of_torch_gives_its_credits(small_dense_run):
    credits = []
    for net in (small_dense_run.to_torch(), small_dense_run.to_spikingjelly() if has_spikingjelly() else None):
        if net is None:
            continue
        net.train()
        nm = sparsify(net, "2:4", steps=10, layers="*conv*")
        torch.manual_seed(4)
        x = torch.rand(4, 2, *net.frame)
        nn.functional.cross_entropy(net(x), torch.tensor([0, 1])).backward()
        nm_credits = {name.removesuffix(".layer"): search.sink.grad.clone() for name, search in nm.searches.items()}
        assert all(credit.max() > 0 for credit in nm_credits.values())
        nm.after_backward()
        credits.append(nm_credits)
    for name in credits[0]:
        torch.testing.assert_close(credits[0][name], credits[-1][name], atol=1e-6, rtol=1e-3)


def has_spikingjelly() -> bool:
    try:
        import spikingjelly.activation_based.layer  # noqa: F401
    except ImportError:
        return False
    return True
