// What do both sparsities buy when a network runs? 6conv2fc (T = 8) and vggsnn (T = 10) of full width,
// random weights, each layer calibrated to fire at 6 %; milliseconds per sample of a session, and how
// many times faster that is than libtorch in bf16, its fastest type here, on the same layers with as
// many threads (its convolutions and linear layers alone, without neurons and norms).
//
// A row has up to three sides: ours, libtorch, and, where 64 outputs share a mask, ours with the same
// weights and spikes stored as if nothing were masked. They take turns: in each round every side runs
// once untimed and once timed. Medians are printed, and the best in brackets.
//
//   runtime_bench [--rate=0.06] [--rates=FILE]  FILE: a result.json, or JSON with a rate by layer
//                 [--threads=N] [--batch=1,16] [--rounds=7] [--network=NAME] [--row=NAME]
//                 [--isa=ref|avx2|avx512] [--layers]
//                 [--behind-pools]  layers before a max pool fire less, so that what the next layer reads
//                                   fires at the rate
//                 [--planned=RATE]  kernels are chosen as if layers fired at this rate: what other kernels take
//                 [--save=FILE]   writes the network of the row as a .snm file instead
#include "runtime_models.h"
#include "runtime_torch.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/processor.h"
#include "spikenm/runtime/session.h"
#include "spikenm/runtime/snm_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>

namespace spikenm::bench {
namespace {

struct Options {
  Rates rates, planned{.usual = 0};  // planned: of the choice of kernels; 0: the same
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

double ms_of(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return took.count();
}

// One of the sides that take turns.
struct Side {
  std::function<void()> run;
  std::function<void()> after;  // before the next side begins; may be empty
  std::vector<double> ms{};     // of each round

  [[nodiscard]] double best() const { return *std::min_element(ms.begin(), ms.end()); }
  [[nodiscard]] double median() const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  }
};

void take_turns(std::vector<Side>& sides, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (Side& side : sides) {
      side.run();
      side.ms.push_back(ms_of(side.run));
      if (side.after) side.after();
    }
}

// A session with its samples.
struct Ours {
  runtime::Session session;
  std::vector<float> input;
  int64_t batch;

  Ours(std::shared_ptr<const runtime::Model> model, int64_t samples)
      : session(std::move(model), {.batch = samples}), batch(samples) {
    for (int64_t i = 0; i < samples; ++i) {
      const std::vector<float> sample =
          sample_for(session.model().stored(), 1 + static_cast<uint64_t>(i));
      input.insert(input.end(), sample.begin(), sample.end());
    }
  }
  void run() { session.run(input, batch); }
};

// Milliseconds and rate of each step of the program, for --layers.
void print_layers(Ours& ours) {
  runtime::Session& session = ours.session;
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
    ours.run();
  }
  session.watch({});
  for (size_t i = 0; i < best.size(); ++i) {
    const runtime::Step& step = model.program().steps[i];
    const bool layer = step.kind == runtime::Step::Kind::kLayer;
    std::printf("    %-14s %8.3f ms  rate %.3f  %s\n", model.graph().node(step.node).name.c_str(),
                best[i] / static_cast<double>(ours.batch), session.firing_rate(step.node),
                layer ? model.layer(step.layer).plan.kernel.c_str() : "");
  }
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

void check_same_spikes(const Ours& a, const Ours& b) {
  const graph::Graph& graph = a.session.model().graph();
  for (graph::NodeId id = 0; id < graph.nodes().size(); ++id)
    if (graph.node(id).as<graph::Neuron>() != nullptr)
      SPIKENM_CHECK(a.session.values(id) == b.session.values(id),
                    "{}: found other spikes without the mask, wanted the same",
                    graph.node(id).name);
}

std::string times_text(const Side& side, int64_t batch) {
  const auto each = static_cast<double>(batch);
  return fmt::format("{:7.3f} ms ({:.3f})", side.median() / each, side.best() / each);
}

// "9.1x (9.3)": how many times `ours` is faster.
std::string ratio_text(const Side& other, const Side& ours) {
  return fmt::format("{:5.2f}x ({:.2f})", other.median() / ours.median(),
                     other.best() / ours.best());
}

void run_row(const ModelKind& kind, const std::string& name, int64_t batch,
             const TorchLayers* torch, const Options& options) {
  const auto model = calibrated_model(kind);
  Ours ours(model, batch);
  std::vector<Side> sides{{[&] { ours.run(); }, {}}};
  if (torch != nullptr) sides.push_back({[&] { torch->run(); }, TorchLayers::rest});
  std::unique_ptr<Ours> whole;
  if (kind.rule && kind.rule->pattern.share >= kernels::kSpikeBlock) {
    whole = std::make_unique<Ours>(unmasked_model(kind, *model), batch);
    sides.push_back({[&] { whole->run(); }, {}});
  }
  take_turns(sides, options.rounds);
  if (whole) check_same_spikes(ours, *whole);

  fmt::print("{:<9} {:<19} batch {:<3} {} threads  {}", kind.network, name, batch, threads(),
             times_text(sides[0], batch));
  if (torch != nullptr)
    fmt::print("  torch bf16 {}  {}", times_text(sides[1], batch), ratio_text(sides[1], sides[0]));
  if (whole)
    fmt::print("  without mask {}  {}", times_text(sides.back(), batch),
               ratio_text(sides.back(), sides[0]));
  fmt::print("  {}\n", kernels_of(*model));
  if (options.layers) print_layers(ours);
  std::fflush(stdout);
}

void run_network(const std::string& network, const Options& options) {
  for (const int64_t batch : options.batches) {
    std::unique_ptr<const TorchLayers> torch;
    for (const Row& row : rows()) {
      if (row.name.find(options.row) == std::string::npos) continue;
      const ModelKind kind{.network = network,
                           .rule = row.rule,
                           .rates = options.rates,
                           .planned = options.planned.usual > 0 ? options.planned : options.rates};
      const runtime::StoredModel stored = random_model(kind);
      if (!options.save.empty()) return runtime::write_snm(options.save, stored);
      if (kHasTorch && !torch)
        torch = std::make_unique<const TorchLayers>(stored.graph, stored.steps, batch);
      run_row(kind, row.name, batch, torch.get(), options);
    }
  }
}

bool take(const char* argument, const char* name, std::string& value) {
  const size_t n = std::strlen(name);
  if (std::strncmp(argument, name, n) != 0) return false;
  value = argument + n;
  return true;
}

std::vector<int64_t> numbers(const std::string& list) {
  std::vector<int64_t> found;
  for (const char* at = list.c_str(); at != nullptr && *at != 0;) {
    found.push_back(std::atoll(at));
    at = std::strchr(at, ',');
    if (at != nullptr) ++at;
  }
  return found;
}

Options parse(int argc, char** argv) {
  Options options;
  std::string value;
  for (int i = 1; i < argc; ++i) {
    if (take(argv[i], "--rate=", value)) options.rates.usual = std::atof(value.c_str());
    if (take(argv[i], "--rates=", value)) options.rates.by_layer = read_rates(value).by_layer;
    if (take(argv[i], "--planned=", value)) options.planned.usual = std::atof(value.c_str());
    if (take(argv[i], "--threads=", value)) options.threads = std::atoi(value.c_str());
    if (take(argv[i], "--rounds=", value)) options.rounds = std::max(1, std::atoi(value.c_str()));
    if (take(argv[i], "--row=", value)) options.row = value;
    if (take(argv[i], "--save=", value)) options.save = value;
    if (take(argv[i], "--network=", value)) options.networks = {value};
    if (take(argv[i], "--batch=", value)) options.batches = numbers(value);
    // Before anyone asks for the level.
    if (take(argv[i], "--isa=", value)) ::setenv("SPIKENM_ISA", value.c_str(), 1);
    if (std::strcmp(argv[i], "--layers") == 0) options.layers = true;
    if (std::strcmp(argv[i], "--behind-pools") == 0) options.rates.behind_pools = true;
  }
  options.planned.behind_pools = options.rates.behind_pools;
  return options;
}

void run(const Options& options) {
  set_threads(options.threads);
  fmt::print("{} ({}), {}, {} threads, {}{}, {} rounds\n", processor_name(), processor_details(),
             isa_name(active_isa()), threads(),
             options.rates.by_layer.empty()
                 ? fmt::format("every layer at {:.3g}", options.rates.usual)
                 : "layers at recorded rates",
             options.rates.behind_pools ? ", behind its max pool" : "", options.rounds);
  for (const std::string& network : options.networks) run_network(network, options);
}

}  // namespace
}  // namespace spikenm::bench

int main(int argc, char** argv) {
  try {
    spikenm::bench::run(spikenm::bench::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "runtime_bench: %s\n", error.what());
    return 1;
  }
}
