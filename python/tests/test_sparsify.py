"""The mask search in a loop of one's own: steps, state, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import spikenm

torch = pytest.importorskip("torch")
load_file = pytest.importorskip("safetensors.numpy").load_file
nn = torch.nn
try:
    from search_nets import loss_of, made, some_batch, train, with_optimiser

    from spikenm.torch import PRESETS
    from spikenm.torch._folded import _Folded
    from spikenm.torch._mask import Use
    from spikenm.torch._ops import ops
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)


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
    found = load_file(tmp_path / "m.safetensors")
    assert sorted(found) == ["conv.mask", "conv.weight", "fc.bias", "fc.mask", "fc.weight"]
    np.testing.assert_array_equal(found["fc.weight"], net.fc.weight.detach().numpy())
    nm.remove()
    np.testing.assert_array_equal(found["conv.weight"], net.conv.weight.detach().numpy())


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("way", ["unscaled before", "told"])
def test_a_scaled_loss_trains_as_a_plain_one(way, folded):
    """torch.amp.GradScaler scales the gradients of the loss, not what distillation adds to them."""

    def logits_after(scales: bool, says: bool = True) -> torch.Tensor:
        net, nm, opt = with_optimiser(folded)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12, enabled=scales)
        x, y = some_batch()
        for _ in range(3):
            opt.zero_grad()
            scaler.scale(loss_of(net, x, y)).backward()
            if way == "unscaled before" and says:
                scaler.unscale_(opt)
                nm.after_backward()
            else:
                nm.after_backward(scale=scaler.get_scale() if says else 1.0)
            scaler.step(opt)
            scaler.update()
            nm.end_step()
        return torch.cat([p.detach().flatten() for p in nm.logits()])

    plain = logits_after(False)
    lost = (logits_after(True, says=False) - plain).norm()  # all that distillation adds
    assert lost > 0.02 * plain.norm()
    assert (logits_after(True) - plain).norm() < 1e-4 * lost


@pytest.mark.parametrize("scale", [0, -1.0, float("inf"), float("nan"), "a", None])
def test_a_scale_that_is_none_is_refused(scale):
    _, nm = made()
    with pytest.raises(spikenm.Error, match="^scale: found .*, wanted a number above 0"):
        nm.after_backward(scale)


@pytest.mark.parametrize("what", ["use", "mask", "folded"])
def test_a_second_derivative_is_refused(what):
    """Gradients of the search are its own, and have none themselves."""
    net, nm = made()
    search, weight = nm.searches["fc"], torch.rand(8, 128, requires_grad=True)
    rows = torch.rand(12, 128)
    out = {"use": lambda: Use.apply(weight, search.sink, search.uses), "mask": lambda: search.masked(weight),
           "folded": lambda: _Folded.apply(rows, weight, search.sink, 4, None)}[what]()
    (grad,) = torch.autograd.grad(out.square().sum(), weight, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        grad.square().sum().backward()


def test_evaluation_uses_the_mask_that_would_be_frozen():
    net, nm = made()
    net.eval()
    assert torch.equal(net.fc.weight != 0, nm.masks()["fc"])
    assert (net.fc.weight.view(-1, 4) != 0).sum(1).eq(2).all()
    net.train()
    assert (net.fc.weight != 0).all()  # the first draw has all m positions


@pytest.mark.parametrize("threads", [1, 3])
def test_our_threads_are_as_many_as_those_of_torch(threads):
    said = subprocess.run([sys.executable, "-c", f"""
import os, torch
from spikenm.torch._ops import ops
torch.set_num_threads({threads})
logits, weight = torch.zeros(1 << 20, 4), torch.rand(1024, 4096)
before = len(os.listdir("/proc/self/task"))
ops.nm_top(logits, weight, 2, 4, 1, False, 1.0)
print(len(os.listdir("/proc/self/task")) - before, torch.get_num_threads())
"""], capture_output=True, text=True, check=True)
    assert said.stdout.split() == [str(threads - 1), str(threads)]


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
