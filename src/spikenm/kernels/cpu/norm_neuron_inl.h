// The pieces of norm_neuron over vectors of channels, compiled once per instruction set: the
// includer defines the value type F, as for neuron_seq_inl.h, and includes this inside its unnamed
// namespace. Rows, and the channels within a row, are walked in order, so that memory is read
// sequentially; sums over rows are kept in arrays of [channels], which stay in the first-level
// cache.

// Calls body(channel, lanes used) for the vectors of a row.
template <class Body>
void for_row_vectors(int64_t channels, Body&& body) {
  int64_t c = 0;
  for (; c + F::kLanes <= channels; c += F::kLanes) body(c, F::kLanes);
  if (c < channels) body(c, static_cast<int>(channels - c));
}

void fill_zero(float* values, int64_t n) {
  for_row_vectors(n, [&](int64_t c, int count) { F(0.0).store(values + c, count); });
}

// Two passes: with a large mean, a single pass over sums of squares would lose all digits.
void norm_measure(const float* x, int64_t rows, int64_t channels, float* sums, float* squares) {
  fill_zero(sums, channels);
  fill_zero(squares, channels);

  for (int64_t r = 0; r < rows; ++r)
    for_row_vectors(channels, [&](int64_t c, int count) {
      (F::load(sums + c, count) + F::load(x + r * channels + c, count)).store(sums + c, count);
    });

  const F share(1.0 / static_cast<double>(rows));
  for (int64_t r = 0; r < rows; ++r)
    for_row_vectors(channels, [&](int64_t c, int count) {
      const F centred = F::load(x + r * channels + c, count) - F::load(sums + c, count) * share;
      fused(centred, centred, F::load(squares + c, count)).store(squares + c, count);
    });
}

// Runs one vector over all steps; calls sees(t, h, spike, v) after each step, where v is the membrane
// after the reset.
template <class Step, class Sees>
void run_lanes(const NormNeuron<float>& a, const NeuronConstants<F>& c, F scale, F shift,
               int64_t at, int count, Sees&& sees) {
  F v = c.charge.rest, y, h, spike;
  for (int64_t t = 0; t < a.steps; ++t) {
    if (t < a.input_steps) y = F::load(a.x + t * a.neurons() + at, count) * scale + shift;
    neuron_forward_step<Step>(c, a.params.soft_reset, y, v, h, spike);
    sees(t, h, spike, v);
  }
}

template <class Step>
void norm_forward_rows(const NormNeuron<float>& a, const NormMap& map, float* spikes,
                       float* activity, int64_t begin, int64_t end) {
  const auto constants = neuron_constants<F, float>(a.params);
  const auto for_vectors = [&](auto&& sees) {
    for (int64_t r = begin; r < end; ++r)
      for_row_vectors(a.channels, [&](int64_t c, int count) {
        const int64_t at = r * a.channels + c;
        run_lanes<Step>(a, constants, F::load(map.scale + c, count), F::load(map.shift + c, count),
                        at, count, [&](int64_t t, F, F spike, F v) {
                          spike.store(spikes + t * a.neurons() + at, count);
                          sees(c, count, spike, v);
                        });
      });
  };

  if (activity == nullptr) return for_vectors([](int64_t, int, F, F) {});
  fill_zero(activity, a.channels);
  for_vectors([&](int64_t c, int count, F spike, F v) {
    (F::load(activity + c, count) + (spike + absolute(v))).store(activity + c, count);
  });
}

template <class Step>
void norm_backward_rows(const NormNeuron<float>& a, const NormMap& map,
                        const NormNeuronGradients<float>& g, float* membrane, float* sums,
                        float* dots, int64_t begin, int64_t end) {
  const auto constants = neuron_constants<F, float>(a.params);
  fill_zero(sums, a.channels);
  fill_zero(dots, a.channels);

  const auto backward_vector = [&](int64_t r, int64_t c, int count) {
    const int64_t at = r * a.channels + c;
    const F mean = F::load(map.mean + c, count);
    run_lanes<Step>(a, constants, F::load(map.scale + c, count), F::load(map.shift + c, count), at,
                    count,
                    [&](int64_t t, F h, F, F) { h.store(membrane + t * F::kLanes, F::kLanes); });

    F error(0.0), total(0.0), dot = F::load(dots + c, count), grad_y, grad_k;
    for (int64_t t = a.steps - 1; t >= 0; --t) {
      const int64_t here = t * a.neurons() + at;
      neuron_backward_step<Step>(constants, a.params, F::load(g.grad_spikes + here, count),
                                 F::load(membrane + t * F::kLanes, F::kLanes), F(0.0), F(0.0),
                                 error, grad_y, grad_k);
      total = total + grad_y;
      if (t >= a.input_steps) continue;
      const F grad = a.input_steps == a.steps ? grad_y : total;
      dot = fused(grad, F::load(a.x + here, count) - mean, dot);
      grad.store(g.grad_x + here, count);
    }
    (F::load(sums + c, count) + total).store(sums + c, count);
    dot.store(dots + c, count);
  };

  for (int64_t r = begin; r < end; ++r)
    for_row_vectors(a.channels, [&](int64_t c, int count) { backward_vector(r, c, count); });
}

void norm_finish(const NormNeuron<float>& a, const NormMap& map, const NormBackMap& back,
                 float* grad_x, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r)
    for_row_vectors(a.channels, [&](int64_t c, int count) {
      const int64_t at = r * a.channels + c;
      const F grad_y = F::load(grad_x + at, count) - F::load(back.mean_grad + c, count);
      const F centred = F::load(a.x + at, count) - F::load(map.mean + c, count);
      const F grad = grad_y - centred * F::load(back.slope + c, count);
      (F::load(map.scale + c, count) * grad).store(grad_x + at, count);
    });
}

void norm_forward(const NormNeuron<float>& args, const NormMap& map, float* spikes, float* activity,
                  int64_t begin, int64_t end) {
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...)                                 \
  case Neuron::name:                                                    \
    if constexpr (step::kStates == 1)                                   \
      norm_forward_rows<step>(args, map, spikes, activity, begin, end); \
    return;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
}

void norm_backward(const NormNeuron<float>& args, const NormMap& map,
                   const NormNeuronGradients<float>& gradients, float* membrane, float* sums,
                   float* dots, int64_t begin, int64_t end) {
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...)                                                 \
  case Neuron::name:                                                                    \
    if constexpr (step::kStates == 1)                                                   \
      norm_backward_rows<step>(args, map, gradients, membrane, sums, dots, begin, end); \
    return;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
}

constexpr NormNeuronKernels kNormNeuron = {.measure = norm_measure,
                                           .forward = norm_forward,
                                           .backward = norm_backward,
                                           .finish = norm_finish};
