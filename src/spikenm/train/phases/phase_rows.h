// One row per phase: its name, its factory, which is defined in the file of the same name, and a
// line for lists. Listing them needs no torch.
#pragma once

// clang-format off
#define SPIKENM_PHASES(row) \
  row("search",   make_search,   "weights and the method's own parameters learn together") \
  row("prune",    make_prune,    "the method's mask is frozen and applied") \
  row("finetune", make_finetune, "weights alone learn under the frozen mask")
// clang-format on
