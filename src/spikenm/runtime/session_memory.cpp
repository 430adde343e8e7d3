#include "spikenm/runtime/session_memory.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/runtime/fold.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace spikenm::runtime {
namespace {

int64_t pixels_of(const graph::Node& node) {
  return node.out.height * node.out.width;
}

void check_memory(double bytes) {
  const double machine =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  SPIKENM_CHECK(bytes <= machine / 2,
                "session: would take {:.3g} GB, wanted at most half of this machine's {:.3g} GB; a "
                "smaller batch needs less",
                bytes / 1e9, machine / 1e9);
}

}  // namespace

Session::Memory::Memory(std::shared_ptr<const Model> given, const SessionOptions& wanted)
    : model(std::move(given)), options(wanted), lanes_(threads()) {
  SPIKENM_CHECK(options.batch >= 1 && options.batch <= 1 << 20,
                "session: found a batch of {}, wanted 1 to {}", options.batch, 1 << 20);
  allocate();
  connect_layers();
  parallel_for(lanes_, 1, [](int64_t, int64_t) {});  // threads start now, and not in the first run
}

void Session::Memory::allocate() {
  const Program& program = model->program();
  const size_t n = model->graph().nodes().size();
  nodes_.resize(n);
  std::vector<bool> wants_real(n), wants_bits(n);
  wants_real[0] = true;
  size_t state = 0, own_state = 0;
  for (const Step& step : program.steps) {
    const bool gives_bits =
        program.forms[step.node] == Form::kBits || step.kind == Step::Kind::kPoolPlanes;
    (gives_bits && step.kind != Step::Kind::kExpand ? wants_bits : wants_real)[step.node] = true;
    const graph::Node& at = node(step.node);
    const auto* const neuron = at.as<graph::Neuron>();
    if (neuron == nullptr || step.kind == Step::Kind::kExpand) continue;
    int64_t states = pixels_of(at) * kernels::spike_words(at.out.channels) * kernels::kSpikeBlock;
    if (step.kind == Step::Kind::kNeuron) {
      states = at.out.values() * graph::traits_of(neuron->params.neuron).states;
      own_state = std::max(own_state, static_cast<size_t>(states));
    }
    nodes_[step.node].state = state;
    nodes_[step.node].states = static_cast<size_t>(states);
    state += static_cast<size_t>(states);
  }

  // Sizes in double: those of a file may be beyond an integer.
  const auto maps = static_cast<double>(options.batch * model->steps());
  double total = 4.0 * static_cast<double>(state);
  std::vector<double> real(n), bits(n);
  for (NodeId id = 0; id < n; ++id) {
    const auto pixels = static_cast<double>(pixels_of(node(id)));
    if (wants_real[id]) real[id] = 4.0 * maps * static_cast<double>(node(id).out.values());
    if (wants_bits[id])
      bits[id] = 8.0 * maps * pixels *
                 static_cast<double>(kernels::spike_words(node(id).out.channels) * planes_of(id));
    total += real[id] + bits[id];
  }
  total += 4.0 * static_cast<double>(lanes_) * static_cast<double>(own_state);
  check_memory(total);
  bytes_ = total;
  for (NodeId id = 0; id < n; ++id) {
    nodes_[id].real = AlignedBytes(static_cast<size_t>(real[id]));
    nodes_[id].bits = AlignedBytes(static_cast<size_t>(bits[id]));
  }
  stream_ = AlignedBytes(state * sizeof(float));
  rooms_.resize(static_cast<size_t>(lanes_));
  for (Room& room : rooms_) room.state = AlignedBytes(own_state * sizeof(float));
  scores_.resize(static_cast<size_t>(options.batch * model->classes()));
}

void Session::Memory::connect_layers() {
  const Program& program = model->program();
  size_t most_scratch = 0, most_maps = 1;
  layer_maps_.resize(program.layers.size());
  layer_map_pixels_.resize(program.layers.size());
  layer_map_planes_.resize(program.layers.size());
  for (size_t i = 0; i < program.layers.size(); ++i) {
    const Layer& layer = program.layers[i];
    const Sources& sources = program.sources[layer.input];
    kernels::SpikeLayer call{.samples = options.batch, .steps = model->steps()};
    call.out_channels = node(layer.out).out.channels;
    call.input = {.height = layer.height, .width = layer.width, .channels = layer.channels};
    if (layer.reads_spikes) {
      for (const MapPlane& map : sources.maps) {
        layer_maps_[i].push_back(nodes_[map.node].bits.as<uint64_t>() +
                                 map.plane * plane_words(map.node));
        layer_map_pixels_[i].push_back(pixels_of(node(map.node)));
        layer_map_planes_[i].push_back(static_cast<int32_t>(map.plane));
      }
      call.input.begin = sources.begin.data();
      call.input.sources = sources.list.data();
      call.input.most_sources = sources.most();
      call.input.regular = sources.regular.empty() ? nullptr : sources.regular.data();
      call.input.regular_row = sources.regular_row;
      call.input.regular_column = sources.regular_column;
      call.input.maps = layer_maps_[i].data();
      call.input.map_pixels = layer_map_pixels_[i].data();
      call.input.map_plane = layer_map_planes_[i].data();
      call.input.planes = sources.planes();
    } else {
      call.input.values = nodes_[layer.input].real.as<float>();
      call.input.input_steps = program.constant[layer.input] ? 1 : model->steps();
    }
    call.window = layer.window;
    call.rows = model->layer(i).rows.view();
    if (layer.neurons)
      call.neurons = folded_neurons(neuron_params(model->stored(), *layer.neurons));
    call.neurons.fires = layer.neurons.has_value();
    call.neurons.scale = layer.scale.data();
    call.neurons.shift = layer.shift.data();
    if (!model->layer(i).alive.empty()) call.neurons.alive = model->layer(i).alive.data();
    call.spikes = nodes_[layer.out].bits.as<uint64_t>();
    call.values = nodes_[layer.out].real.as<float>();
    layers_.push_back(call);
    // A stream runs one step at a time, which may want more room than all of them.
    for (const int64_t steps : {int64_t{1}, model->steps()}) {
      call.steps = steps;
      most_scratch = std::max(most_scratch, kernels::spike_layer_scratch(call, lanes_));
    }
  }
  for (const Sources& sources : program.sources)
    most_maps = std::max(most_maps, sources.maps.size());
  for (NodeId id = 0; id < nodes_.size(); ++id)
    most_maps = std::max(most_maps, node(id).inputs.size());
  for (Room& room : rooms_) {
    room.maps.reserve(most_maps);
    room.inputs.reserve(most_maps);
  }
  check_memory(bytes_ + static_cast<double>(most_scratch));
  scratch_ = AlignedBytes(most_scratch);
}

void Session::Memory::begin(int64_t samples, int64_t steps, bool streams) {
  samples_ = samples;
  steps_ = steps;
  streams_ = streams;
  if (streams) static_cast<void>(stream_state());
}

std::span<float> Session::Memory::stream_state() {
  const std::span<float> state(stream_.as<float>(), stream_.size() / sizeof(float));
  if (!streamed_) rest(state);
  streamed_ = true;
  return state;
}

void Session::Memory::restart_stream() {
  if (streamed_) rest(stream_state());
}

int64_t Session::Memory::steps_of(NodeId id) const {
  return model->program().constant[id] ? 1 : steps_;
}

RealView Session::Memory::real(NodeId id, int64_t sample) const {
  const graph::Shape& shape = node(id).out;
  const int64_t steps = steps_of(id);
  auto* const data = const_cast<float*>(nodes_[id].real.as<float>());  // the caller's to write
  return {data + sample * steps * shape.values(), steps, shape.height * shape.width,
          shape.channels};
}

int64_t Session::Memory::planes_of(NodeId id) const {
  const auto* const pool = node(id).as<graph::Pool>();
  return pool != nullptr && pool->kind == graph::PoolKind::kAverage
             ? count_planes(pool->size * pool->size)
             : 1;
}

int64_t Session::Memory::plane_words(NodeId id) const {
  return options.batch * model->steps() * pixels_of(node(id)) *
         kernels::spike_words(node(id).out.channels);
}

BitsView Session::Memory::bits(NodeId id, int64_t sample, int64_t plane) const {
  const graph::Shape& shape = node(id).out;
  const int64_t pixels = shape.height * shape.width;
  auto* const data =
      const_cast<uint64_t*>(nodes_[id].bits.as<uint64_t>()) + plane * plane_words(id);
  return {data + sample * steps_ * pixels * kernels::spike_words(shape.channels), steps_, pixels,
          shape.channels};
}

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
