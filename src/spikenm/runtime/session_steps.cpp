// How a session runs the steps of its program.
#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/runtime/session_memory.h"

#include <algorithm>
#include <atomic>

namespace spikenm::runtime {

void Session::Memory::take_input(std::span<const float> input) {
  for (int64_t sample = 0; sample < samples_; ++sample) {
    const RealView to = real(0, sample);
    channels_last(input.data() + sample * to.steps * to.size(), to);
  }
}

void Session::Memory::run_program() {
  for (const Step& step : model->program().steps) {
    if (watch) watch(step, true);
    run_step(step);
    if (watch) watch(step, false);
  }
}

void Session::Memory::run_step(const Step& step) {
  if (step.kind == Step::Kind::kLayer) return run_layer(step.layer);
  if (step.kind == Step::Kind::kPoolBits || step.kind == Step::Kind::kPoolPlanes)
    return run_pool(step);
  run_samples(step);
}

// Threads take samples one by one, each with a room of its own.
void Session::Memory::run_samples(const Step& step) {
  struct {
    Memory& memory;
    const Step& step;
    std::atomic<int64_t> next = 0;

    void lane(int64_t index) {
      Room& room = memory.rooms_[static_cast<size_t>(index)];
      for (int64_t sample = next++; sample < memory.samples_; sample = next++) {
        if (step.kind == Step::Kind::kNeuron)
          memory.run_neurons(step.node, sample, room);
        else
          memory.run_real(step, sample, room);
      }
    }
  } work{*this, step};
  auto* const shared = &work;  // one pointer: the loop's body then needs no memory of its own
  parallel_for(std::min<int64_t>(lanes_, samples_), 1,
               [shared](int64_t lane, int64_t) { shared->lane(lane); });
}

void Session::Memory::run_layer(size_t index) {
  kernels::SpikeLayer& call = layers_[index];
  const Layer& layer = model->program().layers[index];
  call.samples = samples_;
  call.steps = steps_of(layer.out);
  call.input.input_steps = steps_of(layer.input);
  call.neurons.membrane =
      layer.neurons && streams_ ? stream_.as<float>() + nodes_[layer.out].state : nullptr;
  kernels::spike_layer_cpu(call, {scratch_.as<std::byte>(), scratch_.size()}, lanes_,
                           options.isa.value_or(model->isa()));
}

// Pools of bits: samples and steps are independent.
void Session::Memory::run_pool(const Step& step) {
  const struct {
    const Memory& memory;
    const Step& step;
  } work{*this, step};
  const auto* const shared = &work;  // one pointer: the loop's body then needs no memory of its own
  parallel_for(samples_ * steps_, 1, [shared](int64_t begin, int64_t) {
    shared->memory.pool_step(shared->step, begin / shared->memory.steps_,
                             begin % shared->memory.steps_);
  });
}

void Session::Memory::pool_step(const Step& step, int64_t sample, int64_t t) const {
  const NodeId id = step.node, input = node(id).inputs[0];
  const auto& pool = *node(id).as<graph::Pool>();
  const graph::Shape& map = node(input).out;
  const BitsView in = bits(input, sample).step(t);
  if (step.kind == Step::Kind::kPoolBits)
    return apply_pool_bits(pool, map, in, bits(id, sample).step(t));
  BitsView planes[kMostPlanes];
  const int64_t count = planes_of(id);
  for (int64_t plane = 0; plane < count; ++plane) planes[plane] = bits(id, sample, plane).step(t);
  apply_pool_planes(pool, map, in, std::span(planes, static_cast<size_t>(count)));
}

void Session::Memory::run_neurons(NodeId id, int64_t sample, Room& room) {
  const graph::NeuronParams params = neuron_params(model->stored(), id);
  const auto mask = model->stored().neuron_masks.find(id);
  float* const state = streams_ ? stream_.as<float>() + nodes_[id].state : room.state.as<float>();
  if (!streams_) begin_neurons(params, {state, nodes_[id].states});
  apply_neurons(params, real(node(id).inputs[0], sample),
                mask == model->stored().neuron_masks.end() ? nullptr : mask->second.data(), state,
                bits(id, sample));
}

void Session::Memory::run_real(const Step& step, int64_t sample, Room& room) {
  const NodeId id = step.node;
  const graph::Node& at = node(id);
  if (step.kind == Step::Kind::kExpand) {
    const Sources& sources = model->program().sources[id];
    room.maps.clear();
    for (const MapPlane& map : sources.maps) room.maps.push_back(bits(map.node, sample, map.plane));
    return apply_expand(sources, room.maps, real(id, sample));
  }

  const NodeId input = at.inputs[0];
  const graph::Shape& map = node(input).out;
  const RealView in = real(input, sample), out = real(id, sample);
  switch (step.kind) {
    case Step::Kind::kNorm:
      return apply_norm(model->stored().norms.at(id), in, out);
    case Step::Kind::kPool:
      return apply_pool(*at.as<graph::Pool>(), map, in, out);
    case Step::Kind::kFlatten:
      return apply_flatten(in, out);
    case Step::Kind::kMean:
      return apply_mean(in, out);
    case Step::Kind::kVote:
      return apply_vote(at.as<graph::Vote>()->voters, in, out);
    default:
      break;
  }
  SPIKENM_ASSERT(step.kind == Step::Kind::kSum);
  room.inputs.clear();
  for (const NodeId each : at.inputs) room.inputs.push_back(real(each, sample));
  apply_sum(room.inputs, out);
}

}  // namespace spikenm::runtime
