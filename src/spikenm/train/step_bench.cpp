#include "spikenm/train/step_bench.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/ops/stream.h"
#include "spikenm/train/plain_step.h"
#include "spikenm/train/search_hooks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <optional>

namespace spikenm::train {
namespace {

struct Times {
  std::vector<double> milliseconds;

  [[nodiscard]] double quantile(double q) const {
    std::vector<double> sorted = milliseconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  [[nodiscard]] Json json() const {
    return {{"median_ms", quantile(0.5)}, {"spread_ms", quantile(0.75) - quantile(0.25)}};
  }
};

class Clock {
 public:
  explicit Clock(const at::Device& device) : on_gpu_(device.is_cuda()) {}

  // Milliseconds until all of `work` is done; on a GPU measured by the GPU's clock.
  template <class Work>
  double time(Work&& work) const {
    if (on_gpu_) {
      ops::synchronize();
      return ops::time_on_gpu(work);
    }
    const Stopwatch watch;
    work();
    return 1000 * watch.seconds();
  }
  // The same per call; on a GPU over several calls in a row, so that the time to wait does not
  // count.
  template <class Work>
  double time_each(Work&& work) const {
    const int times = on_gpu_ ? 8 : 1;
    return time([&] {
             for (int i = 0; i < times; ++i) work();
           }) /
           times;
  }

 private:
  bool on_gpu_;
};

BatchTensors random_batch(const ModelRecipe& model, const StepBenchOptions& o) {
  const graph::FrameShape& f = model.network->frame();
  std::vector<int64_t> shape{o.batch, f.channels, f.height, f.width};
  if (o.events) shape.insert(shape.begin(), model.T);
  const at::Device device = model.network->device();
  return {.frames = at::rand(shape, at::kFloat).to(device),
          .labels = at::randint(o.classes, {o.batch}, at::kLong).to(device)};
}

struct Products {
  Times forward, grad_input, grad_weight;
};

// The synapses' products by torch alone, on random spikes: no step can be faster.
Products time_products(const ModelRecipe& model, const StepBenchOptions& o, const Clock& clock) {
  const at::NoGradGuard no_grad;
  Products all;
  for (int64_t i = -o.warmup; i < o.steps; ++i) {
    double forward = 0, grad_input = 0, grad_weight = 0;
    for (const nn::Synapse& s : model.network->synapses()) {
      const graph::Graph& graph = model.network->graph();
      const graph::Shape& in = graph.input_of(graph.node(s.node)).out;
      const bool linear = in.height * in.width == 1 && s.weight.size(2) == 1;
      const auto format = linear ? at::MemoryFormat::Contiguous : at::MemoryFormat::ChannelsLast;
      const at::Tensor x = at::rand({model.T * o.batch, s.weight.size(1), in.height, in.width},
                                    s.weight.options().requires_grad(false))
                               .lt(0.15)
                               .to(s.compute)
                               .contiguous(format);
      const at::Tensor w = s.weight.detach().to(s.compute).contiguous(format);
      const std::vector<int64_t> stride(2, s.spec->geometry.stride),
          padding(2, s.spec->geometry.padding);

      at::Tensor y;
      forward += clock.time_each([&] { y = at::conv2d(x, w, {}, stride, padding); });
      const at::Tensor g = at::rand_like(y);
      const auto backward = [&](bool input, bool weight) {
        static_cast<void>(at::convolution_backward(g, x, w, at::nullopt, stride, padding, {1, 1},
                                                   false, {0, 0}, 1, {input, weight, false}));
      };
      grad_input += clock.time_each([&] { backward(true, false); });
      grad_weight += clock.time_each([&] { backward(false, true); });
    }

    if (i < 0) continue;
    all.forward.milliseconds.push_back(forward);
    all.grad_input.milliseconds.push_back(grad_input);
    all.grad_weight.milliseconds.push_back(grad_weight);
  }
  return all;
}

// Multiplications and additions of one step: forward, gradient of the input, gradient of the
// weight.
double flops_of(const graph::Graph& graph, int64_t rows) {
  double macs = 0;
  for (const graph::Node& node : graph.nodes())
    if (const auto* synapse = node.as<graph::Synapse>())
      macs += static_cast<double>(synapse->shape.numel() * node.out.height * node.out.width);
  return 2 * 3 * macs * static_cast<double>(rows);
}

// What is timed, and the position in the search.
struct Bench {
  ModelRecipe& model;
  const StepBenchOptions& options;
  Clock clock;
  BatchTensors batch;
  Schedule schedule{.kind = Schedule::Kind::kConstant};
  Stepper stepper;
  std::optional<SearchHooks> search;
  Position at;
  Times whole, forward, backward, optimiser, plain;
  int64_t peak_memory = 0;

  Bench(ModelRecipe& m, const StepBenchOptions& o)
      : model(m),
        options(o),
        clock(m.network->device()),
        batch(random_batch(m, o)),
        stepper(*m.network, m.T, losses().find("ce"), {}, 0) {
    stepper.record_steps(m.device.graphs);
    if (o.search) search.emplace(*m.method, schedule, stepper.optimizer());
    at.phase_steps = at.steps = 1000000;  // the beginning of a long search
  }
  [[nodiscard]] StepHooks hooks() {
    if (search) return search->hooks();
    return {.recording = [] { return std::optional<int64_t>(0); }};
  }

  // Whole steps; if wanted, alternating with plain ones, so that both see the same machine.
  void time_steps() {
    const StepHooks around = hooks();
    for (int64_t i = -options.warmup; i < options.steps; ++i, ++at.phase_step, ++at.step) {
      const double ours = clock.time([&] { stepper.step(batch, at, schedule.lr, around); });
      if (i >= 0) whole.milliseconds.push_back(ours);
      if (!options.plain) continue;
      const double theirs =
          clock.time([&] { plain_step(*model.network, model.T, stepper, batch, schedule.lr); });
      if (i >= 0) plain.milliseconds.push_back(theirs);
    }
  }

  // The parts of a step, waiting for each, and the memory that they need.
  void time_parts() {
    const StepHooks around = hooks();
    for (int64_t i = -options.warmup; i < options.steps; ++i, ++at.phase_step, ++at.step) {
      if (i == 0 && batch.frames.is_cuda()) ops::reset_peak_memory();
      stepper.clear_gradients(around);
      at::Tensor loss;
      const double f = clock.time([&] {
        if (around.before_forward) around.before_forward(at);
        loss = stepper.loss(stepper.forward(batch), batch);
      });
      const double b = clock.time([&] { stepper.backward(loss, around); });
      const double u = clock.time([&] { stepper.update(at, schedule.lr, around); });

      if (i < 0) continue;
      forward.milliseconds.push_back(f);
      backward.milliseconds.push_back(b);
      optimiser.milliseconds.push_back(u);
    }
    peak_memory = batch.frames.is_cuda() ? ops::peak_memory() - options.held : 0;
  }
};

}  // namespace

Json bench_step(ModelRecipe& model, const StepBenchOptions& o) {
  SPIKENM_CHECK(!o.plain || model.network->device().is_cpu(),
                "the plain step: found device {}, wanted cpu", model.network->device().str());

  Bench bench(model, o);
  bench.time_parts();
  bench.time_steps();

  const double step = bench.whole.quantile(0.5), seconds = step / 1000;
  Json result = {{"model", model.model_name},
                 {"method", o.search ? model.method_name : "dense"},
                 {"pattern", o.search ? model.method->pattern_text() : "dense"},
                 {"T", model.T},
                 {"batch", o.batch},
                 {"device", model.network->device().str()},
                 {"precision", model.device.precision},
                 {"threads", threads()},
                 {"step", bench.whole.json()},
                 {"forward", bench.forward.json()},
                 {"backward", bench.backward.json()},
                 {"optimiser", bench.optimiser.json()},
                 {"images_per_s", static_cast<double>(o.batch) / seconds},
                 {"tflops", flops_of(model.network->graph(), model.T * o.batch) / seconds / 1e12}};

  if (bench.peak_memory > 0)
    result["peak_memory_gb"] = static_cast<double>(bench.peak_memory) / 1e9;
  if (o.floor) {
    const Products products = time_products(model, o, bench.clock);
    const double floor = products.forward.quantile(0.5) + products.grad_input.quantile(0.5) +
                         products.grad_weight.quantile(0.5);
    result["floor"] = {{"forward", products.forward.json()},
                       {"grad_input", products.grad_input.json()},
                       {"grad_weight", products.grad_weight.json()},
                       {"sum_ms", floor},
                       {"share_of_step", floor / step}};
  }
  if (o.plain) {
    result["plain"] = bench.plain.json();
    result["speedup"] = bench.plain.quantile(0.5) / step;
  }
  return result;
}

}  // namespace spikenm::train
