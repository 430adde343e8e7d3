// What do both sparsities buy when a network runs? 6conv2fc (T = 8) and vggsnn (T = 10) of full width,
// random weights, each layer calibrated to fire at 6 %; milliseconds per sample of a session, and how
// many times faster that is than libtorch in bf16, its fastest type here, on the same layers with as
// many threads (its convolutions and linear layers alone, without neurons and norms).
//
//   runtime_bench [--rate=0.06] [--threads=N] [--batch=1,16] [--rounds=7] [--network=NAME]
//                 [--row=NAME] [--layers]
//                 [--save=FILE]   writes the network of the row as a .snm file instead
#include "runtime_models.h"
#include "runtime_torch.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/processor.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/runtime/session.h"
#include "spikenm/runtime/snm_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace spikenm::bench {
namespace {

struct Options {
  double rate = 0.06;
  int threads = 0;
  int rounds = 7;
  std::vector<int64_t> batches{1, 16};
  std::vector<std::string> networks{"6conv2fc", "vggsnn"};
  std::string row;      // only rows whose name holds it
  bool layers = false;  // milliseconds of each step too
  std::string save;
};

struct Row {
  std::string name;
  std::optional<runtime::WeightRule> rule;
};

std::vector<Row> rows() {
  const auto rule = [](int n, int m, int share, bool taps) {
    return runtime::WeightRule{{n, m, share}, nm::Axis::kIn, taps};
  };
  return {{"dense", {}},
          {"2:4 share 1", rule(2, 4, 1, false)},
          {"2:16 share 1", rule(2, 16, 1, false)},
          {"2:4 share 64", rule(2, 4, 64, false)},
          {"2:8 share 64", rule(2, 8, 64, false)},
          {"2:16 share 64", rule(2, 16, 64, false)},
          {"2:16 share 64 taps", rule(2, 16, 64, true)}};
}

// The best of several rounds, in milliseconds per sample: other programs only make it slower.
double best_ms(runtime::Session& session, std::span<const float> input, int64_t batch, int rounds) {
  double best = 1e30;
  for (int round = 0; round <= rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    session.run(input, batch);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (round > 0) best = std::min(best, took.count() / static_cast<double>(batch));
  }
  return best;
}

// Milliseconds of each step of the program, for --layers.
void print_layers(runtime::Session& session, std::span<const float> input, int64_t batch) {
  const runtime::Model& model = session.model();
  std::chrono::steady_clock::time_point begin;
  std::vector<double> best(model.program().steps.size(), 1e30);
  size_t at = 0;
  session.watch([&](const runtime::Step&, bool begins) {
    if (begins) {
      begin = std::chrono::steady_clock::now();
      return;
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best[at] = std::min(best[at], took.count());
    ++at;
  });
  for (int round = 0; round < 30; ++round) {
    at = 0;
    session.run(input, batch);
  }
  session.watch({});
  for (size_t i = 0; i < best.size(); ++i)
    std::printf("    %-14s %8.3f ms  rate %.3f\n",
                model.graph().node(model.program().steps[i].node).name.c_str(), best[i],
                session.firing_rate(model.program().steps[i].node));
}

// How many layers each kernel runs: "events 5, packed 2".
std::string kernels_of(const runtime::Model& model) {
  std::map<std::string, int> counts;
  for (size_t i = 0; i < model.program().layers.size(); ++i) ++counts[model.layer(i).plan.kernel];
  std::string text;
  for (const auto& [kernel, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kernel, count);
  return text;
}

void run_network(const std::string& network, const Options& options) {
  for (const int64_t batch : options.batches) {
    double torch_ms = 0;
    for (const Row& row : rows()) {
      if (row.name.find(options.row) == std::string::npos) continue;
      if (!options.save.empty()) {
        runtime::write_snm(options.save, random_model({.network = network, .rule = row.rule}));
        return;
      }
      const auto model =
          calibrated_model({.network = network, .rule = row.rule, .rate = options.rate});
      if (torch_ms == 0)
        torch_ms = torch_best_ms(model->graph(), model->steps(), batch, options.rounds);
      std::vector<float> input;
      for (int64_t i = 0; i < batch; ++i) {
        const std::vector<float> sample = sample_for(model->stored(), 1 + static_cast<uint64_t>(i));
        input.insert(input.end(), sample.begin(), sample.end());
      }
      runtime::Session session(model, {.batch = batch});
      const double ours = best_ms(session, input, batch, options.rounds * 3);
      std::printf("%-9s %-19s batch %-3ld %d threads  %8.3f ms", network.c_str(), row.name.c_str(),
                  static_cast<long>(batch), threads(), ours);
      if (torch_ms > 0) std::printf("  torch bf16 %8.2f ms  %5.1fx", torch_ms, torch_ms / ours);
      std::printf("  %s\n", kernels_of(*model).c_str());
      if (options.layers) print_layers(session, input, batch);
      std::fflush(stdout);
    }
  }
}

bool take(const char* argument, const char* name, std::string& value) {
  const size_t n = std::strlen(name);
  if (std::strncmp(argument, name, n) != 0) return false;
  value = argument + n;
  return true;
}

Options parse(int argc, char** argv) {
  Options options;
  std::string value;
  for (int i = 1; i < argc; ++i) {
    if (take(argv[i], "--rate=", value)) options.rate = std::atof(value.c_str());
    if (take(argv[i], "--threads=", value)) options.threads = std::atoi(value.c_str());
    if (take(argv[i], "--rounds=", value)) options.rounds = std::atoi(value.c_str());
    if (take(argv[i], "--row=", value)) options.row = value;
    if (take(argv[i], "--save=", value)) options.save = value;
    if (take(argv[i], "--network=", value)) options.networks = {value};
    if (take(argv[i], "--batch=", value)) {
      options.batches.clear();
      for (const char* at = value.c_str(); at != nullptr && *at != 0;) {
        options.batches.push_back(std::atoll(at));
        at = std::strchr(at, ',');
        if (at != nullptr) ++at;
      }
    }
    if (std::strcmp(argv[i], "--layers") == 0) options.layers = true;
  }
  return options;
}

}  // namespace
}  // namespace spikenm::bench

int main(int argc, char** argv) {
  using namespace spikenm;
  const bench::Options options = bench::parse(argc, argv);
  set_threads(options.threads);
  std::printf("%s, %s, %d threads, every layer at %.3g\n", processor_name().c_str(),
              std::string(isa_name(active_isa())).c_str(), threads(), options.rate);
  for (const std::string& network : options.networks) bench::run_network(network, options);
}
