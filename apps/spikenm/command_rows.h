// One row per command of the program, in the order of its help.
#pragma once

// plain(name, setup, summary): a command of `spikenm` itself. torch(…): one of spikenm-train.
// clang-format off
#define SPIKENM_COMMANDS(plain, torch) \
  torch("train",   setup_train,   "train, prune and finetune a network as a config says") \
  torch("eval",    setup_eval,    "measure a trained model on the test split") \
  torch("export",  setup_export,  "write a trained model as a .snm file, which runs without torch") \
  torch("compact", setup_compact, "remove the channels that a model's masks drop: a smaller dense network") \
  torch("inspect", setup_inspect, "show the layers of a model or config: weights, blocks, tails") \
  torch("spikes",  setup_spikes,  "print which neurons of a trained model fire for a sample") \
  plain("table",   setup_table,   "show finished runs as a table, published figures beside them") \
  plain("plot",    setup_plot,    "draw learning curves, masks, spikes, confusion or any two numbers") \
  plain("report",  setup_report,  "write one HTML page that shows runs: table, curves, masks, spikes") \
  plain("watch",   setup_watch,   "show the curves of a run in the terminal, while it trains") \
  torch("sweep",   setup_sweep,   "run a grid or list of configs, and plot mean and spread") \
  torch("bench",   setup_bench,   "time a training step, part by part") \
  plain("data",    setup_data,    "list, check, count, draw and cache datasets and event files") \
  plain("list",    setup_list,    "the names a config can choose: models, methods, neurons, …") \
  plain("keys",    setup_keys,    "every config key: type, default, range and meaning") \
  torch("demo",    setup_demo,    "dense, random mask and SpikeNM on built-in data, in one table")
// clang-format on
