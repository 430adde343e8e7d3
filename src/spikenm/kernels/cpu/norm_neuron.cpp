#include "spikenm/kernels/cpu/norm_neuron.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/graph/neuron_kinds.h"
#include "spikenm/kernels/cpu/table.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spikenm::kernels {
namespace {

// Number of items, of `values` values each, that make a chunk of about 64 Ki values.
int64_t per_chunk(int64_t values) {
  return std::max<int64_t>(1, (int64_t{1} << 16) / std::max<int64_t>(1, values));
}

// Two sums per channel and chunk of rows, added up in the order of the chunks.
class ChunkSums {
 public:
  ChunkSums(int64_t rows, int64_t grain, int64_t channels)
      : rows_(rows),
        grain_(grain),
        channels_(channels),
        sums_(static_cast<size_t>(2 * channels * ((rows + grain - 1) / grain))) {}

  float* first(int64_t begin) { return sums_.data() + 2 * channels_ * (begin / grain_); }
  float* second(int64_t begin) { return first(begin) + channels_; }

  // Calls body(rows of the chunk, first sum, second sum) for one channel.
  template <class Body>
  void for_chunks(int64_t channel, Body&& body) {
    for (int64_t begin = 0; begin < rows_; begin += grain_)
      body(static_cast<double>(std::min(grain_, rows_ - begin)),
           static_cast<double>(first(begin)[channel]), static_cast<double>(second(begin)[channel]));
  }

 private:
  int64_t rows_, grain_, channels_;
  std::vector<float> sums_;
};

void measure(const NormNeuron<float>& a, const NormNeuronKernels& kernels) {
  const int64_t rows = a.input_rows(), grain = per_chunk(a.channels);
  const double count = static_cast<double>(rows);
  ChunkSums chunks(rows, grain, a.channels);
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    kernels.measure(a.x + begin * a.channels, end - begin, a.channels, chunks.first(begin),
                    chunks.second(begin));
  });

  for (int64_t c = 0; c < a.channels; ++c) {
    double sum = 0, squares = 0;
    chunks.for_chunks(c, [&](double, double s, double) { sum += s; });
    const double mean = sum / count;
    chunks.for_chunks(c, [&](double n, double s, double q) {
      squares += q + n * (s / n - mean) * (s / n - mean);
    });

    a.mean[c] = static_cast<float>(mean);
    a.variance[c] = static_cast<float>(squares / count);
    a.inverse_std[c] = static_cast<float>(1.0 / std::sqrt(squares / count + a.eps));
  }
}

// The norm of every channel as y = scale x + shift; 1 and 0 without a norm.
struct Maps {
  std::vector<float> scale, shift, mean;

  explicit Maps(const NormNeuron<float>& a)
      : scale(static_cast<size_t>(a.channels), 1.0f), shift(scale.size()), mean(scale.size()) {
    for (size_t c = 0; a.has_norm() && c < scale.size(); ++c) {
      mean[c] = a.mean[c];
      scale[c] = a.inverse_std[c] * a.gamma[c];
      shift[c] = a.beta[c] - mean[c] * scale[c];
    }
  }
  [[nodiscard]] NormMap map() const {
    return {.scale = scale.data(), .shift = shift.data(), .mean = mean.data()};
  }
};

// Writes the gradients of gamma and beta; returns what the input's gradient needs.
NormBackMap sum_up(const NormNeuron<float>& a, const NormNeuronGradients<float>& g,
                   ChunkSums& chunks, std::vector<float>& mean_grad, std::vector<float>& slope) {
  const double count = static_cast<double>(a.input_rows());
  for (int64_t c = 0; c < a.channels; ++c) {
    double sum = 0, dot = 0;
    chunks.for_chunks(c, [&](double, double s, double d) {
      sum += s;
      dot += d;
    });

    const double inverse_std = static_cast<double>(a.inverse_std[c]);
    g.grad_beta[c] = static_cast<float>(sum);
    g.grad_gamma[c] = static_cast<float>(dot * inverse_std);
    if (!a.measures) continue;
    mean_grad[static_cast<size_t>(c)] = static_cast<float>(sum / count);
    slope[static_cast<size_t>(c)] = static_cast<float>(dot * inverse_std * inverse_std / count);
  }
  return {.mean_grad = mean_grad.data(), .slope = slope.data()};
}

// Adds to the activity of every channel the mean of the chunks' first sums.
void add_means(const NormNeuron<float>& a, ChunkSums& chunks) {
  const double count = static_cast<double>(a.steps * a.rows);
  for (int64_t c = 0; c < a.channels && a.rows > 0; ++c) {
    double sum = 0;
    chunks.for_chunks(c, [&](double, double s, double) { sum += s; });
    a.activity[c] += static_cast<float>(sum / count);
  }
}

}  // namespace

void norm_neuron_forward_cpu(const NormNeuron<float>& args, float* spikes, Isa isa) {
  SPIKENM_ASSERT(graph::traits_of(args.params.neuron).states == 1);
  const NormNeuronKernels* const kernels = cpu_kernels(isa).norm_neuron;
  if (kernels == nullptr) {
    return parallel_for(
        args.channels, per_chunk(args.steps * args.rows),
        [&](int64_t begin, int64_t end) { norm_neuron_forward_ref(args, spikes, begin, end); });
  }

  if (args.measures) measure(args, *kernels);
  const Maps maps(args);
  const int64_t grain = per_chunk(args.steps * args.channels);
  const bool watched = args.activity != nullptr;
  ChunkSums chunks(watched ? args.rows : 0, grain, args.channels);
  parallel_for(args.rows, grain, [&](int64_t begin, int64_t end) {
    kernels->forward(args, maps.map(), spikes, watched ? chunks.first(begin) : nullptr, begin, end);
  });
  if (watched) add_means(args, chunks);
}

void norm_neuron_backward_cpu(const NormNeuron<float>& args,
                              const NormNeuronGradients<float>& gradients, Isa isa) {
  SPIKENM_ASSERT(graph::traits_of(args.params.neuron).states == 1);
  const NormNeuronKernels* const kernels = cpu_kernels(isa).norm_neuron;
  const auto room = [&] { return std::vector<float>(static_cast<size_t>(16 * args.steps)); };
  if (kernels == nullptr) {
    return parallel_for(args.channels, per_chunk(args.steps * args.rows),
                        [&](int64_t begin, int64_t end) {
                          norm_neuron_backward_ref(args, gradients, room().data(), begin, end);
                        });
  }

  const Maps maps(args);
  const int64_t grain = per_chunk(args.steps * args.channels);
  ChunkSums chunks(args.rows, grain, args.channels);
  parallel_for(args.rows, grain, [&](int64_t begin, int64_t end) {
    kernels->backward(args, maps.map(), gradients, room().data(), chunks.first(begin),
                      chunks.second(begin), begin, end);
  });

  if (!args.has_norm()) return;
  std::vector<float> mean_grad(static_cast<size_t>(args.channels)), slope(mean_grad.size());
  const NormBackMap back = sum_up(args, gradients, chunks, mean_grad, slope);
  parallel_for(args.input_rows(), per_chunk(args.channels), [&](int64_t begin, int64_t end) {
    kernels->finish(args, maps.map(), back, gradients.grad_x, begin, end);
  });
}

}  // namespace spikenm::kernels
