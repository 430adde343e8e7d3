"""The mask search on a GPU gives what it gives on the CPU. tools/check_ops_cuda builds and runs this where a GPU is."""

from __future__ import annotations

import itertools

import pytest

import spikenm

torch = pytest.importorskip("torch")
nn = torch.nn
try:
    from search_nets import loss_of, made, some_batch, train, with_optimiser
    from test_compile import arguments

    from spikenm.torch._ops import DEVICES, ops
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)

# In this order: a torch without CUDA's libraries is not asked for a GPU.
pytestmark = pytest.mark.skipif("cuda" not in DEVICES or not torch.cuda.is_available(), reason="no GPU, or a build without nvcc")
SHAPES = [(8, 8, 3, 3), (16, 12, 1, 1), (10, 37), (33, 64), (6, 16, 5), (1, 4), (257, 130, 3, 3)]


def cases():
    """shape, m, share, flat, replace; where the program could cut the weight so."""
    for shape, m, share, flat, replace in itertools.product(SHAPES, (2, 4, 8, 16, 5), (1, 3), (False, True), (False, True)):
        try:
            if ops.nm_blocks(list(shape), m, share, flat) > 0:
                yield shape, m, share, flat, replace
        except RuntimeError:
            continue


def some(shape, seed: int):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("shape", "m", "share", "flat", "replace"), list(cases()))
def test_bits_and_gradients_are_those_of_the_cpu(shape, m, share, flat, replace):
    weight, grad, credit = some(shape, 1), some(shape, 2), some(shape, 3).abs()
    logits = 0.1 * some((ops.nm_blocks(list(shape), m, share, flat), m), 4)
    for noise, n in ((1.0, 1), (0.05, 2)):
        step = torch.tensor([0.6, noise, 7, n], dtype=torch.float64)
        found = []
        for device in ("cpu", "cuda"):
            w, g, c, a = (each.to(device) for each in (weight, grad, credit, logits))
            draws = ops.nm_draw(a, w, step, n, m, share, flat, replace, 1.0, 11, 3)
            top = ops.nm_top(a, w, n, m, share, flat, 1.0)
            straight = [ops.nm_straight_through(g, a, w, draws, step, m, share, flat, replace, 1.0, soft, 11, 3) for soft in (False, True)]
            masks = [ops.nm_mask(positions, w, m, share, flat) for positions in (draws, top)]
            found.append(([draws, top, *masks], [*straight, ops.nm_distill(a, w, c, m, share, flat, 1.0, 0.2)]))
        for a, b in zip(found[0][0], found[1][0]):
            assert torch.equal(a, b.cpu())
        for a, b in zip(found[0][1], found[1][1]):
            assert (a - b.cpu()).abs().max() <= 1e-4 * a.abs().max().clamp_min(1e-6)  # exponentials are rounded otherwise


@pytest.mark.parametrize("steps", [1, 4, 64, 65, 130])
def test_credits_are_those_of_the_cpu(steps):
    slices = [some((5, 7, 3, 3), t) for t in range(steps)]
    for a, b in zip(ops.sum_credits(slices), ops.sum_credits([each.cuda() for each in slices])):
        assert torch.equal(a, b.cpu())


def test_operations_run_on_the_stream_of_torch():
    expected = [ops.nm_draw(*arguments("cuda")["nm_draw"]), *ops.sum_credits(*arguments("cuda")["sum_credits"])]
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)  # what is not behind it on the stream would read too early
        given = [each + 0 for each in arguments("cuda")["sum_credits"][0]]
        found = [ops.nm_draw(*arguments("cuda")["nm_draw"]), *ops.sum_credits(given)]
    stream.synchronize()
    assert all(torch.equal(a, b) for a, b in zip(expected, found))


@pytest.mark.parametrize("name", ["nm_draw", "nm_top", "nm_mask", "nm_straight_through", "nm_distill", "sum_credits"])
def test_operations_are_as_torch_wants_them(name):
    torch.library.opcheck(getattr(ops, name).default, arguments("cuda")[name])


def test_tensors_on_two_devices_are_refused():
    logits, weight, *rest = arguments("cuda")["nm_top"]
    with pytest.raises(RuntimeError, match="weight: found it on another device"):
        ops.nm_top(logits, weight.cpu(), *rest)


@pytest.fixture
def exact_products():
    """Convolutions and products in float32."""
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    yield
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


@pytest.mark.parametrize("moved", ["before sparsify", "after sparsify", "in the search"])
@pytest.mark.parametrize("folded", [False, True])
def test_training_is_that_of_the_cpu(folded, moved, exact_products):
    net, nm, opt = with_optimiser(folded)
    train(net, nm, opt, 6)
    other, other_nm, other_opt = with_optimiser(folded, "cuda" if moved == "before sparsify" else "cpu")
    if moved == "in the search":
        train(other, other_nm, other_opt, 3)
    other.cuda()
    train(other, other_nm, other_opt, 6 - other_nm.step, "cuda")
    for name, search in nm.searches.items():
        assert other_nm.searches[name].mask.is_cuda and other_nm.searches[name].numbers.is_cpu
        assert torch.equal(search.mask, other_nm.searches[name].mask.cpu())
    for a, b in zip(net.parameters(), other.parameters()):
        torch.testing.assert_close(a, b.cpu(), atol=1e-5, rtol=1e-4)
    other.cpu()
    assert all(torch.equal(mask, other_nm.masks()[name]) for name, mask in nm.masks().items())


def test_a_whole_search_on_the_gpu_learns_and_keeps_its_mask(exact_products):
    torch.manual_seed(1)
    net, nm = made(folded=True, device="cuda", steps=60)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3)
    x, y = some_batch(device="cuda")
    before = loss_of(net, x, y).item()
    train(net, nm, opt, 60, "cuda")
    nm.freeze()
    train(net, nm, opt, 20, "cuda")
    assert loss_of(net, x, y).item() < 0.5 * before
    for name, mask in nm.masks().items():
        weight = net.get_submodule(name).weight
        assert not weight[~mask].any() and weight[mask].all()
    assert (nm.masks()["fc"].view(-1, 4).sum(1) == 2).all()


def test_state_goes_from_the_gpu_to_the_cpu(exact_products):
    net, nm, opt = with_optimiser(device="cuda")
    train(net, nm, opt, 3, "cuda")
    other, other_nm, other_opt = with_optimiser()
    other.load_state_dict(net.state_dict())
    assert other_nm.step == 3
    assert all(torch.equal(search.mask.cpu(), other_nm.searches[name].mask) for name, search in nm.searches.items())
    nm.freeze()
    other.load_state_dict(net.state_dict())
    assert other_nm.frozen and torch.equal(other.fc.weight, net.fc.weight.cpu())


@pytest.mark.parametrize("folded", [False, True])
def test_autocast_and_compile(folded):
    x, y = some_batch(device="cuda")
    exact, exact_nm = made(folded, "cuda")
    loss_of(exact, x, y).backward()
    for compiles in (False, True):
        net, nm = made(folded, "cuda")
        torch._dynamo.reset()
        run = torch.compile(net, backend="aot_eager") if compiles else net
        with torch.autocast("cuda", dtype=torch.bfloat16):
            scores = run(x)
        nn.functional.cross_entropy(scores.float(), y).backward()
        for name, search in nm.searches.items():
            expected = exact_nm.searches[name].sink.grad
            assert (search.sink.grad - expected).norm() < 0.05 * expected.norm()
        nm.after_backward()
