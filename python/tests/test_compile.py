"""autocast, torch.compile, and each operation as torch wants it."""

from __future__ import annotations

import shutil

import pytest

import spikenm

torch = pytest.importorskip("torch")
nn = torch.nn
try:
    from search_nets import loss_of, made, membranes, some_batch, train, with_optimiser

    from spikenm.torch import sparsify
    from spikenm.torch._ops import ops
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)


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


def layers_of_spikingjelly(step_mode: bool) -> nn.Module:
    """Time in SpikingJelly's ways: layers in step mode "m", or plain ones in its container."""
    layers = pytest.importorskip("spikingjelly.activation_based.layer")
    if step_mode:
        parts = [layers.Conv2d(8, 8, 3, padding=1, step_mode="m"), layers.Flatten(step_mode="m"), layers.Linear(128, 8, step_mode="m")]
    else:
        parts = [layers.SeqToANNContainer(nn.Conv2d(8, 8, 3, padding=1)), layers.SeqToANNContainer(nn.Flatten(), nn.Linear(128, 8))]
    return nn.Sequential(parts[0], Membranes(), *parts[1:])


class Membranes(nn.Module):
    def forward(self, currents):
        return membranes(currents)


@pytest.mark.parametrize("way", ["step mode", "container", "to_torch", "to_spikingjelly"])
def test_a_compiled_net_of_folded_layers_gives_the_same_gradients(way, request):
    def net_of() -> tuple[nn.Module, torch.Tensor]:
        torch.manual_seed(1)
        if way in ("step mode", "container"):
            return layers_of_spikingjelly(way == "step mode"), some_batch()[0]
        if way == "to_spikingjelly":
            pytest.importorskip("spikingjelly.activation_based.layer")
        run = request.getfixturevalue("small_dense_run")
        net = getattr(run, way)(per_step=True)
        return net, (torch.rand(4, 3, *net.frame) < 0.3).float()

    found = []
    for compiles in (False, True):
        net, x = net_of()
        nm = sparsify(net.train(), "2:4", steps=10)
        torch._dynamo.reset()
        run = torch.compile(net, backend="aot_eager") if compiles else net
        nn.functional.cross_entropy(run(x).mean(0), some_batch()[1]).backward()
        credits = [search.sink.grad.clone() for search in nm.searches.values()]
        nm.after_backward()
        found.append([p.grad for p in net.parameters()] + credits)
    assert any(grad.abs().max() > 0 for grad in found[0])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-4)


@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor compiles with g++")
def test_inductor_gives_the_same():
    net, nm, opt = with_optimiser(folded=True)
    other, other_nm, other_opt = with_optimiser(folded=True)
    torch._dynamo.reset()
    train(net, nm, opt, 4)
    train(torch.compile(other), other_nm, other_opt, 4)
    for a, b in zip(net.parameters(), other.parameters()):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)
    assert torch.equal(nm.searches["fc"].mask, other_nm.searches["fc"].mask)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_compiled_net_in_evaluation_shows_the_mask_that_would_be_frozen(preset):
    net, nm = made(preset=preset)
    net.eval()
    x, _ = some_batch()
    torch._dynamo.reset()
    compiled = torch.compile(net, backend="aot_eager")
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), net(x))
        nm.freeze()
        torch.testing.assert_close(compiled(x), net(x))


@pytest.mark.parametrize("folded", [False, True])
def test_a_net_is_compiled_under_autocast(folded):
    x, y = some_batch()
    found = []
    for compiles in (False, True):
        net, nm = made(folded)
        torch._dynamo.reset()
        run = torch.compile(net, backend="aot_eager") if compiles else net
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = run(x)
        assert scores.dtype == torch.bfloat16
        nn.functional.cross_entropy(scores.float(), y).backward()
        nm.after_backward()
        found.append([p.grad for p in net.parameters()])
    for a, b in zip(*found):
        assert (a - b).norm() <= 0.02 * a.norm()


def arguments(device: str = "cpu") -> dict:
    """Operation -> arguments of a call."""
    generator = torch.Generator().manual_seed(5)
    weight, logits, credit, grad = (torch.rand(shape, generator=generator).to(device) for shape in ((8, 8, 3, 3), (144, 4), (8, 8, 3, 3), (8, 8, 3, 3)))
    step = torch.tensor([0.7, 0.3, 5, 2], dtype=torch.float64)
    draws = ops.nm_draw(logits, weight, step, 2, 4, 1, False, False, 1.0, 3, 1)
    return {
        "nm_blocks": ([8, 8, 3, 3], 4, 1, False),
        "nm_logits": ([8, 8, 3, 3], 4, 1, False, 0.1, 3, 1),
        "nm_draw": (logits, weight, step, 2, 4, 1, False, False, 1.0, 3, 1),
        "nm_top": (logits, weight, 2, 4, 1, False, 1.0),
        "nm_mask": (draws, weight, 4, 1, False),
        "nm_straight_through": (grad, logits, weight, draws, step, 4, 1, False, False, 1.0, False, 3, 1),
        "nm_distill": (logits, weight, credit, 4, 1, False, 1.0, 0.1),
        "sum_credits": ([grad, credit, weight],),
    }


@pytest.mark.parametrize("name", ["nm_blocks", "nm_logits", "nm_draw", "nm_top", "nm_mask", "nm_straight_through", "nm_distill", "sum_credits"])
def test_operations_are_as_torch_wants_them(name):
    torch.library.opcheck(getattr(ops, name).default, arguments()[name])


def test_every_operation_is_checked():
    assert {name.removeprefix("spikenm::").split(".")[0] for name in torch._C._dispatch_get_all_op_names() if name.startswith("spikenm::")} == {*arguments(), "has_cuda"}
