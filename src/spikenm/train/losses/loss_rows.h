// One row per loss: <loss>_loss and <loss>_of_constant are defined in the file of the same name.
// Listing them needs no torch.
#pragma once

// clang-format off
#define SPIKENM_LOSSES(row) \
  row(ce,  "cross entropy of the mean score over time") \
  row(mse, "squared error of the mean score to one-hot") \
  row(tet, "cross entropy of every step, averaged over time")
// clang-format on
