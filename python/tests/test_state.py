"""State that is loaded into a search: that of the same search, or a sentence, and the search as it was."""

from __future__ import annotations

import pytest

import spikenm

torch = pytest.importorskip("torch")
try:
    from search_nets import LoopNet, made, train, with_optimiser

    from spikenm.torch import sparsify
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)

FC = "fc.parametrizations.weight.0."
EXTRA = FC + "_extra_state"


def state_of(net) -> dict:
    return {name: value.clone() if isinstance(value, torch.Tensor) else dict(value) for name, value in net.state_dict().items()}


# What is wrong with a state, and the sentence.
WRONG = {
    "a position of no block": (lambda s: s[FC + "draws"].fill_(255), "has drawn position 255, wanted 0 to 3"),
    "fewer draws": (lambda s: s.update({FC + "draws": s[FC + "draws"][:8]}), "with other draws, wanted 1024 positions"),
    "nan": (lambda s: s[FC + "numbers"].fill_(float("nan")), "with the numbers .nan, nan, nan, nan., wanted a temperature"),
    "more positions than a block has": (lambda s: s[FC + "numbers"][3].fill_(5), "wanted a temperature, .* and 1 to 4 positions"),
    "a step that is a text": (lambda s: s[EXTRA].update(step="a"), "at step 'a', wanted a whole number"),
    "no step": (lambda s: s[EXTRA].pop("step"), "without step and frozen"),
    "a frozen mask of another shape": (lambda s: s[EXTRA].update(frozen=torch.ones(3, dtype=torch.uint8)), "with another frozen mask"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_state_is_refused_and_the_search_is_as_it_was(what):
    net, nm, opt = with_optimiser()
    train(net, nm, opt, 1)
    search = nm.searches["fc"]
    before, draws, numbers = search.mask.clone(), search.draws.clone(), search.numbers.clone()
    state = state_of(net)
    spoil, sentence = WRONG[what]
    spoil(state)
    with pytest.raises(spikenm.Error, match=f"^fc: found a state .*{sentence}"):
        net.load_state_dict(state)
    assert torch.equal(search.mask, before) and torch.equal(search.draws, draws) and torch.equal(search.numbers, numbers)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"steps": 11}, "steps 10, wanted 11"),
        ({"seed": 3}, "seed 0, wanted 3"),
        ({"axis": "flat"}, "axis 'in', wanted 'flat'"),
        ({"prior_kappa": 0.5}, "prior_kappa 1.0, wanted 0.5"),
    ],
)
def test_the_state_of_another_search_is_refused(other, sentence):
    net, nm = made()
    elsewhere, _ = made(**other)
    with pytest.raises(spikenm.Error, match=f"^conv: found a state with {sentence}, as sparsify was told$"):
        elsewhere.load_state_dict(net.state_dict())
    nm.freeze()
    elsewhere.load_state_dict(net.state_dict())  # which weights a mask keeps does not depend on how it was found


@pytest.mark.parametrize("frozen", [False, True])
def test_a_state_of_another_pattern_is_refused(frozen):
    net, nm = made()
    if frozen:
        nm.freeze()
    other = LoopNet()
    sparsify(other, "1:4", steps=10)
    with pytest.raises(spikenm.Error, match="^conv: found a state with pattern '2:4', wanted '1:4'"):
        other.load_state_dict(net.state_dict())


def test_older_states_that_do_not_say_their_search_are_loaded():
    net, nm, opt = with_optimiser()
    train(net, nm, opt, 3)
    state = state_of(net)
    for value in state.values():
        if isinstance(value, dict):
            del value["told"]
    other, other_nm, _ = with_optimiser()
    other.load_state_dict(state)
    assert other_nm.step == 3 and torch.equal(nm.searches["fc"].mask, other_nm.searches["fc"].mask)


def test_a_frozen_net_does_not_go_back_to_its_search():
    net, nm = made()
    before = state_of(net)
    nm.freeze()
    masks = nm.masks()
    with pytest.raises(spikenm.Error, match=r"^conv: found a state from before freeze\(\)"):
        net.load_state_dict(before)
    assert nm.frozen and all(torch.equal(mask, masks[name]) for name, mask in nm.masks().items())
    net.load_state_dict(state_of(net))  # its own
