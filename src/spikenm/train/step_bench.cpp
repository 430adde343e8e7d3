#include "spikenm/train/step_bench.h"

#include "spikenm/core/stopwatch.h"
#include "spikenm/nn/trace.h"
#include "spikenm/ops/stream.h"
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

  // Milliseconds that `work` takes, all of it done.
  template <class Work>
  double time(Work&& work) const {
    wait();
    const Stopwatch watch;
    work();
    wait();
    return 1000 * watch.seconds();
  }

 private:
  void wait() const {
    if (on_gpu_) ops::synchronize();
  }
  bool on_gpu_;
};

BatchTensors random_batch(const ModelRecipe& model, const StepBenchOptions& o) {
  const nn::FrameShape& f = model.network->frame();
  std::vector<int64_t> shape{o.batch, f.channels, f.height, f.width};
  if (o.events) shape.insert(shape.begin(), model.T);
  const at::Device device = model.network->device();
  return {.frames = at::rand(shape, at::kFloat).to(device),
          .labels = at::randint(o.classes, {o.batch}, at::kLong).to(device)};
}

struct Products {
  Times forward, grad_input, grad_weight;
};

// The synapses' products by torch alone, on random spikes: what no step can be faster than.
Products time_products(const ModelRecipe& model, const nn::NetworkTrace& trace,
                       const StepBenchOptions& o, const Clock& clock) {
  const at::NoGradGuard no_grad;
  Products all;
  for (int64_t i = -o.warmup; i < o.steps; ++i) {
    double forward = 0, grad_input = 0, grad_weight = 0;
    for (const nn::SynapseTrace& layer : trace.synapses) {
      const nn::Synapse& s = *layer.synapse;
      const bool linear = layer.in_height * layer.in_width == 1 && s.weight.size(2) == 1;
      const auto format = linear ? at::MemoryFormat::Contiguous : at::MemoryFormat::ChannelsLast;
      const at::Tensor x =
          at::rand({model.T * o.batch, s.weight.size(1), layer.in_height, layer.in_width},
                   s.weight.options().requires_grad(false))
              .lt(0.15)
              .to(s.compute)
              .contiguous(format);
      const at::Tensor w = s.weight.detach().to(s.compute).contiguous(format);
      const std::vector<int64_t> stride(2, s.geometry.stride), padding(2, s.geometry.padding);
      at::Tensor y;
      forward += clock.time([&] { y = at::conv2d(x, w, {}, stride, padding); });
      const at::Tensor g = at::rand_like(y);
      const auto backward = [&](bool input, bool weight) {
        static_cast<void>(at::convolution_backward(g, x, w, at::nullopt, stride, padding, {1, 1},
                                                   false, {0, 0}, 1, {input, weight, false}));
      };
      grad_input += clock.time([&] { backward(true, false); });
      grad_weight += clock.time([&] { backward(false, true); });
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
double flops_of(const nn::NetworkTrace& trace, int64_t rows) {
  double macs = 0;
  for (const nn::SynapseTrace& layer : trace.synapses)
    macs += static_cast<double>(layer.synapse->weight.numel() * layer.out_height * layer.out_width);
  return 2 * 3 * macs * static_cast<double>(rows);
}

}  // namespace

Json bench_step(ModelRecipe& model, const StepBenchOptions& o) {
  const Clock clock(model.network->device());
  const BatchTensors batch = random_batch(model, o);
  const Schedule schedule{.kind = Schedule::Kind::kConstant};
  Stepper stepper(*model.network, model.T, losses().find("ce"), {}, 0);
  std::optional<SearchHooks> search;
  if (o.search) search.emplace(*model.method, schedule, stepper.optimizer());
  const StepHooks hooks = search ? search->hooks() : StepHooks{};
  const int64_t all = 2 * (o.warmup + o.steps);
  Position at{.phase_steps = all, .steps = all};

  Times whole, forward, backward, optimiser;
  for (int64_t i = 0; i < o.warmup + o.steps; ++i, ++at.phase_step, ++at.step) {
    if (i == o.warmup && batch.frames.is_cuda()) ops::reset_peak_memory();
    const double t = clock.time([&] { stepper.step(batch, at, schedule.lr, hooks); });
    if (i >= o.warmup) whole.milliseconds.push_back(t);
  }
  const int64_t peak = batch.frames.is_cuda() ? ops::peak_memory() : 0;
  for (int64_t i = 0; i < o.warmup + o.steps; ++i, ++at.phase_step, ++at.step) {
    stepper.optimizer().zero_grad();
    at::Tensor loss;
    const double f = clock.time([&] {
      if (hooks.before_forward) hooks.before_forward(at);
      loss = stepper.loss(stepper.forward(batch), batch);
    });
    const double b = clock.time([&] { loss.backward(); });
    const double u = clock.time([&] {
      if (hooks.after_backward) hooks.after_backward(at);
      stepper.update(schedule.lr);
      if (hooks.after_step) hooks.after_step(at);
    });
    if (i < o.warmup) continue;
    forward.milliseconds.push_back(f);
    backward.milliseconds.push_back(b);
    optimiser.milliseconds.push_back(u);
  }

  const nn::NetworkTrace trace = nn::trace(*model.network);
  const double seconds = whole.quantile(0.5) / 1000;
  Json result = {{"model", model.model_name},
                 {"method", o.search ? model.method_name : "dense"},
                 {"pattern", o.search ? model.method->pattern_text() : "dense"},
                 {"T", model.T},
                 {"batch", o.batch},
                 {"device", model.network->device().str()},
                 {"precision", model.device.precision},
                 {"step", whole.json()},
                 {"forward", forward.json()},
                 {"backward", backward.json()},
                 {"optimiser", optimiser.json()},
                 {"images_per_s", static_cast<double>(o.batch) / seconds},
                 {"tflops", flops_of(trace, model.T * o.batch) / seconds / 1e12}};
  if (peak > 0) result["peak_memory_gb"] = static_cast<double>(peak) / 1e9;
  if (o.floor) {
    const Products products = time_products(model, trace, o, clock);
    const double floor = products.forward.quantile(0.5) + products.grad_input.quantile(0.5) +
                         products.grad_weight.quantile(0.5);
    result["floor"] = {{"forward", products.forward.json()},
                       {"grad_input", products.grad_input.json()},
                       {"grad_weight", products.grad_weight.json()},
                       {"sum_ms", floor},
                       {"share_of_step", floor / whole.quantile(0.5)}};
  }
  return result;
}

}  // namespace spikenm::train
