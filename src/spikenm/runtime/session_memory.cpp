#include "spikenm/runtime/session_memory.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/runtime/fold.h"

#include <unistd.h>

#include <algorithm>

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
  const int64_t rooms = std::min<int64_t>(lanes_, options.batch);  // no sample has two
  total += 4.0 * static_cast<double>(rooms) * static_cast<double>(own_state);
  check_memory(total);
  bytes_ = total;
  for (NodeId id = 0; id < n; ++id) {
    nodes_[id].real = AlignedBytes(static_cast<size_t>(real[id]));
    nodes_[id].bits = AlignedBytes(static_cast<size_t>(bits[id]));
  }
  stream_ = AlignedBytes(state * sizeof(float));
  rooms_.resize(static_cast<size_t>(rooms));
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

}  // namespace spikenm::runtime
