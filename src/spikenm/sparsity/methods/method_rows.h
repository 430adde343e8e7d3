// One row per method: its name, its factory, which is defined in the file of the same name, and a
// line for lists. Listing them needs no torch.
#pragma once

// clang-format off
#define SPIKENM_METHODS(row) \
  row("dense",          make_dense,          "no mask: what every other row is compared with") \
  row("esl",            make_esl,            "a random mask of any weights that drops its smallest |w| and grows others") \
  row("grad-r",         make_grad_r,         "fixed signs, a prior pulls weights through 0, and gradients bring them back") \
  row("gradual",        make_gradual,        "keeps fewer and fewer weights a block by |w|, from m to n") \
  row("gradual-rewire", make_gradual_rewire, "gradual to n, then rewired by credit for the rest of the search") \
  row("magnitude",      make_magnitude,      "train dense, keep the n largest |w| of a block at prune") \
  row("nsl",            make_nsl,            "pulls the scales of batch norms to 0 and drops the channels with the smallest") \
  row("pattern-class",  make_pattern_class,  "a logit for every pattern of a block, one draw") \
  row("random",         make_random,         "one random mask, drawn before the first step and never changed") \
  row("rewire",         make_rewire,         "a random mask that drops its smallest |w| and grows by credit") \
  row("sca",            make_sca,            "keeps the most active channels at the end of every epoch, and regrows some by gradient") \
  row("spikenm",        make_spikenm,        "the paper's: Gumbel draws from trained logits, distilled credits") \
  row("sr-ste",         make_sr_ste,         "the n largest |w| at every step, gradient to all, decay outside") \
  row("stds",           make_stds,           "a soft threshold that grows over the training") \
  row("upr",            make_upr,            "a gate for every weight, steeper and steeper, and a price for open ones")
// clang-format on
