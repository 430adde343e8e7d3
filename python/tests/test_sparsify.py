"""The mask search in a loop of one's own: bits, credits, state, and what is refused."""

from __future__ import annotations

import copy
import json
import subprocess

import numpy as np
import pytest
from conftest import SMALL

import spikenm

torch = pytest.importorskip("torch")
nn = torch.nn
try:
    from spikenm.torch import PRESETS, sparsify
    from spikenm.torch._ops import ops
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)


class LoopNet(nn.Module):
    """Convolution, leaky membranes and a linear layer, step by step; or with time folded into the batch."""

    def __init__(self, folded: bool = False) -> None:
        super().__init__()
        self.conv, self.fc, self.folded = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.Linear(8 * 16, 8), folded

    def forward(self, x):  # [T,B,8,4,4]
        T = len(x)
        currents = self.conv(x.flatten(0, 1)).unflatten(0, x.shape[:2]) if self.folded else torch.stack([self.conv(step) for step in x])
        v, spikes = torch.zeros_like(currents[0]), []
        for current in currents:
            v = 0.5 * v + current
            spikes.append(torch.sigmoid(4 * (v - 0.2)))
        if self.folded:
            return self.fc(torch.stack(spikes).flatten(0, 1).flatten(1)).unflatten(0, (T, -1)).mean(0)
        return torch.stack([self.fc(s.flatten(1)) for s in spikes]).mean(0)


def some_batch(T: int = 4, B: int = 3):
    generator = torch.Generator().manual_seed(3)
    return torch.rand(T, B, 8, 4, 4, generator=generator), torch.randint(0, 8, (B,), generator=generator)


def made(folded: bool = False, **options):
    torch.manual_seed(1)
    net = LoopNet(folded)
    return net, sparsify(net, "2:4", **({"steps": 10, "time_steps": 4 if folded else 0} | options))


def loss_of(net, x, y):
    return nn.functional.cross_entropy(net(x), y)


def oracle_credits(net, nm, x, y) -> dict:
    """Sums of |gradient| over T separate copies of each weight."""
    from torch.func import functional_call

    weights = {name: (net.get_submodule(name).parametrizations.weight.original * nm.searches[name].mask).detach() for name in ("conv", "fc")}
    plain = LoopNet()
    plain.fc.bias = net.fc.bias
    copies = {name: [w.clone().requires_grad_() for _ in x] for name, w in weights.items()}
    v, scores = torch.zeros(x.shape[1], 8, 4, 4), []
    for t, step in enumerate(x):
        current = functional_call(plain.conv, {"weight": copies["conv"][t]}, step)
        v = 0.5 * v + current
        scores.append(functional_call(plain.fc, {"weight": copies["fc"][t]}, torch.sigmoid(4 * (v - 0.2)).flatten(1)))
    nn.functional.cross_entropy(torch.stack(scores).mean(0), y).backward()
    return {name: sum(w.grad.abs() for w in each) for name, each in copies.items()}


@pytest.mark.parametrize("folded", [False, True])
def test_credits_are_those_of_one_copy_of_the_weight_per_step(folded):
    net, nm = made(folded)
    x, y = some_batch()
    loss_of(net, x, y).backward()
    for name, expected in oracle_credits(net, nm, x, y).items():
        torch.testing.assert_close(nm.searches[name].sink.grad, expected, atol=1e-6, rtol=1e-5)
        assert expected.abs().max() > 1e-4


def test_loops_and_folded_time_give_the_same_gradients():
    found = []
    for folded in (False, True):
        net, nm = made(folded)
        loss_of(net, *some_batch()).backward()
        nm.after_backward()
        found.append([p.grad for p in net.parameters()])
    for a, b in zip(*found):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-4)


def test_layers_of_spikingjelly_that_see_all_steps_give_their_credits():
    layer = pytest.importorskip("spikingjelly.activation_based.layer")
    x, y = some_batch()

    class Net(LoopNet):
        def __init__(self, mode: str) -> None:
            super().__init__()
            self.mode = mode
            self.conv = layer.Conv2d(8, 8, 3, padding=1, bias=False, step_mode=mode)
            self.fc = layer.Linear(8 * 16, 8, step_mode=mode)

        def forward(self, x):
            if self.mode == "s":
                return super().forward(x)
            v, spikes = 0, []
            for current in self.conv(x):
                v = 0.5 * v + current
                spikes.append(torch.sigmoid(4 * (v - 0.2)))
            return self.fc(torch.stack(spikes).flatten(2)).mean(0)

    credits = []
    for mode in "sm":
        torch.manual_seed(1)
        net = Net(mode)
        nm = sparsify(net, "2:4", steps=10)
        loss_of(net, x, y).backward()
        credits.append({name: search.sink.grad for name, search in nm.searches.items()})
    for name in ("conv", "fc"):
        torch.testing.assert_close(credits[0][name], credits[1][name], atol=1e-6, rtol=1e-4)


def test_distillation_pulls_the_logits_to_where_the_credits_are():
    net, nm = made(lambda_eid=1.0)
    loss_of(net, *some_batch()).backward()
    search = nm.searches["fc"]
    before, credit = search.logits.grad.clone(), search.sink.grad.clone()
    nm.after_backward()
    weight = net.fc.parametrizations.weight.original.detach()
    values = search.logits.detach() + weight.abs().clamp_min(1e-8).log().view(-1, 4)
    blocks = credit.view(-1, 4)
    target = torch.softmax(blocks / blocks.mean(1, keepdim=True), 1)
    total = sum(len(each.logits) for each in nm.searches.values())
    expected = before + (torch.softmax(values, 1) - target) / total
    torch.testing.assert_close(search.logits.grad, expected, atol=1e-6, rtol=1e-4)
    assert search.sink.grad is None


def test_positions_fall_from_m_to_n_and_a_mask_is_held():
    net, nm = made(steps=100)
    seen = []
    for _ in range(100):
        seen.append((int(nm.searches["fc"].numbers[3]), nm.searches["fc"].mask.clone()))
        nm.end_step()
    counts = [count for count, _ in seen]
    assert counts[0] == 4 and counts[-1] == 2 and counts == sorted(counts, reverse=True)
    assert all(torch.equal(seen[i][1], seen[i - i % 3][1]) for i in range(100))  # 3 % of the steps
    assert nm.step == 100
    nm.end_step()
    assert nm.step == 100


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_those_of_the_program(preset, program, tmp_path):
    said = subprocess.run([program, "train", f"method.preset={preset}", "method.name=spikenm", "--dry-run"], capture_output=True, text=True, check=True)
    (tmp_path / "c.toml").write_text(said.stdout)
    method = json.loads(spikenm._core.toml_to_json(tmp_path / "c.toml"))["method"]
    ours = PRESETS[preset]
    low, high = ours.noise_ends
    assert method["noise"] == ([low] if low == high else [low, high])
    for key in ("axis", "draws", "redraw_every", "prior_kappa", "weight_grad", "lambda_eid", "tau_max", "tau_min", "logit_std", "logit_lr", "freeze"):
        assert method[key] == getattr(ours, key), key
    for key in ("draws_start", "or_grad"):
        assert method.get(key, getattr(ours, key)) == getattr(ours, key)
    fixed = {"credit": "temporal", "credit_scale": "block-mean", "tau_q": 1, "eid_target": "credit", "eid_reduce": "mean"}
    assert {key: method[key] for key in fixed} == fixed


@pytest.mark.parametrize(("preset", "seed"), [("default", 0), ("paper", 7)])
def test_mask_bits_are_those_of_the_program(preset, seed, program, tmp_path):
    config = copy.deepcopy(SMALL)
    config |= {"seed": seed}
    config["method"] |= {"preset": preset, "noise": [0.5], "redraw_every": 1}
    config["train"] |= {"epochs": 4, "search_epochs": 3}
    spikenm.train(config, out=tmp_path / "a", quiet=True, on_epoch=lambda e: False)
    checkpoint = max((tmp_path / "a/checkpoints").iterdir(), key=lambda p: int(p.stem.split("-")[1]))
    config["train"] |= {"epochs": 1, "search_epochs": 0, "phases": ["prune", "finetune"]}
    config["method"] |= {"freeze": "resample", "freeze_draw": 3}
    masks = spikenm.train(config, out=tmp_path / "b", quiet=True, start_from=checkpoint).masks()

    state = spikenm._core.read_tensors(checkpoint, "")
    options, compared = PRESETS[preset], 0
    for layer, name in enumerate(masks):
        logits = next(v for k, v in state.items() if k.endswith(f"{name}.logits") and not k.startswith("optim"))
        if not logits.size:
            continue
        weight = torch.from_numpy(next(v for k, v in state.items() if k.endswith(f"{name}.weight") and v.shape == masks[name].shape))
        step = torch.tensor([1.0, 0.5, 2**32 - 1 - 3, 2], dtype=torch.float64)
        rule = (4, 1, options.axis == "flat")
        draws = ops.nm_draw(torch.from_numpy(logits), weight, step, *rule, options.replace, options.prior_kappa, seed, layer)
        np.testing.assert_array_equal(ops.nm_mask(draws, weight, *rule).numpy().astype(bool), masks[name])
        compared += 1
    assert compared >= 3


def train(net, nm, opt, steps: int) -> None:
    x, y = some_batch()
    for _ in range(steps):
        opt.zero_grad()
        loss_of(net, x, y).backward()
        nm.after_backward()
        opt.step()
        nm.end_step()


def with_optimiser(folded: bool = False):
    net, nm = made(folded, redraw_every=2)
    return net, nm, torch.optim.SGD(net.parameters(), lr=0.1)


def test_a_search_goes_on_from_its_state_to_the_same_bits(tmp_path):
    net, nm, opt = with_optimiser()
    train(net, nm, opt, 3)
    torch.save(net.state_dict(), tmp_path / "s.pt")
    train(net, nm, opt, 4)

    other, other_nm, other_opt = with_optimiser()
    other.load_state_dict(torch.load(tmp_path / "s.pt"))
    assert other_nm.step == 3
    train(other, other_nm, other_opt, 4)
    for a, b in zip(net.parameters(), other.parameters()):
        assert torch.equal(a, b)
    assert torch.equal(nm.searches["fc"].mask, other_nm.searches["fc"].mask)

    nm.freeze()
    other.load_state_dict(net.state_dict())
    assert other_nm.frozen and torch.equal(other.fc.weight, net.fc.weight)


def test_a_frozen_mask_keeps_n_of_m_while_training_goes_on(tmp_path):
    net, nm, opt = with_optimiser()
    train(net, nm, opt, 10)
    expected = nm.masks()
    nm.freeze()
    train(net, nm, opt, 3)
    for name, mask in nm.masks().items():
        assert torch.equal(mask, expected[name])
        weight = net.get_submodule(name).weight
        assert not weight[~mask].any() and weight[mask].all()
    assert (expected["fc"].view(-1, 4).sum(1) == 2).all()

    nm.save(tmp_path / "m.safetensors")
    found = spikenm._core.read_tensors(tmp_path / "m.safetensors", "")
    assert sorted(found) == ["conv.mask", "conv.weight", "fc.bias", "fc.mask", "fc.weight"]
    np.testing.assert_array_equal(found["fc.weight"], net.fc.weight.detach().numpy())
    nm.remove()
    np.testing.assert_array_equal(found["conv.weight"], net.conv.weight.detach().numpy())


def test_evaluation_uses_the_mask_that_would_be_frozen():
    net, nm = made()
    net.eval()
    assert torch.equal(net.fc.weight != 0, nm.masks()["fc"])
    assert (net.fc.weight.view(-1, 4) != 0).sum(1).eq(2).all()
    net.train()
    assert (net.fc.weight != 0).all()  # the first draw has all m positions


@pytest.mark.parametrize("folded", [False, True])
def test_autocast_computes_in_bfloat16_and_learns_in_float32(folded):
    net, nm = made(folded)
    x, y = some_batch()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = net(x)
    assert scores.dtype == torch.bfloat16
    nn.functional.cross_entropy(scores.float(), y).backward()
    exact, exact_nm = made(folded)
    loss_of(exact, x, y).backward()
    for name, search in nm.searches.items():
        assert search.logits.grad.dtype == search.sink.grad.dtype == torch.float32
        difference = (search.sink.grad - exact_nm.searches[name].sink.grad).norm()
        assert difference < 0.05 * search.sink.grad.norm()


@pytest.mark.parametrize("folded", [False, True])
def test_a_compiled_net_gives_the_same_and_is_compiled_once(folded):
    from torch._dynamo.testing import CompileCounterWithBackend

    net, nm, opt = with_optimiser(folded)
    other, other_nm, other_opt = with_optimiser(folded)
    counter = CompileCounterWithBackend("aot_eager")
    torch._dynamo.reset()
    train(net, nm, opt, 4)
    train(torch.compile(other, backend=counter), other_nm, other_opt, 4)
    for a, b in zip(net.parameters(), other.parameters()):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5)
    assert torch.equal(nm.searches["fc"].mask, other_nm.searches["fc"].mask)
    assert counter.frame_count == 1


def test_no_optimiser_meets_more_than_weights_and_logits():
    net, nm = made()
    assert sorted(name.rpartition(".")[2] for name, _ in net.named_parameters()) == ["bias", "logits", "logits", "original", "original"]
    before = torch.get_num_threads()
    train(net, nm, torch.optim.SGD(net.parameters(), lr=0.1), 2)
    assert torch.get_num_threads() == before


def test_the_type_of_a_net_may_be_said_again():
    net, nm = made()
    net.float()
    train(net, nm, torch.optim.SGD(net.parameters(), lr=0.1), 2)
    net.double()
    with pytest.raises(spikenm.Error, match="conv.weight: found float64, wanted float32"):
        net(some_batch()[0].double())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"pattern": "4:2"}, "pattern: found '4:2', wanted n:m"),
        ({"steps": 0}, "steps: found 0, wanted a whole number of at least 1"),
        ({"preset": "best"}, "preset: found 'best', wanted 'default' or 'paper'"),
        ({"colour": 1}, "colour: found a choice of this name"),
        ({"noise": (0.1, 0.0)}, "noise: found"),
        ({"redraw_every": "x%"}, "redraw_every: found 'x%'"),
        ({"layers": "head*"}, "layers: 'head.' matches no layer; the layers are conv, fc"),
        ({"pattern": "2:64", "layers": "conv"}, "found no whole block of 64 in conv"),
    ],
)
def test_mistakes_are_named(change, sentence):
    with pytest.raises(spikenm.Error, match=sentence):
        sparsify(LoopNet(), **({"steps": 10} | change))


def test_nets_that_do_not_fit_are_refused_by_name():
    with pytest.raises(spikenm.Error, match="conv.weight: found float64, wanted float32"):
        sparsify(LoopNet().double(), steps=1)
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
